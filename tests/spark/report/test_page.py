"""The page and the short form: what they say, and that no name breaks them."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from typing import Any

import pytest

from optimizer.model import Goals
from spark.report import Material, html_of, markdown_of
from spark.report.material import goals_text
from spark.report.sections.groups import advice_of
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
        self.summaries: list[str] = []
        self._tag = ""
        self._in_cell = False
        self._pair = ["", ""]
        self._part: int | None = None
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "summary":
            self.summaries.append("")
            self._tag = tag
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
        if tag == self._tag:
            self._tag = ""
        if tag in ("dt", "dd"):
            self._part = None
            self.told[self._pair[0]] = self._pair[1]

    def handle_data(self, data: str) -> None:
        self.text.append(data)
        if self._tag:
            self.summaries[-1] += data
        if self._in_cell:
            self.tables[-1][-1][-1] += data
        if self._part is not None:
            self._pair[self._part] += data

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def _ratios(now: float, cooperative: float) -> list[dict[str, Any]]:
    """The largest loads by weight ÷ the bound."""
    ratios = {"current": now, "cooperative-sticky": cooperative, "optimal": 1.0}
    return [{"strategy": name, "ratio": ratio} for name, ratio in ratios.items()]


def test_the_verdict_comes_first_and_three_things_to_do() -> None:
    read = Read(html_of(materials.material()))
    text = "".join(read.text)
    verdict, first = text.index("in need of care"), text.index("Do this about 1.")
    assert verdict < first < text.index("Strategies", verdict)
    assert text.count("Do this about 3.") == 1
    assert "evenfleet explain store --cluster prod --group orders" in text
    row = next(item["id"] for item in read.named("tr") if "id" in item)
    assert f"#{row}" in [item["href"] for item in read.named("a")]


def test_figures_are_those_of_the_tables() -> None:
    made = materials.material()
    read = Read(html_of(made))
    (league,) = (table[2:] for table in read.tables if table[1][:1] == ["strategy"])
    keys = ("unbalanced", "excess", "moves", "stopped_eager", "stopped_cooperative")
    assert league == [
        [row["strategy"], "7 of 8", *(str(row[key]) for key in keys)] for row in made.league
    ]
    assert [summary.split() for summary in read.summaries if "kind-" in summary] == [
        ["kind-1", "3", "warnings"]
    ]
    text = "".join(read.text)
    assert all(row["sentence"] in text for row in made.findings if row["finding"] == "kind-1")
    (groups,) = (table[1:] for table in read.tables if table[0][0] == "group")
    cells = [["4 → 2", "2", "12", "kind-1"], ["2 → 2", "2", "12", ""]]
    assert [row[1:5] for row in groups] == cells


def test_commands_in_sentences_are_set_as_such() -> None:
    page = html_of(materials.material(verdict="Ask `evenfleet plan` of <b>`"))
    assert "Ask <code>evenfleet plan</code> of &lt;b&gt;`" in page


def test_what_changed_since_the_snapshot_before() -> None:
    read = Read(html_of(materials.material()))
    assert read.told["Groups to even out"].startswith("5 of 8+2 since the snapshot before")
    assert "unchanged" in read.told["Idle members that could have work"]
    assert read.told["Lag (records)"].startswith("2.5 millionno earlier snapshot")
    assert "8 groups, 14 members (snapshot before: 7 groups, 15 members)" in "".join(read.text)


@pytest.mark.parametrize(
    ("made_at", "age", "is_stale"),
    [
        ("2026-11-21 06:01 UTC", "1 minute old", False),
        ("2026-11-22 06:00 UTC", "1 day old", False),
        ("2026-11-23 06:00 UTC", "2 days old", True),
    ],
)
def test_the_age_of_the_snapshot_is_told(made_at: str, age: str, is_stale: bool) -> None:
    page = html_of(materials.material(made_at=made_at))
    assert f">{age}</span>" in page
    assert ('class="stale"' in page) == is_stale


def test_what_a_crash_does_and_what_moves_buy() -> None:
    read = Read(html_of(materials.material()))
    text = "".join(read.text)
    assert "Its lag is 12 records." in text
    assert "Partitions were unread for 90.0 seconds in all." in text
    (points,) = (table[1:] for table in read.tables if table[0] == ["moves", "largest load"])
    assert points == [["0", "4"], ["2", "2 (most for its moves)"]]


@pytest.mark.parametrize(
    ("changes", "advice"),
    [
        ({}, "cooperative-sticky"),
        ({"strategy": "range", "type": "Consumer"}, "uniform"),
        ({"strategy": "range", "type": "classic"}, "cooperative-sticky"),
        ({"answers": [{"strategy": "current", "excess": 0, "moves": 0}]}, "keep"),
        ({"answers": [{"strategy": "current", "excess": 1, "moves": 0}]}, "plan"),
        ({"answers": None}, None),
        ({"kind": "connect"}, None),
        ({"weights": _ratios(1.6, 1.1)}, "cooperative-sticky"),
        ({"weights": _ratios(1.6, 1.5)}, "plan by weight"),
    ],
)
def test_the_cheapest_cure_that_suffices_is_advised(changes: Any, advice: str | None) -> None:
    assert advice_of(materials.row(**changes)) == advice


@pytest.mark.parametrize("static", [False, True])
def test_no_name_breaks_the_page(static: bool) -> None:
    page = html_of(materials.hostile(), static)
    read = Read(page)
    assert [item.get("type") for item in read.named("script")] == (
        [] if static else ["application/json", None]
    )
    data = re.search('<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert static or (data and len(json.loads(data[1])["loads"]) == 2)
    assert "alert(1)" in "".join(read.text)
    assert not {"\u202e", "\u200f"} & {*page}
    assert "x" * 300 not in page


def test_nothing_is_fetched() -> None:
    read = Read(html_of(materials.hostile()))
    policies = [item["content"] for item in read.named("meta") if "http-equiv" in item]
    assert [str(policy).split(";")[0] for policy in policies] == ["default-src 'none'"]
    links = [item.get("href") for tag in ("a", "link") for item in read.named(tag)]
    assert all(str(link).startswith(("#", "data:,")) for link in links)
    assert not [tag for tag, attributes in read.tags if "src" in attributes]


@pytest.mark.parametrize("make", [materials.empty, materials.with_a_past, materials.many_findings])
def test_every_fleet_has_a_page(make: Any) -> None:
    made: Material = make()
    read = Read(html_of(made))
    assert made.verdict in "".join(read.text)
    assert len(read.named("h1")) == 1


def test_what_isnt_shown_is_told() -> None:
    text = "".join(Read(html_of(materials.many_findings())).text)
    assert "The worst 500 of 10,000 are listed." in text
    assert "9,875 more: evenfleet audit --out writes all." in text


def test_a_large_fleet_has_a_small_page() -> None:
    """300 groups are at most 400 kB, 2,000 at most 2 MB; each row has what the demo's have."""
    member = "consumer-{}-{:08x}-3940-4fea-acc0-dbdc52df3c80"
    kinds = ("unbalanced-weight", "cross-rack-reads", "hot-partition", "one-leader")
    for count, most in ((300, 400_000), (2_000, 2_000_000)):
        names = [f"payments-settlement-enricher-{at}" for at in range(count)]
        rows = [
            materials.row(
                name,
                members=15,
                lag=1_234_567,
                rebalances=1.5,
                weights=_ratios(1.6, 1.5),
                found=[{"severity": "info", "finding": name} for name in kinds],
                loads=[
                    {"now": m, "planned": 7, "member": member.format(name, m * 99_999_999)}
                    for m in range(15)
                ],
            )
            for name in names
        ]
        long = "says what is wrong with it, in which topic, since when and how far behind it is. "
        result = [
            materials.finding(at, name=names[at % count])
            | {"sentence": f"Group {names[at % count]} {long * 2}", "advice": long}
            for at in range(min(500, count))
        ]
        assert len(html_of(materials.material(groups=rows, findings=result)).encode()) <= most


