"""The tables of each command at 80, 100 and 140 columns: nothing is cut; piped, names are whole."""

import sys
from pathlib import Path

import pyarrow as pa
import pytest
from rich.text import Text

from spark.fleet import write_store
from tests.support.terminal import in_terminal
from tests.support.tiers import tiered

BEFORE, NOW = "20261121T050000Z", "20261121T060000Z"

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
