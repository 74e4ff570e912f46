"""What commands print."""

import json
from collections.abc import Callable, Collection
from typing import Any

import pytest

from spark.fleet import CONSUMER
from spark.glossary import GLOSSARY, legend_of
from spark.terminal import console
from spark.terminal.console import say
from spark.terminal.printing import Format, Printing, Table, by_kind, print_list, printing_as, show
from spark.text import plain

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
        form: Format = Format.TABLE,
        wide: bool = False,
        sentences: tuple[str, ...] = (),
    ) -> str:
        with printing_as(Printing(form, wide)):
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
    all_tables = shown({"fleet": ROWS, "groups": []}, {"note"}, Format.JSON)
    assert json.loads(all_tables)["tables"] == {"fleet": ROWS, "groups": []}


def test_a_table_as_csv_has_all_columns_and_names_in_full(shown: Shown) -> None:
    rows = [{"group": 'a,"b"\n', "moves": 1234, "excess": None}]
    out = shown({"fleet": rows}, {"moves"}, Format.CSV, sentences=("None.",))
    assert out == 'group,moves,excess\n"a,""b""\\x0a",1234,\n'


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_name_is_no_formula_to_a_spreadsheet(shown: Shown, name: str) -> None:
    out = shown({"t": [{"group": name, "moves": -1}]}, form=Format.CSV)
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
def test_names_wrap_where_a_terminal_is_narrow(shown: Shown, narrow: Narrow, width: int) -> None:
    """They go on in the next line, and nothing of them is left out."""
    narrow(width)
    lines = shown({"t": [{"group": f"{NAME}-{NAME}", "moves": 1234}]}).splitlines()
    assert all(len(line) <= width for line in lines)
    cells = [line.split() for line in lines[3:] if "─" not in line and line.strip()]
    assert "".join(cell[0] for cell in cells) == f"{NAME}-{NAME}"
    assert cells[-1][1] == "1,234"


def test_a_cluster_stands_above_its_group_where_both_have_no_room(
    shown: Shown, narrow: Narrow
) -> None:
    narrow(50)
    rows = [{"cluster": f"cluster-{n}", "group": NAME, "moves": n} for n in range(3)]
    lines = [line.split() for line in shown({"t": rows}).splitlines()]
    assert lines[lines.index(["cluster-1"]) + 1] == [NAME, "1"]


def test_words_wrap_and_nothing_is_left_out(shown: Shown, narrow: Narrow) -> None:
    narrow(40)
    rows = [{"group": "g" * 24, "member": "m" * 24, "fault": "f" * 24 + " it is", "count": 7654321}]
    out = shown({"t": rows})
    below = out.partition("─\n")[2]
    assert "7,654,321" in below
    assert [below.count(letter) for letter in "gmf"] == [24, 24, 24]
    assert all(len(line) <= 40 for line in out.splitlines())
    folded = shown({}, sentences=(f"{'x' * 90} keeps all.",))
    assert (folded.count("x"), "…" in folded) == (90, False)


def test_a_screen_has_as_many_rows_as_fit_and_says_how_many_are_left(
    monkeypatch: pytest.MonkeyPatch, narrow: Narrow, capsys: pytest.CaptureFixture[str]
) -> None:
    narrow(80)
    monkeypatch.setattr(console.OUT, "_height", 24)
    tables = {"first": Table([{"n": n} for n in range(40)]), "rest": Table(ROWS, is_detail=True)}
    with printing_as(Printing()):
        show(tables)
    output = capsys.readouterr()
    assert len(output.out.splitlines()) <= 24 - console.BELOW
    left = int(output.err.split()[2])
    assert f"Not shown: {left} rows of first (--all shows them).\n" == output.err
    assert f" {39 - left}" in output.out and f" {40 - left}" not in output.out
    with printing_as(Printing(everything=True)):
        show(tables)
    whole = capsys.readouterr().out
    assert " 39" in whole and "range" in whole


def test_a_comparison_shows_what_it_compares_where_a_screen_has_no_room(
    monkeypatch: pytest.MonkeyPatch, narrow: Narrow, capsys: pytest.CaptureFixture[str]
) -> None:
    """And a wide table has all of its columns, also those that people don't read elsewhere."""
    narrow(80)
    monkeypatch.setattr(console.OUT, "_height", 24)
    league = [{"kind": CONSUMER, "strategy": f"s{n}", "moves": n} for n in range(18)]
    people = [{"row": n} for n in range(3)]
    tables = by_kind("league", league) | {"groups": Table(league[:3], people, title="the worst")}
    with printing_as(Printing()):
        show(tables)
    output = capsys.readouterr()
    assert all(row["strategy"] in output.out for row in league)
    assert output.err == "Not shown: 3 rows of the worst (--all shows them).\n"
    with printing_as(Printing(wide=True)):
        show(tables)
    wide = capsys.readouterr().out
    assert "the worst" not in wide and len(wide.split("strategy")) == 3


@pytest.mark.parametrize(("room", "tries"), [(9, 9), (console.WIDE, 1)])
def test_a_long_table_is_laid_out_no_more_often_than_a_screen_has_lines(
    narrow: Narrow, room: int, tries: int
) -> None:
    narrow(80)
    sizes: list[int] = []

    def lay_out(items: list[str]) -> str:
        sizes.append(len(items))
        return "\n".join(items) + "\n" * 20

    console._print_first(lay_out, ["row"] * 20_000, room)
    assert len(sizes) == tries


def test_an_id_of_a_member_ends_in_a_uuid_that_a_terminal_shortens(
    shown: Shown, narrow: Narrow
) -> None:
    member = "orders-1-62c3a709-4028-4e16-a94c-035ec79788e8"
    assert member in shown({"t": [{"member": member}]})
    narrow(80)
    assert "orders-1-62c3a709…" in shown({"t": [{"member": member}]})
    assert member in shown({"t": [{"member": member}]}, wide=True)


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


def test_one_word_is_explained_below_tables_for_who_wants_all(
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Tables have one legend line at most."""
    tables = {"fleet": [{"excess": 3, "stopped_eager": 7}], "more": [{"excess": 0}]}
    with printing_as(Printing(everything=True)):
        show(tables)
    legend = capsys.readouterr().err
    assert legend.startswith("excess: partitions of a group's most loaded member")
    assert "stopped:" not in legend
    with printing_as(Printing()):
        show(tables)
    assert capsys.readouterr().err == ""
    assert legend_of(["cluster", "members"]) is None
    line = legend_of(["moves", "max_to_mean", "uneven groups", "takeovers"])
    assert line == f"uneven: {GLOSSARY['uneven']}."
