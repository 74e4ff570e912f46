"""What the pages show runs: on the demo's fleet, as far as that takes no time."""

import re
import shlex
from fnmatch import filter as filter_names
from itertools import pairwise
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from spark.demo.history import HOURS, make_history
from spark.fleet import TABLES
from spark.fleet.local_store import write_store
from spark.jobs.demo import SEED
from spark.terminal.console import OUT
from tests.paths import ROOT
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, flat
from tests.support.small import EARLIER
from tests.test_pages import PAGES, commands_of

QUICK = ("config", "explain", "frontier", "simulate", "snapshots")
"""Commands that need no Spark."""

CHAIN = [ROOT / "README.md"]
CHAIN += [ROOT / f"docs/{name}.md" for name in ("audit", "plan", "verify", "compare", "explain")]
CHAIN += [ROOT / f"docs/{name}.md" for name in ("members", "whatif", "rollout", "scale")]
"""Pages whose commands run one after the other, with Spark; the folder stands for some."""

RAN, PLACES = ("demo", "collect"), r"demo/|(store|plan|compare|whatif|report.html)$"

GROUP = "clickstream-session-archiver"
CONNECTORS = "connect-devices-exporter"
SHARED = "orders-basket-aggregator"

STANDS_FOR = {"orders": GROUP, "connect-prod": CONNECTORS}
"""Groups of the demo for those that pages only speak of."""

SHOWN = sorted(
    {
        tuple(words)
        for page in PAGES
        for words in commands_of(page)
        if words[0] in QUICK and "--weight" not in words  # weights are Spark's
    }
)


def _some(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """The groups that pages name, and a few others."""
    names = pc.unique(tables["groups"]["group"]).to_pylist()[:8]
    wanted = pa.array([GROUP, CONNECTORS, SHARED, *names])
    return {
        name: rows.filter(pc.is_in(rows["group"], wanted)) if TABLES[name].by_group else rows
        for name, rows in tables.items()
    }


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder as `evenfleet demo` leaves a checkout, with two hours of some groups."""
    folder = tmp_path_factory.mktemp("checkout")
    made = make_history(300, SEED)
    for at, snapshot in enumerate((EARLIER, SNAPSHOT), HOURS - 2):
        write_store(_some(made.tables(at)), folder / "demo/store", snapshot)
    (folder / "store").symlink_to("demo/store")
    (folder / "conf").symlink_to(ROOT / "conf")
    (folder / "mine.toml").symlink_to("conf/scenarios/rolling-deploy.toml")
    return folder


@pytest.fixture(autouse=True)
def there(checkout: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who types what a page shows does so there, in a terminal of 80 x 24."""
    monkeypatch.chdir(checkout)
    monkeypatch.setattr(OUT, "_force_terminal", True)
    monkeypatch.setattr(OUT, "_width", 80)
    monkeypatch.setattr(OUT, "_height", 24)


@pytest.mark.parametrize("words", SHOWN, ids=shlex.join)
def test_it_runs_without_spark(run: Run, words: tuple[str, ...]) -> None:
    output = run(*(STANDS_FOR.get(word, word) for word in words))
    assert output.code == 0, output.err


def test_pages_name_what_the_demo_has() -> None:
    tables = make_history(300, SEED).tables(HOURS - 1)
    names = {
        "--cluster": set(tables["groups"]["cluster"].to_pylist()),
        "--group": set(tables["groups"]["group"].to_pylist()),
        "--split": set(tables["partitions"]["topic"].to_pylist()),
    }
    missing = [
        f"{page.name}: {shlex.join(words)}"
        for page in PAGES
        for words in commands_of(page)
        if "demo/store" in words
        for option, name in pairwise(words)
        if option in names and not filter_names(names[option], name)
    ]
    assert missing == []


@pytest.mark.ends
def test_pages_of_the_main_job_run(run: Run, checkout: Path) -> None:
    """In their order: a plan is there when it is verified. Java hasn't moved to the folder."""
    for page in CHAIN:
        for name, *words in commands_of(page):
            places = {word: checkout / word for word in words if re.match(PLACES, word)}
            if name not in RAN:
                output = run(name, *(places.get(word, word) for word in words))
                assert output.code == 0, f"{page.name}: {name} {shlex.join(words)}: {output.err}"


@pytest.mark.parametrize("name", ["explain.md", "frontier.md", "simulate.md", "reassign.md"])
def test_what_pages_show_is_what_is_printed(run: Run, name: str) -> None:
    check_shown(run, name)


@pytest.mark.ends
@pytest.mark.usefixtures("graphframes")
def test_what_pages_show_of_the_whole_demo_is_printed(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = make_history(300, SEED)
    for at, snapshot in enumerate((EARLIER, SNAPSHOT), HOURS - 2):
        write_store(made.tables(at), tmp_path / "demo/store", snapshot)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(OUT, "_height", 25)
    assert run("plan", tmp_path / "demo/store", "--out", tmp_path / "demo/plan").code == 0
    for name in ("graph", "history", "rates", "replay", "plan_in_force"):
        check_shown(run, f"{name}.md")


def check_shown(run: Run, name: str) -> None:
    """Each command that has its output below prints it, but for what is left out: `…`.

    A page may wrap its lines elsewhere. Java hasn't moved to the test's folder: paths are absolute.
    """
    page, here = (ROOT / "docs" / name).read_text("utf-8"), f"{Path.cwd()}/"
    pairs = re.findall(r"^```sh\n([^`]*)^```\n\n```text\n(.*?)^```", page, re.M | re.S)
    assert pairs
    for command, shown in pairs:
        words = shlex.split(command.splitlines()[0], comments=True)[1:]
        output = run(*(f"{here}{word}" if word.startswith("demo/") else word for word in words))
        printed = flat(output.out + output.err).replace(here, "")
        lines = [flat(line) for line in shown.splitlines() if line.strip() != "…"]
        assert [line for line in lines if line not in printed] == []
