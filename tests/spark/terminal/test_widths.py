"""The tables of each command at 80, 100 and 140 columns: nothing is cut; piped, names are whole."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from rich.text import Text

from spark.fleet import write_store
from spark.terminal import console, printing
from tests.support.said import Run
from tests.support.terminal import in_terminal
from tests.support.tiers import tiered

BEFORE, NOW = "20261121T050000Z", "20261121T060000Z"

COMMANDS = {
    "plan": ("--out", "{out}/plan"),
    "audit": ("--all",),
    "compare": ("--out", "{out}/compare", "--strategies", "current,cooperative-sticky,optimal"),
    "history": ("--out", "{out}/history"),
    "members": ("--all",),
    "rates": ("--out", "{out}/rates"),
    "whatif": ("--event", "rolling-restart=30s", "--strategies", "current,optimal"),
}

END = "--- the end of a command ---"

ONE_BY_ONE = """
import sys
from evenfleet.command import main
for words in {commands}:
    sys.argv[1:] = words
    try:
        main()
    except SystemExit as ended:
        assert not ended.code
        print("{end}")
"""
"""A program that runs commands, as loading it takes longer than they do."""


@pytest.mark.parametrize("name", tiered([*COMMANDS], 1))
def test_tables_fit_each_terminal_and_are_whole_when_piped(
    run: Run,
    narrow: Callable[[int], None],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    demo_tables: dict[str, pa.Table],
    tmp_path: Path,
    name: str,
) -> None:
    for snapshot in (BEFORE, NOW):
        write_store(demo_tables, tmp_path / "store", snapshot)
    drawn: list[tuple[Any, ...]] = []
    draw = printing.draw

    def drawing(*of: Any) -> Any:
        drawn.append(of)
        return draw(*of)

    monkeypatch.setattr(printing, "draw", drawing)
    words = [word.format(out=tmp_path) for word in COMMANDS[name]]
    output = run(name, tmp_path / "store", *words)
    assert (output.code, bool(drawn)) == (0, True), output.err
    assert output.err.rstrip().splitlines()[-1].startswith("Next: evenfleet ")
    for title, rows, hide, *_ in drawn:
        for row in rows:
            assert "group" in hide or row.get("group", "") in output.out
        for width in (80, 100, 140):
            narrow(width)
            capsys.readouterr()
            console.draw(title, rows, hide, len(rows) * 9)
            lines = capsys.readouterr().out.splitlines()
            assert [line for line in lines if len(line) > width] == []
            assert not [line for line in lines if line.startswith("  ┃")]


@pytest.mark.parametrize("width", tiered([80, 100, 140], 1))
def test_a_real_terminal(demo_tables: dict[str, pa.Table], tmp_path: Path, width: int) -> None:
    """No line of tables or sentences is longer than the terminal is wide, and no word is cut."""
    write_store(demo_tables, tmp_path / "store", NOW)
    row = demo_tables["groups"].to_pylist()[0]
    one_group = ["--group", row["group"], "--cluster", row["cluster"]]
    options = {"snapshots": [], "explain": one_group, "frontier": one_group}
    commands = [[name, str(tmp_path / "store"), *more] for name, more in options.items()]
    words = [sys.executable, "-c", ONE_BY_ONE.format(commands=commands, end=END)]
    shown = Text.from_ansi(in_terminal(words, width)).plain
    *parts, rest = shown.split(END)
    assert (len(parts), rest.strip()) == (len(options), "")
    for name, part in zip(options, parts, strict=True):
        long = [line for line in part.splitlines() if len(line) > width]
        assert [line for line in long if not line.startswith("Next: ")] == []  # which is pasted
        assert f"Snapshot {NOW} of " in part or name == "snapshots", part
        assert row["group"] in "".join(part.split()) or name == "snapshots"
