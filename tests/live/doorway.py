"""A port before another one, which counts who comes; or one that says but one thing, or nothing."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

TAKES = 65_536  # bytes at a time


class Doorway:
    """`address` leads to `server`; without one, everybody is told `words`."""

    def __init__(self, server: str, words: bytes = b"") -> None:
        self.entered = 0
        self._server, self._words = server, words
        self._opened = contextlib.ExitStack()
        self._listener = self._opened.enter_context(socket.create_server(("127.0.0.1", 0)))

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Doorway:
        threading.Thread(target=self._run, daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._opened.close()

    def _run(self) -> None:
        for guest in self._guests():
            self.entered += 1
            self._opened.enter_context(guest)
            if not self._server:
                guest.sendall(self._words)
                continue
            host, port = self._server.split(":")
            inside = self._opened.enter_context(socket.create_connection((host, int(port))))
            for item, other in ((guest, inside), (inside, guest)):
                threading.Thread(target=_carry, args=(item, other), daemon=True).start()

    def _guests(self) -> Iterator[socket.socket]:
        while True:
            try:
                yield self._listener.accept()[0]
            except OSError:  # closed
                return


def _carry(from_: socket.socket, to: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := from_.recv(TAKES):
            to.sendall(data)
        to.shutdown(socket.SHUT_WR)
