"""Commands in a pseudo-terminal."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from typing import Any

ROWS = 60

SPINNER = re.compile("[\u2800-\u28ff](?:\x1b\\[0m)? ")
"""What moves while a command works."""


def in_terminal(words: list[str], columns: int) -> str:
    """The lines that a command leaves on a terminal of this width, with its colours."""
    here, there = pty.openpty()
    fcntl.ioctl(there, termios.TIOCSWINSZ, struct.pack("HHHH", ROWS, columns, 0, 0))
    environment = {**os.environ, "TERM": "xterm-256color", "COLUMNS": str(columns)}
    with subprocess.Popen(words, stdin=there, stdout=there, stderr=there, env=environment):
        os.close(there)
        pieces = []
        while True:
            try:
                piece = os.read(here, 65_536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            pieces.append(piece)
    os.close(here)
    text = b"".join(pieces).decode("utf-8", "replace").replace("\r\n", "\n")
    lines = [line.rsplit("\r", 1)[-1].rsplit("\x1b[2K", 1)[-1] for line in text.split("\n")]
    return "\n".join(line for line in lines if not SPINNER.search(line))


def tables_of(said: Any) -> dict[str, Any]:
    """The tables of a command's JSON."""
    tables: dict[str, Any] = json.loads(getattr(said, "out", None) or said.stdout)["tables"]
    return tables
