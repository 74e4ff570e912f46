"""Pages of a store's snapshots over HTTP, made by processes of their own: read only, no login."""

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from subprocess import DEVNULL, PIPE
from tempfile import TemporaryDirectory

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route
from starlette.types import Message, Receive, Scope, Send

from spark.errors import InputError
from spark.fleet import time_of

LOOKS_EVERY = 5.0
"""Seconds between two looks for a newer snapshot."""

PROGRAM = (sys.executable, "-P", "-c", "from evenfleet.command import main; main()")

TO_LIST = b'<p class="aside"><a href="/pages">Pages of earlier snapshots</a></p></header>'
LIST = (
    '<!doctype html><html lang="en"><meta name="viewport" content="width=device-width"><title>'
    "Pages by snapshot</title><h1>Pages by snapshot</h1><ul>{}</ul>"
)


@dataclass(frozen=True)
class Pages:
    """A folder with ID.html and ID.prom of each snapshot of a store.

    `newest` is the store's newest snapshot, and the version of its manifest: one that is written
    again has a higher one. `commands` write an audit's folder, its metrics and a page, and `say`
    prints which page was made, or why not.
    """

    folder: Path
    newest: Callable[[], tuple[str, int] | None]
    commands: Callable[[Path, Path, Path], Sequence[Sequence[str]]]
    say: Callable[[str], None]

    def ids(self) -> list[str]:
        """The snapshots that have a page, the newest first."""
        return sorted(filter(time_of, (path.stem for path in self.folder.glob("*.html"))))[::-1]

    def file(self, snapshot: str | None, kind: str) -> bytes:
        """The page or metrics of a snapshot, by default the newest; HTTPException without any."""
        ids = self.ids()
        if snapshot not in (None, *ids):
            raise HTTPException(404)
        if not ids:
            wait = {"Retry-After": "5", "Refresh": "5"}
            raise HTTPException(503, "The first page is being made. Try again in a minute.", wait)
        return (self.folder / f"{snapshot or ids[0]}.{kind}").read_bytes()

    async def keep_newest(self) -> None:
        """Make a page when a snapshot comes or is written again; of each version one try alone."""
        tried = reported = None
        while True:
            try:
                newest = await asyncio.to_thread(self.newest)
                if newest not in (None, tried):
                    tried, reported = newest, None
                    self.say(f"Snapshot {await self._make()} has its page.")
            except Exception as error:  # the old page stays
                if str(error) != reported:
                    reported = str(error)
                    self.say(f"No new page: {reported}")
            await asyncio.sleep(LOOKS_EVERY)

    async def _make(self) -> str:
        """Make page and metrics of the newest fleet, the page last; its snapshot."""
        self.folder.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory(prefix=".", dir=self.folder) as name:
            audit, *files = (Path(name, item) for item in ("audit", "new.prom", "new.html"))
            for words in self.commands(audit, *files):
                await _run(words)
            (findings,) = (audit / "findings").glob("snapshot=*")
            snapshot = findings.name.removeprefix("snapshot=")
            for file in files:
                file.rename(self.folder / f"{snapshot}{file.suffix}")
        return snapshot


async def _run(words: Sequence[str]) -> None:
    """Run a command of ours, which ends with us; InputError with its error."""
    process = await asyncio.create_subprocess_exec(
        *PROGRAM, *words, stdin=DEVNULL, stdout=DEVNULL, stderr=PIPE, start_new_session=True
    )
    try:
        _, error = await process.communicate()
    finally:
        if process.returncode is None:
            process.terminate()
            await process.wait()
    if process.returncode:
        raise InputError(error.decode(errors="replace").strip().removeprefix("evenfleet: "))


class KnownHosts(TrustedHostMiddleware):
    """Forbids what asks by another name (403), where Starlette says bad request (400)."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def forbid(message: Message) -> None:
            await send({**message, "status": 403} if message.get("status") == 400 else message)

        await super().__call__(scope, receive, forbid)


def app_of(pages: Pages, hosts: Sequence[str]) -> Starlette:
    """The application: the newest page, those before by date, and the newest metrics."""

    async def page(request: Request) -> Response:
        text = pages.file(request.path_params.get("snapshot"), "html")
        return HTMLResponse(text.replace(b"</header>", TO_LIST, 1))

    async def listed(_: Request) -> Response:
        links = (f'<li><a href="/pages/{snapshot}">{snapshot}</a>' for snapshot in pages.ids())
        return HTMLResponse(LIST.format("".join(links)))

    async def metrics(_: Request) -> Response:
        return Response(pages.file(None, "prom"), media_type="text/plain; version=0.0.4")

    @asynccontextmanager
    async def making(_: Starlette) -> AsyncIterator[None]:
        task = asyncio.create_task(pages.keep_newest())
        yield
        task.cancel()
        await asyncio.wait([task])

    answers = {"/": page, "/pages": listed, "/pages/{snapshot}": page, "/metrics": metrics}
    return Starlette(
        routes=[Route(path, answer) for path, answer in answers.items()],
        middleware=[Middleware(KnownHosts, allowed_hosts=hosts, www_redirect=False)],
        lifespan=making,
    )