def test_the_short_form() -> None:
    lines = markdown_of(materials.material()).splitlines()
    assert lines[0] == "# Consumer groups"
    assert any(line.startswith("1. Group orders has trouble 1") for line in lines)
    assert any(line.startswith("| optimal | 7 | 1 | 0 | 0 | 17 | 40 | 17 |") for line in lines)
    assert not any("kind-1" in line for line in lines)


def test_no_name_breaks_the_short_form() -> None:
    text = markdown_of(materials.hostile())
    assert not re.search(r"(?<!\\)<|(?<!\\)\[x", text)
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in tables} == {9}


def test_sizes_over_time_are_shown_where_scale_was_asked() -> None:
    made = materials.material(
        scaling=[materials.policy("evenfleet", 12.0), materials.policy("keda", 20.0)],
        sizes=[
            "Cheapest within the SLO: evenfleet in 2 groups.",
            "orders of prod: Set it.",
        ],
    )
    read = Read(html_of(made))
    (table,) = [rows for rows in read.tables if rows[0][0] == "policy"]
    assert table[1:] == [
        ["evenfleet", "12.5", "0", "3", "2", "1.2", "2"],
        ["keda", "12.5", "0", "3", "2", "2", "2"],
    ]
    assert "orders of prod: Set it." in "".join(read.text)
    without = Read(html_of(materials.material()))
    assert not [rows for rows in without.tables if rows[0][0] == "policy"]


def test_goals_are_named_that_arent_the_default() -> None:
    assert goals_text(Goals()) == "the default goals"
    assert goals_text(Goals(rack="any", min_gain=2.0)) == "the goals rack=any, min_gain=2.0"
