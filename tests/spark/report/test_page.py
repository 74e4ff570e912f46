"""The page and the short form: what they say, and that no name breaks them."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from typing import Any

import pytest

from spark.report import Material, html_of, markdown_of
from tests.spark.report import materials


class Read(HTMLParser):
    """What a browser would read: tags with their attributes, cells of tables, all text.

    `told` has what stands beside each term: figures, and what words mean.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.tables: list[list[list[str]]] = []
        self.text: list[str] = []
        self.told: dict[str, str] = {}
        self._in_cell = False
        self._pair = ["", ""]
        self._part: int | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")
            self._in_cell = True
        elif tag in ("dt", "dd"):
            self._part = ("dt", "dd").index(tag)
            self._pair[self._part] = ""

    def handle_endtag(self, tag: str) -> None:
        self._in_cell &= tag not in ("td", "th")
        if tag in ("dt", "dd"):
            self._part = None
            self.told[self._pair[0]] = self._pair[1]

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._in_cell:
            self.tables[-1][-1][-1] += data
        if self._part is not None:
            self._pair[self._part] += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def test_the_verdict_comes_first_and_three_things_to_do() -> None:
    text = "".join(Read(html_of(materials.material())).text)
    verdict, first = text.index("in need of care"), text.index("Do this about 1.")
    assert verdict < first < text.index("The fleet in figures", verdict)
    assert text.count("Do this about 3.") == 2  # once to do, once in the table


def test_figures_are_those_of_the_tables() -> None:
    made = materials.material()
    tables = {table[0][0]: table for table in Read(html_of(made)).tables}
    rows = [[cell.replace(",", "") for cell in row] for row in tables["strategy"][1:]]
    keys = ("strategy", "groups", "not_evaluated", "unbalanced", "worst_max_to_mean", "excess")
    assert [row[:6] for row in rows] == [
        [f"{row[key]:.2f}" if isinstance(row[key], float) else str(row[key]) for key in keys]
        for row in made.league
    ]
    assert [row[3] for row in tables["severity"][1:]] == [row["sentence"] for row in made.findings]
    assert tables["finding"][1:] == [["kind-1", "0", "3", "0"]]


def test_commands_in_sentences_are_set_as_such() -> None:
    page = html_of(materials.material(verdict="Ask `evenfleet plan` of <b>`"))
    assert "Ask <code>evenfleet plan</code> of &lt;b&gt;`" in page


def test_what_changed_since_the_snapshot_before() -> None:
    text = "".join(Read(html_of(materials.material())).text)
    assert "members14 in the snapshot before 15" in text
    assert "lag (records)2.5 million" in text


def test_what_a_crash_does_and_what_moves_buy() -> None:
    read = Read(html_of(materials.material()))
    text = "".join(read.text)
    assert "Its lag is 12 records." in text
    assert "Partitions were unread for 90.0 seconds in all." in text
    labels = " ".join(str(one.get("aria-label")) for one in read.named("div"))
    assert "2 moves bring it to 2." in labels
    assert "90.0 partition-seconds in all" in labels


@pytest.mark.parametrize("static", [False, True])
def test_no_name_breaks_the_page(static: bool) -> None:
    page = html_of(materials.hostile(), static)
    read = Read(page)
    assert len(read.named("script")) == (not static)
    assert "alert(1)" in "".join(read.text)
    assert not {"\u202e", "\u200f"} & {*page}
    assert "x" * 300 not in page


def test_nothing_is_fetched() -> None:
    read = Read(html_of(materials.hostile()))
    policies = [one["content"] for one in read.named("meta") if "http-equiv" in one]
    assert [str(one).split(";")[0] for one in policies] == ["default-src 'none'"]
    links = [one.get("href") for tag in ("a", "link") for one in read.named(tag)]
    assert all(str(link).startswith(("#", "data:,")) for link in links)
    assert not [tag for tag, attributes in read.tags if "src" in attributes]


@pytest.mark.parametrize("make", [materials.empty, materials.with_a_past, materials.many_findings])
def test_every_fleet_has_a_page(make: Any) -> None:
    made: Material = make()
    read = Read(html_of(made))
    assert made.verdict in "".join(read.text)
    assert len(read.named("h1")) == 1


def test_what_isnt_shown_is_told() -> None:
    assert "These are the worst 500 of 10,000." in html_of(materials.many_findings())


def test_the_short_form() -> None:
    lines = markdown_of(materials.material()).splitlines()
    assert lines[0] == "# Consumer groups"
    assert any(line.startswith("1. Group orders has trouble 1") for line in lines)
    assert any(line.startswith("| optimal | 7 | 1 | 0 | 1.50 | 0 | 17 |") for line in lines)
    assert not any("kind-1" in line for line in lines)


def test_no_name_breaks_the_short_form() -> None:
    text = markdown_of(materials.hostile())
    assert not re.search(r"(?<!\\)<|(?<!\\)\[x", text)
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in tables} == {11}
