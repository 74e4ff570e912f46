"""The pages of `serve`: who gets what, what makes them, and how it ends."""

import asyncio
import http.client
import os
import re
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import uvicorn
from prometheus_client.parser import text_string_to_metric_families

from spark import serve
from spark.demo import demo_fleet
from spark.fleet import write_store
from spark.serve import Pages, app_of
from tests.spark.terminal.processes import below, ended, is_gone, started
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, is_one_line

OLD, NEW, LATER = "20261121T050000Z", SNAPSHOT, "20261121T070000Z"
METRICS = 'evenfleet_audit_snapshot_info{snapshot="%s"} 1\n'


def get(port: int, path: str, method: str = "GET", host: str = "localhost") -> tuple[int, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, headers={"Host": host})
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def in_time(holds: Callable[[], object]) -> None:
    end = time.monotonic() + 600
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)


@contextmanager
def served(pages: Pages) -> Iterator[int]:
    """A server of these pages in a thread: its port."""
    listening = socket.create_server(("127.0.0.1", 0))
    app = app_of(pages, ["127.0.0.1", "localhost", "fleet.example.com"])
    server = uvicorn.Server(uvicorn.Config(app, log_config=None))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        in_time(lambda: server.started)
        yield listening.getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture
def pages(tmp_path: Path) -> Pages:
    """Two, of a store without snapshots."""
    (folder := tmp_path / "pages").mkdir()
    for item in (OLD, NEW):
        (folder / f"{item}.html").write_text(f"<header>{item}</header>", encoding="utf-8")
        (folder / f"{item}.prom").write_text(METRICS % item, encoding="utf-8")
    return Pages(folder, lambda: None, lambda *_: [], print)


def test_the_newest_page_those_before_and_metrics(pages: Pages) -> None:
    """Other files of the folder are nobody's, and nothing can be written."""
    (pages.folder / "secret.html").write_text("secret", encoding="utf-8")
    with served(pages) as port:
        status, newest = get(port, "/")
        assert status == 200 and newest.startswith(f"<header>{NEW}") and 'href="/pages"' in newest
        listed = re.findall('href="(.*?)"', get(port, "/pages")[1])
        assert listed == [f"/pages/{NEW}", f"/pages/{OLD}"]
        assert get(port, listed[1])[1].startswith(f"<header>{OLD}")
        (family,) = text_string_to_metric_families(get(port, "/metrics")[1])
        assert family.samples[0].labels == {"snapshot": NEW}
        for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "BREW"):
            assert get(port, "/", method)[0] == 405
        for path in pages.folder.glob("2*"):
            path.unlink()
        waiting = "The first page is being made. Try again in a minute."
        assert get(port, "/") == get(port, "/metrics") == (503, waiting)


def test_a_foreign_name_is_forbidden(pages: Pages) -> None:
    good = ("localhost", "LOCALHOST:80", "127.0.0.1:8787", "fleet.example.com")
    evil = ("evil.example.com", "www.fleet.example.com", "localhost.evil.example.com")
    odd = ("localhost@evil.example.com", "127.0.0.1.evil.example.com", "", "::::")
    with served(pages) as port:
        assert {get(port, "/", host=host)[0] for host in good} == {200}
        for path in ("/", "/metrics", "/nowhere"):
            assert {get(port, path, host=host)[0] for host in (*evil, *odd)} == {403}


def test_a_hostile_path_leads_nowhere(pages: Pages) -> None:
    (pages.folder.parent / f"{LATER}.html").write_text("outside", encoding="utf-8")
    paths = (
        *(
            "/../../../../etc/passwd",
            "//etc/passwd",
            "/pages/../../../etc/passwd",
            "/%2e%2e/",
            "/.",
        ),
        *("/pages/..%2f..%2f..%2fetc%2fpasswd", "/pages/%2fetc%2fpasswd", "/pages/..%5c..%5cx"),
        *("/pages/%00", f"/pages/{NEW}%00", f"/pages/{NEW}.html", f"/pages/..%2f{LATER}", "/*"),
        *("/pages/%ff%fe", f"/pages/{'a' * 8_000}", "/pages/%0d%0aX:%20y", "/metrics/../pages/x"),
    )
    with served(pages) as port:
        assert {path: get(port, path)[0] for path in paths} == dict.fromkeys(paths, 404)
        assert get(port, "/")[0] == 200


