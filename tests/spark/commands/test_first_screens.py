"""What a person sees at first on a terminal of 80 columns and 24 lines."""

import math
import shutil
from collections.abc import Callable, Collection, Iterator
from datetime import UTC, datetime
from io import StringIO
from pathlib import Path
from tempfile import mkdtemp

import pytest
from rich.console import Console
from rich.text import Text

from spark.demo import make_history, most_uneven
from spark.fleet import write_store
from spark.terminal import console, printing
from tests.support.said import Run, flat
from tests.support.tiers import tiered

WIDTH, HEIGHT = 80, 24

COMMANDS = {
    "plan": ("--out", "{out}/plan"),
    "audit": ("--no-history",),
    "compare": (),
    "explain": ("--group", "{group}", "--cluster", "{cluster}"),
    "verify": ("{out}/plan",),
    "members": (),
    "reassign": ("--cluster", "{cluster}", "--out", "{out}/moves"),
    "rollout": ("--to", "cooperative-sticky"),
    "scale": (),
    "simulate": ("--group", "{group}", "--cluster", "{cluster}", "--scenario", "rolling-deploy"),
    "whatif": ("--event", "rolling-restart=30s"),
    "replay": ("--strategies", "current,cooperative-sticky,optimal"),
    "history": (),
    "rates": (),
    "graph": (),
    "report": ("--out", "{out}/report.html"),
    "snapshots": (),
}
ANSWERS_ALONE = ("verify", "report")
"""Commands of which a sentence is all, where nothing is wrong."""

HOURS = 3

Store = tuple[Path, str, str]
"""A short folder with a store in it, and one of its groups: cluster and name."""


@pytest.fixture(scope="session")
def short() -> Iterator[Callable[[], Path]]:
    """Makes folders whose names are as short as those that people have."""
    made: list[Path] = []

    def folder() -> Path:
        made.append(Path(mkdtemp(prefix="e", dir="/tmp")))
        return made[-1]

    yield folder
    for path in made:
        shutil.rmtree(path)


@pytest.fixture(scope="session")
def demo_store(short: Callable[[], Path]) -> Store:
    """Three hours of a fleet, and its most uneven group."""
    folder = short()
    newest = f"{datetime.now(UTC):%Y%m%dT%H}0000Z"
    for snapshot, tables in make_history(40, 1).snapshots(newest, HOURS):
        write_store(tables, folder / "store", snapshot)
    return folder, *most_uneven(tables)


@pytest.fixture(scope="session")
def torture_store(torture: Path, short: Callable[[], Path]) -> Store:
    folder = short()
    (folder / "store").symlink_to(torture)
    return folder, "west", "lopsided"


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> StringIO:
    """A terminal on which tables and sentences come in their order."""
    shown = StringIO()
    for name in ("OUT", "ERR"):
        terminal = Console(
            file=shown, force_terminal=True, width=WIDTH, height=HEIGHT, highlight=False
        )
        monkeypatch.setattr(console, name, terminal)
    monkeypatch.setattr("spark.terminal.progress.is_held", lambda: True)  # no bar of progress
    return shown


@pytest.mark.parametrize("name", tiered([*COMMANDS], 2))
@pytest.mark.parametrize("store", ["demo_store", "torture_store"])
def test_it_has_the_verdict_the_worst_and_what_to_do_next(
    run: Run,
    request: pytest.FixtureRequest,
    monkeypatch: pytest.MonkeyPatch,
    screen: StringIO,
    store: str,
    name: str,
) -> None:
    folder, cluster, group = request.getfixturevalue(store)
    if name == "verify" and not (folder / "plan").exists():
        run("plan", folder / "store", "--out", folder / "plan")
        screen.truncate(screen.seek(0))
    answers: list[str] = []
    monkeypatch.setattr(printing, "keep_answer", answers.append)
    words = (word.format(out=folder, group=group, cluster=cluster) for word in COMMANDS[name])
    output = run(name, folder / "store", *words)
    assert output.code == 0, screen.getvalue()
    text = Text.from_ansi(screen.getvalue()).plain
    *lines, following = text.splitlines()
    assert following.startswith("Next: ")
    assert max(map(len, lines)) <= WIDTH
    assert len(lines) + math.ceil(len(following) / WIDTH) <= HEIGHT, text
    begins = flat(text).find(flat(answers[0])[:WIDTH])
    assert 0 <= begins <= 2 * WIDTH, text  # notes on files that were left out come first
    assert len(lines) > len(answers[0]) // WIDTH + 2 or name in ANSWERS_ALONE, text


@pytest.mark.parametrize(
    "name", tiered([name for name in COMMANDS if name not in ANSWERS_ALONE], 2)
)
def test_wide_prints_all_columns_of_each_table(
    run: Run, torture_store: Store, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    folder, cluster, group = torture_store
    tables: list[printing.Table] = []
    show = printing.Printing.show

    def keep(
        of: printing.Printing, shown: dict[str, printing.Table], hide: Collection[str]
    ) -> None:
        tables.extend(shown.values())
        show(of, shown, hide)

    monkeypatch.setattr(printing.Printing, "show", keep)
    words = (word.format(out=folder, group=group, cluster=cluster) for word in COMMANDS[name])
    output = run(name, folder / "store", *words, "--wide")
    assert output.code == 0, output.err
    drawn = [table.rows for table in tables if table.is_shown and table.rows]
    headers = [" ".join(rows[0]) for rows in drawn if isinstance(rows[0], dict)]
    assert headers
    for header in headers:
        assert header.replace("_", " ") in flat(output.out)
