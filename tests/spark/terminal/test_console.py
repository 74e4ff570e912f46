"""What commands print."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from spark.glossary import legend_of
from spark.terminal.console import plain, say
from spark.terminal.printing import Layout, Printing, print_list, printed, show

ROWS = [
    {"strategy": "range", "worst_max_to_mean": 2.0, "moves": 12345, "proven": False, "note": None},
    {"strategy": "op\ttimal", "worst_max_to_mean": None, "moves": 0, "proven": True, "note": "x"},
]


def test_a_table_for_people(capsys: pytest.CaptureFixture[str]) -> None:
    show({"fleet": ROWS}, hide={"note"})
    out = capsys.readouterr().out
    lines = [line.split() for line in out.splitlines() if line.split()]
    assert lines[0] == ["fleet"]
    assert ["range", "2", "12,345", "no"] in lines
    assert ["op\\x09timal", "-", "0", "yes"] in lines
    assert "note" not in out


def test_all_tables_are_one_json_object(capsys: pytest.CaptureFixture[str]) -> None:
    """With every column, and nothing else on standard output."""
    with printed(Printing(Layout.JSON)):
        show({"fleet": ROWS, "groups": []}, hide={"note"})
    assert json.loads(capsys.readouterr().out) == {"fleet": ROWS, "groups": []}


def test_a_table_without_rows(capsys: pytest.CaptureFixture[str]) -> None:
    show({"groups": []})
    assert capsys.readouterr().out == "groups: none\n"


def test_names_keep_their_brackets(capsys: pytest.CaptureFixture[str]) -> None:
    """Nothing in a name is taken for markup."""
    show({"t": [{"group": "[red]x[/red]"}]})
    say("[bold]y")
    printed = capsys.readouterr()
    assert "[red]x[/red]" in printed.out
    assert printed.err == "[bold]y\n"


def test_a_sentence_is_one_line_on_standard_error(capsys: pytest.CaptureFixture[str]) -> None:
    say("a" * 200 + "\nb\x1b[2Jc")
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err == "a" * 200 + "\\x0ab\\x1b[2Jc\n"


def test_plain_text_keeps_what_can_be_printed() -> None:
    assert plain("naïve 日本 'x'") == "naïve 日本 'x'"


def test_long_names_in_sentences_are_folded(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None]
) -> None:
    """Nothing of them is left out."""
    narrow(40)
    print_list("moves", [f"{'m' * 90} keeps all."])
    printed = capsys.readouterr().out
    assert printed.count("m") == 91
    assert "…" not in printed


NAME = "consumer-search-index-document-alerts-1"
NAMED = [{"group": NAME, "member": f"{NAME}-{NAME}", "partitions_that_move": 1234}]


def test_names_are_whole_where_nobody_sees_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    """For `grep` and for files: each row and each sentence is a line."""
    show({"t": NAMED})
    print_list("why", [f"{NAME} is the name of a group. " * 10])
    printed = capsys.readouterr().out
    (row,) = [line for line in printed.splitlines() if "1,234" in line]
    assert row.split() == [NAME, f"{NAME}-{NAME}", "1,234"]
    assert len([line for line in printed.splitlines() if "is the name" in line]) == 1


@pytest.mark.parametrize("width", [40, 60, 80, 100, 140])
def test_names_lose_their_middle_where_a_terminal_is_narrow(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None], width: int
) -> None:
    """They are never broken; and whole where people want the table wide."""
    narrow(width)
    show({"t": NAMED})
    lines = capsys.readouterr().out.splitlines()
    assert all(len(line) <= width for line in lines)
    (row,) = [line.split() for line in lines if "1,234" in line]
    for cell, name in zip(row, (NAME, f"{NAME}-{NAME}"), strict=False):
        begins, shortened, ends = cell.partition("…")
        assert name.startswith(begins) and name.endswith(ends)
        assert shortened or cell == name
    with printed(Printing(Layout.WIDE)):
        show({"t": NAMED})
    assert f"{NAME}-{NAME}" in capsys.readouterr().out


def test_words_wrap_where_names_are_shortened(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None]
) -> None:
    narrow(40)
    rows = [{"group": "g" * 24, "member": "m" * 24, "fault": "f" * 24 + " it is", "count": 7654321}]
    show({"t": rows})
    printed = capsys.readouterr().out
    assert "7,654,321" in printed
    assert "it is" in " ".join(printed.split())
    assert all(len(line) <= 40 for line in printed.splitlines())


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_name_is_no_formula_to_a_spreadsheet(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    with printed(Printing(Layout.CSV)):
        show({"t": [{"group": name, "moves": -1}]})
    cell, number = capsys.readouterr().out.splitlines()[1].split(",")
    assert (cell[0] in "'\\", number) == (True, "-1")


def test_a_table_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    """All columns, names in full, and nothing else on standard output."""
    with printed(Printing(Layout.CSV)):
        show(
            {"fleet": [{"group": 'a,"b"\n', "moves": 1234, "excess": None}]},
            {"moves"},
        )
        print_list("moves", ["None."])
    assert capsys.readouterr().out == 'group,moves,excess\n"a,""b""\\x0a",1234,\n'


def test_one_word_is_explained_below_tables(capsys: pytest.CaptureFixture[str]) -> None:
    show({"fleet": [{"excess": 3, "stopped_eager": 7}], "more": [{"excess": 0}]})
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("excess: partitions of a group's most loaded member") == 1
    assert "stopped:" not in out


def test_tables_have_one_legend_line_at_most() -> None:
    assert legend_of(["cluster", "members"]) is None
    line = legend_of(["moves", "max_to_mean", "uneven groups", "takeovers"])
    assert line == "uneven: a group's largest load is above the best possible one."


def test_names_that_differ_in_each_row_give_way_first(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None]
) -> None:
    """A cluster's name stays whole beside groups' names, of which enough is left."""
    narrow(42)
    clusters = ["analytics-eu-west", "analytics-eu-west", "legacy-dc1"]
    rows = [{"cluster": item, "group": f"orders-line-{n}-x"} for n, item in enumerate(clusters)]
    show({"t": [row | {"moves": 123 + n} for n, row in enumerate(rows)]})
    printed = capsys.readouterr().out
    assert printed.count("analytics-eu-west") == 2
    assert printed.count("…") == 3


def test_what_all_rows_say_makes_room_for_names(
    capsys: pytest.CaptureFixture[str], narrow: Callable[[int], None]
) -> None:
    """It is a line below the table, and still a column where the table fits."""
    rows = [{"group": f"orders-line-{n}-archiver", "could": "sticky", "moves": n} for n in range(3)]
    narrow(34)
    show({"t": rows})
    printed = capsys.readouterr().out
    assert all(row["group"] in printed for row in rows)
    assert printed.count("sticky") == 1
    assert 'In all rows "could" is sticky.' in printed
    narrow(80)
    show({"t": rows})
    assert capsys.readouterr().out.count("sticky") == 3