def test_a_thousand_requests_at_once(pages: Pages) -> None:
    """Each gets the whole page, and it is alive then."""
    (pages.folder / f"{NEW}.html").write_text("x" * 400_000, encoding="utf-8")

    async def ask(port: int) -> int:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(b"GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        size = len(await reader.read(-1))
        writer.close()
        return size

    async def ask_all(port: int) -> list[int]:
        return await asyncio.gather(*(ask(port) for _ in range(1_000)))

    with served(pages) as port:
        assert min(asyncio.run(ask_all(port))) > 400_000
        assert get(port, "/")[0] == 200


FAKE = """
import pathlib, sys, time
command, store, audit, metrics, page = sys.argv[1], *map(pathlib.Path, sys.argv[2:])
snapshot = store.read_text()
if snapshot == "slow":
    store.with_name("begun").touch()
    time.sleep(600)
if command == "audit":
    (audit / "findings" / f"snapshot={snapshot}").mkdir(parents=True)
    metrics.write_text(snapshot)
elif snapshot == "20261121T070000Z":
    sys.exit("evenfleet: a file is gone")
else:
    page.write_text(snapshot)
"""


def test_a_page_is_made_when_a_snapshot_comes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where that fails the old one stays, and there is no second try; no process stays behind."""
    monkeypatch.setattr(serve, "PROGRAM", (sys.executable, "-c", FAKE))
    monkeypatch.setattr(serve, "LOOKS_EVERY", 0.05)
    store, said = tmp_path / "store", list[str]()

    def commands(*paths: Path) -> list[list[str]]:
        return [[item, *map(str, (store, *paths))] for item in ("audit", "report")]

    version = 1
    pages = Pages(tmp_path / "pages", lambda: (store.read_text(), version), commands, said.append)
    with served(pages) as port:
        for snapshot in (OLD, NEW):
            store.write_text(snapshot, encoding="utf-8")
            in_time(lambda snapshot=snapshot: get(port, "/") == (200, snapshot))
        (pages.folder / f"{NEW}.html").unlink()
        version = 2  # it was written again
        in_time(lambda: get(port, "/") == (200, NEW))
        store.write_text(LATER, encoding="utf-8")
        in_time(lambda: said[-1] == "No new page: a file is gone")
        time.sleep(0.3)
        assert get(port, "/") == get(port, "/metrics") == (200, NEW)
        assert said[-4:-1] == [f"Snapshot {item} has its page." for item in (OLD, NEW, NEW)]
        store.write_text("slow", encoding="utf-8")
        in_time((tmp_path / "begun").exists)
        (child,) = (process for process in below(os.getpid()) if "snapshot ==" in process.words)
    assert is_gone(child)
    kept = {f"{item}.{kind}" for item in (OLD, NEW) for kind in ("html", "prom")}
    assert {path.name for path in pages.folder.iterdir()} == kept


def test_what_can_not_be_served_is_said(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        said = run("serve", tmp_path, "--port", port)
        assert is_one_line(said)
        assert f"no server at 127.0.0.1, port {port}: Address already in use; try" in said.err
    assert "serve watches a folder" in run("serve", "--tables", "a.b").err
    assert "no folder" in run("serve", tmp_path / "nowhere", "--port", 0).err
    (tmp_path / "file").touch()
    assert "is not a folder" in run("serve", tmp_path, "--out", tmp_path / "file" / "in").err
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    assert "pip install 'evenfleet[serve]'" in run("serve", tmp_path).err


@pytest.mark.ends
def test_the_command_shows_a_snapshot_that_comes_and_ends_without_a_child(tmp_path: Path) -> None:
    store, kept = tmp_path / "store", tmp_path / "kept"
    write_store(demo_fleet(6, seed=5), store, OLD)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = started("serve", store, "--port", port, "--out", kept, "--host", "0.0.0.0")
    in_time((kept / f"{OLD}.html").exists)
    write_store(demo_fleet(6, seed=5), store, NEW)
    in_time((kept / f"{NEW}.html").exists)
    assert "<h1>" in get(port, "/", host="anybody")[1]
    assert get(port, "/pages")[1].count("<li>") == 2
    families = {of.name: of for of in text_string_to_metric_families(get(port, "/metrics")[1])}
    assert families["evenfleet_audit_snapshot_info"].samples[0].labels == {"snapshot": NEW}
    write_store(demo_fleet(6, seed=5), store, LATER)
    in_time(lambda: len(below(command.pid)) > 1)
    processes = below(command.pid)
    command.send_signal(signal.SIGTERM)
    said = ended(command)
    assert (said.code, all(map(is_gone, processes))) == (143, True)
    assert f"The page is at http://0.0.0.0:{port}/" in said.out + said.err
    assert "there is no login" in said.err
