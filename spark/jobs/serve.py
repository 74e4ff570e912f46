"""`evenfleet serve`: the report of the newest snapshot in a browser, and metrics."""

import socket
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

from spark import InputError, terminal
from spark.fleet import check_folder, stored_in
from spark.report import check_drawing
from spark.store import check_writable, folder_of
from spark.terminal import mark_explained, option, say, say_answer


def serve(
    source: terminal.StoreOptions,
    host: Annotated[str, option("Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, option("Its port; 0 takes a free one.", min=0, max=65535)] = 8787,
    out: Annotated[str | None, option("Folder that keeps the pages.", shown="none")] = None,
    allow_host: Annotated[
        list[str] | None, option("Also answer to this name, as of a proxy; repeatable.")
    ] = None,
    thresholds: terminal.Thresholds = None,
) -> None:
    """Show the newest snapshot's report in a browser, and its metrics to Prometheus."""
    check_drawing()
    try:
        import uvicorn  # noqa: PLC0415 - not everybody has it

        from spark.serve import Pages, app_of  # noqa: PLC0415
    except ImportError:
        need = "serve needs starlette and uvicorn: pip install 'evenfleet[serve]'"
        raise InputError(need) from None
    if not source.store:
        raise InputError("serve watches a folder: name a STORE")
    store = source.store
    if out:
        check_writable(out)
    of = {"master": source.master, "config": source.config, "thresholds": thresholds}
    words = [source.store, *(f"--{name}={value}" for name, value in of.items() if value)]
    words += ["--quiet", *(f"--conf={setting}" for setting in source.conf or ())]

    def commands(audit: Path, metrics: Path, page: Path) -> list[list[str]]:
        return [
            ["audit", *words, f"--out={audit}", f"--prometheus={metrics}"],
            ["report", *words, f"--out={page}", f"--audit={audit}"],
        ]

    brief = TemporaryDirectory(prefix="evenfleet-")
    with source.opener() as opener, _listening(host, port) as listening, brief as folder:
        check_folder(opener, source.where)

        def newest() -> tuple[str, int] | None:
            snapshot = next(stored_in(opener, source.where).newest_first(), None)
            if snapshot is None:
                return None
            manifest = folder_of(opener, store).for_one_look().manifest(snapshot)
            return snapshot, manifest.version if manifest else 0

        pages = Pages(Path(out or folder), newest, commands, say)
        address, number = listening.getsockname()[:2]
        shown = f"[{address}]" if ":" in address else address
        say_answer(f"The page is at http://{shown}:{number}/, metrics are at /metrics.")
        hosts = ["localhost", "127.0.0.1", "[::1]", host, *(allow_host or ())]
        if not ip_address(address).is_loopback:
            say("Everybody who reaches this address can read it: there is no login.")
            hosts = ["*"]
        mark_explained()
        config = uvicorn.Config(app_of(pages, hosts), log_config=None, timeout_graceful_shutdown=2)
        uvicorn.Server(config).run(sockets=[listening])


def _listening(host: str, port: int) -> socket.socket:
    """A socket there; InputError where it can't be."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family)
    except OSError as error:
        why, *_ = str(error.strerror).split(" (")
        raise InputError(f"no server at {host}, port {port}: {why}; try another --port") from None
