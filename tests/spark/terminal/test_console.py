"""What commands print."""

import json
from collections.abc import Callable, Collection
from typing import Any

import pytest

from spark.glossary import GLOSSARY, legend_of
from spark.terminal.console import plain, say
from spark.terminal.printing import Layout, Printing, print_list, printed, show

ROWS = [
    {"strategy": "range", "worst_max_to_mean": 2.0, "moves": 12345, "proven": False, "note": None},
    {"strategy": "op\ttimal", "worst_max_to_mean": None, "moves": 0, "proven": True, "note": "x"},
]
NAME = "consumer-search-index-document-alerts-1"
NAMED = {"t": [{"group": NAME, "member": f"{NAME}-{NAME}", "partitions_that_move": 1234}]}

Shown = Callable[..., str]
Narrow = Callable[[int], None]


@pytest.fixture
def shown(capsys: pytest.CaptureFixture[str]) -> Shown:
    """What is on standard output of these tables, and of sentences below them."""

    def shown(
        tables: dict[str, Any],
        hide: Collection[str] = (),
        layout: Layout = Layout.FITTING,
        sentences: tuple[str, ...] = (),
    ) -> str:
        with printed(Printing(layout)):
            show(tables, hide)
            if sentences:
                print_list("sentences", sentences)
        output = capsys.readouterr()
        assert output.err == ""
        return output.out

    return shown


def test_a_table_for_people(shown: Shown) -> None:
    out = shown({"fleet": ROWS}, {"note"})
    lines = [line.split() for line in out.splitlines() if line.split()]
    assert lines[0] == ["fleet"]
    assert ["range", "2", "12,345", "no"] in lines
    assert ["op\\x09timal", "-", "0", "yes"] in lines
    assert "note" not in out
    assert shown({"groups": []}) == "groups: none\n"
    all_tables = shown({"fleet": ROWS, "groups": []}, {"note"}, Layout.JSON)
    assert json.loads(all_tables) == {"fleet": ROWS, "groups": []}


def test_a_table_as_csv_has_all_columns_and_names_in_full(shown: Shown) -> None:
    rows = [{"group": 'a,"b"\n', "moves": 1234, "excess": None}]
    out = shown({"fleet": rows}, {"moves"}, Layout.CSV, sentences=("None.",))
    assert out == 'group,moves,excess\n"a,""b""\\x0a",1234,\n'


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_name_is_no_formula_to_a_spreadsheet(shown: Shown, name: str) -> None:
    out = shown({"t": [{"group": name, "moves": -1}]}, layout=Layout.CSV)
    cell, number = out.splitlines()[1].split(",")
    assert (cell[0] in "'\\", number) == (True, "-1")


def test_a_sentence_is_one_line_on_standard_error_without_markup(
    capsys: pytest.CaptureFixture[str], shown: Shown
) -> None:
    say("a" * 200 + "\nb\x1b[2Jc")
    say("[bold]y")
    printed = capsys.readouterr()
    assert printed == ("", "a" * 200 + "\\x0ab\\x1b[2Jc\n[bold]y\n")
    assert "[red]x[/red]" in shown({"t": [{"group": "[red]x[/red]"}]})
    assert plain("naïve 日本 'x'") == "naïve 日本 'x'"


def test_names_are_whole_where_nobody_sees_a_terminal(shown: Shown) -> None:
    """For `grep` and for files: each row and each sentence is a line."""
    lines = shown(NAMED, sentences=(f"{NAME} is the name of a group. " * 10,)).splitlines()
    (row,) = [line for line in lines if "1,234" in line]
    assert row.split() == [NAME, f"{NAME}-{NAME}", "1,234"]
    assert len([line for line in lines if "is the name" in line]) == 1


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_names_lose_their_middle_where_a_terminal_is_narrow(
    shown: Shown, narrow: Narrow, width: int
) -> None:
    """They are never broken; and whole where people want the table wide."""
    narrow(width)
    lines = shown(NAMED).splitlines()
    assert all(len(line) <= width for line in lines)
    (row,) = [line.split() for line in lines if "1,234" in line]
    for cell, name in zip(row, (NAME, f"{NAME}-{NAME}"), strict=False):
        begins, shortened, ends = cell.partition("…")
        assert name.startswith(begins) and name.endswith(ends)
        assert shortened or cell == name
    assert f"{NAME}-{NAME}" in shown(NAMED, layout=Layout.WIDE)


def test_words_wrap_where_names_are_shortened(shown: Shown, narrow: Narrow) -> None:
    """Of long names in sentences nothing is left out."""
    narrow(40)
    rows = [{"group": "g" * 24, "member": "m" * 24, "fault": "f" * 24 + " it is", "count": 7654321}]
    out = shown({"t": rows})
    assert "7,654,321" in out
    assert "it is" in " ".join(out.split())
    assert all(len(line) <= 40 for line in out.splitlines())
    folded = shown({}, sentences=(f"{'x' * 90} keeps all.",))
    assert (folded.count("x"), "…" in folded) == (90, False)


def test_what_all_rows_say_makes_room_for_names(shown: Shown, narrow: Narrow) -> None:
    """It is a line below the table where that isn't about it, and a column where the table fits."""
    rows = [{"group": f"orders-line-{n}-x", "cluster": "c", "could": "sticky"} for n in range(3)]
    narrow(25)
    out = shown({"t": rows})
    assert all(row["group"] in out for row in rows)
    assert out.count("sticky") == 3
    assert 'In all rows "cluster" is c.' in " ".join(out.split())
    narrow(80)
    assert "In all rows" not in shown({"t": rows})


def test_one_word_is_explained_below_tables(shown: Shown) -> None:
    """Tables have one legend line at most."""
    out = shown({"fleet": [{"excess": 3, "stopped_eager": 7}], "more": [{"excess": 0}]})
    out = " ".join(out.split())
    assert out.count("excess: partitions of a group's most loaded member") == 1
    assert "stopped:" not in out
    assert legend_of(["cluster", "members"]) is None
    line = legend_of(["moves", "max_to_mean", "uneven groups", "takeovers"])
    assert line == f"uneven: {GLOSSARY['uneven']}."
