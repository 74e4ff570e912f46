"""The page and the short form: what is worked out for them, and that no name breaks them."""

import base64
import json
import re
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, TreeBuilder

import pytest
from pyspark.sql import SparkSession

from optimizer.model import Goals
from spark import FleetFiles, explain_group
from spark.audit import audit_fleet
from spark.report import Material, gather, html_of, markdown_of
from spark.report.groups import hosts_sentence
from spark.report.material import goals_text
from spark.report.sections.first import cards_of
from spark.report.sections.trend import trend
from spark.report.sums import worst_groups
from tests.spark.report import materials
from tests.support.fleets import Fleet

VOID = ("meta", "link", "input", "br", "img", "hr")


class Read(HTMLParser):
    """A page as a browser reads it: its elements, all text, and the cells of its tables.

    `told` has what stands beside each term: figures, and what words mean.
    """

    def __init__(self, page: str) -> None:
        super().__init__()
        self._builder = TreeBuilder()
        self.feed(page)
        self.tree = self._builder.close()
        self.text = _text(self.tree)
        self.tables = [
            [[_text(cell) for cell in row] for row in table.iter("tr")]
            for table in self.tree.iter("table")
        ]
        self.summaries = [*map(_text, self.tree.iter("summary"))]
        terms, meanings = (map(_text, self.tree.iter(tag)) for tag in ("dt", "dd"))
        self.told = dict(zip(terms, meanings, strict=True))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._builder.start(tag, {name: value or "" for name, value in attrs})
        if tag in VOID:
            self._builder.end(tag)

    def handle_endtag(self, tag: str) -> None:
        self._builder.end(tag)

    def handle_data(self, data: str) -> None:
        self._builder.data(data)

    def rows_of(self, first: str) -> list[list[str]]:
        """The rows of the only table whose columns begin so, below these."""
        (rows,) = (
            table[at + 1 :]
            for table in self.tables
            for at, row in enumerate(table[:2])
            if row[:1] == [first]
        )
        return rows


def data_of(page: str) -> dict[str, Any]:
    """What the script draws from."""
    (packed,) = re.findall(r'id="data">([^<]*)<', page)
    data: dict[str, Any] = json.loads(zlib.decompress(base64.b64decode(packed)))
    return data


def _text(element: Element) -> str:
    return "".join(element.itertext())


@pytest.fixture(scope="module")
def page() -> Read:
    return Read(html_of(materials.material()))


def test_the_verdict_comes_first_and_three_things_to_do(page: Read) -> None:
    verdict, first = page.text.index("in need of care"), page.text.index("Do this about 1.")
    assert verdict < first < page.text.index("Strategies", verdict)
    assert page.text.count("Do this about 3.") == 1
    assert "evenfleet explain store --cluster prod --group orders" in page.text
    assert "1 Do this about 1." in " ".join(page.text.split())
    row = next(item.get("id") for item in page.tree.iter("tr") if "id" in item.attrib)
    assert f"#{row}" in [item.get("href") for item in page.tree.iter("a")]


def test_figures_are_those_of_the_tables(page: Read) -> None:
    made = materials.material()
    keys = ("uneven", "excess", "moves")
    assert page.rows_of("strategy") == [
        [row["strategy"], "7 of 8", *(str(row[key]) for key in keys)] for row in made.league
    ]
    assert [summary.split() for summary in page.summaries if "kind-" in summary] == [
        ["kind-1", "3", "warnings"]
    ]
    assert all(row["sentence"] in page.text for row in made.findings if row["finding"] == "kind-1")
    cells = [["4 → 2", "2", "12", "kind-1"], ["2 → 2", "2", "12", ""]]
    assert [row[1:5] for row in page.rows_of("group")] == cells
    static, packed = Read(html_of(made, static=True)), data_of(html_of(made))
    assert static.rows_of("moves") == [["0", "4"], ["2", "2 (most for its moves)"]]
    for text in ("Its lag is 12 records.", "Partitions were unread for 90.0 seconds in all."):
        assert text in static.text
        assert text in "".join(packed["details"].values())


def test_a_card_is_one_group_and_each_cluster_has_its_own() -> None:
    """The kinds below stand in the same order, and say what they mean and how it is measured."""
    names = [("lag-on-one-member", "prod"), ("unbalanced", "prod"), ("claimed-twice", "test")]
    findings = [
        materials.finding(at, name=f"of-{cluster}") | {"finding": kind, "cluster": cluster}
        for at, (kind, cluster) in enumerate([*names, ("claimed-twice", "prod")])
    ]
    counts = [
        {"finding": kind, "critical": 0, "warning": at, "info": 0}
        for at, (kind, _) in enumerate(names, 1)
    ]
    made = materials.material(findings=findings, counts=counts, groups=[])
    cards = [(card["about"], card["finding"], card["more"]) for card in cards_of(made)]
    assert cards == [("of-prod", "lag-on-one-member", 0), ("of-test", "claimed-twice", 2)]
    page = Read(html_of(made))
    shown = [summary.split()[0] for summary in page.summaries if "warning" in summary]
    assert shown == ["lag-on-one-member", "unbalanced", "claimed-twice"]
    assert "One member has most of the group's lag. Measure: the member's share of" in page.text


def test_brokers_stand_in_one_table_on_one_scale() -> None:
    """Broker 1 of the first cluster is half above its mean, none of the second a hundredth."""
    of_cluster = {"status": "planned", "copies": 3, "leader_changes": 0}
    rows = [
        {
            "cluster": cluster,
            **of_cluster,
            "brokers": [
                {"broker": at, **dict(zip(materials.RANGES, (count, mean, 1, 1), strict=True))}
                for at, count in enumerate(counts, 1)
            ],
        }
        for cluster, mean, counts in (
            ("prod", 20, (30, 15, 15)),
            ("test", 1001, (1000, 1001, 1002)),
        )
    ]
    page = Read(html_of(materials.material(brokers=rows)))
    cells = "+50.0 → +0.0 %30 → 20", *["−25.0 → +0.0 %15 → 20"] * 2
    assert [row[1] for row in page.rows_of("broker")] == [*cells]
    assert "3 more brokers are nearer to their mean." in page.text
    even = [rows[1] | {"copies": 0}]
    assert "Brokers" not in Read(html_of(materials.material(brokers=even))).text


def test_a_trend_has_three_snapshots_and_marks_days() -> None:
    made = materials.with_a_past()
    assert "Trend" not in Read(html_of(replace(made, trend=made.trend[:2]))).text
    days = [f"2026-11-{day:02d}T06:00:00Z" for day in (1, 2, 3, 5)]
    rows = [row | {"instant": day} for row, day in zip(made.trend, days, strict=False)]
    view = trend(replace(made, trend=rows)) or {}
    assert view["data"]["shares"] == [0.0, 0.25, 0.5, 1.0]
    marks = [(mark["text"], mark["share"]) for mark in view["marks"]]
    days = [f"{day:02d} Nov" for day in (2, 3, 4, 5)]
    assert marks == [*zip(days, (0.1875, 0.4375, 0.6875, 0.9375), strict=True)]


def test_a_trend_of_a_year_by_the_hour_is_thinned_out() -> None:
    """No rebalance is lost, and the last snapshot is what it was."""
    made, first = materials.with_a_past(), datetime(2026, 1, 1, tzinfo=UTC)
    rows = [
        {**made.trend[at % 6], "instant": (first + timedelta(hours=at)).isoformat(), "excess": at}
        for at in range(365 * 24)
    ]
    view = trend(replace(made, trend=rows)) or {}
    _, excess, _, rebalances = view["data"]["values"]
    assert len(view["data"]["instants"]) == len(excess) <= 200
    assert (excess[-1], sum(rebalances)) == (rows[-1]["excess"], 365 * 12)


def test_commands_in_sentences_are_set_as_such() -> None:
    page = html_of(materials.material(verdict="Ask `evenfleet plan` of <b>`"))
    assert "Ask <code>evenfleet plan</code> of &lt;b&gt;`" in page


def test_what_changed_since_the_snapshot_before(page: Read) -> None:
    assert page.told["Groups to even out"].startswith("5 of 7+2 since the snapshot before")
    assert "unchanged" in page.told["Idle members that could have work"]
    assert page.told["Lag (records)"].startswith("2.5 millionno earlier snapshot")
    assert "8 groups, 14 members (snapshot before: 7 groups, 15 members)" in page.text


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


@pytest.mark.parametrize("static", [False, True])
def test_no_name_breaks_the_page_and_nothing_is_fetched(static: bool) -> None:
    text = html_of(materials.hostile(), static)
    page = Read(text)
    scripts = [*page.tree.iter("script")]
    assert [item.get("type") for item in scripts] == ([] if static else ["text/plain", "module"])
    data = {} if static else data_of(text)
    assert static or len(data["rows"]) == 2
    assert "<script" not in "".join(data.get("details", {}).values())
    assert "alert(1)" in page.text
    assert not {"\u202e", "\u200f"} & {*text}
    assert "x" * 300 not in text
    policies = [item.get("content", "") for item in page.tree.iter("meta")]
    assert [item for item in policies if item.startswith("default-src 'none';")]
    links = [item.get("href", "") for tag in ("a", "link") for item in page.tree.iter(tag)]
    assert all(link.startswith(("#", "data:,")) for link in links)
    assert not [item for item in page.tree.iter() if "src" in item.attrib]


@pytest.mark.parametrize(
    ("make", "texts"),
    [
        (materials.empty, []),
        (materials.with_a_past, ["groups with excess"]),
        (
            materials.many_findings,
            [
                "The worst 500 of 10,000 are listed.",
                "9,875 more: evenfleet audit --out writes all.",
            ],
        ),
    ],
)
def test_every_fleet_has_a_page(make: Callable[[], Material], texts: list[str]) -> None:
    made = make()
    page = Read(html_of(made))
    assert len([*page.tree.iter("h1")]) == 1
    assert all(text in page.text for text in (made.verdict, *texts))


def test_a_large_fleet_has_a_small_page() -> None:
    """300 groups are at most 400 kB, the 2,000 of a fleet of any size at most 3 MB."""
    for count, most in ((300, 400_000), (2_000, 3_000_000)):
        assert len(html_of(materials.large(count)).encode()) <= most


def test_the_short_form() -> None:
    lines = markdown_of(materials.material()).splitlines()
    assert lines[0] == "# Consumer groups"
    assert any(line.startswith("1. Group orders has trouble 1") for line in lines)
    assert any(line.startswith("| optimal | 7 | 1 | 0 | 0 | 17 |") for line in lines)
    assert not any("kind-1" in line for line in lines)


def test_the_short_form_has_a_section_a_team() -> None:
    """With warnings and what is critical; a team without any is well."""
    severities = {"critical": "pay", "warning": "pay", "info": "orders"}
    rows = [
        materials.finding(at, severity) | {"team": team}
        for at, (severity, team) in enumerate(severities.items())
    ]
    text = markdown_of(materials.material(findings=[*rows, materials.finding(3)]))
    _, orders, pay, *_ = re.split(r"^## (?:Team )?", text.split("## Do first")[1], flags=re.M)
    assert orders == "orders\n\nNothing critical, and no warning.\n\n"
    assert pay == (
        "pay\n\n* **critical** Group orders has trouble 0. Do this about 0.\n"
        "* **warning** Group orders has trouble 1. Do this about 1.\n\n"
    )


def test_no_name_breaks_the_short_form() -> None:
    text = markdown_of(materials.hostile())
    assert not re.search(r"(?<!\\)<|(?<!\\)\[x", text)
    tables = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in tables} == {7}


def test_sizes_over_time_are_shown_where_scale_was_asked(page: Read) -> None:
    made = materials.material(
        scaling=[materials.policy("evenfleet", 12.0), materials.policy("keda", 20.0)],
        sizes=["Cheapest within the SLO: evenfleet in 2 groups.", "orders of prod: Set it."],
    )
    scaled = Read(html_of(made))
    assert scaled.rows_of("policy") == [
        ["evenfleet", "12.5", "0", "3", "2", "12", "2"],
        ["keda", "12.5", "0", "3", "2", "20", "2"],
    ]
    assert "orders of prod: Set it." in scaled.text
    assert not [table for table in page.tables if table[0][0] == "policy"]


def test_goals_are_named_that_arent_the_default() -> None:
    assert goals_text(Goals()) == "the default goals"
    assert goals_text(Goals(rack="any", min_gain=2.0)) == "the goals rack=any, min_gain=2.0"


def test_of_very_many_groups_those_are_planned_that_the_page_shows(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Ways to share out four partitions: two each, three and one, and four and none."""
    fleet = Fleet()
    for name, first in (("even", 2), ("uneven", 3), ("w\\orst", 4)):
        claims = [(name, number, "a" if number < first else "b") for number in range(4)]
        fleet.topic(name, 4).group(name, {"a": [name], "b": [name]}, claims)
    snapshot = fleet.snapshot(spark)
    with audit_fleet(snapshot) as made:
        assert gather._fleet_on_page(snapshot, made) is snapshot
        monkeypatch.setattr(gather, "ROWS", 2)
        shown = gather._fleet_on_page(snapshot, made)
        first = [row["group"] for row in worst_groups(made.group_rows, 2)]
        assert first == ["w\\orst", "uneven"]
        for name in ("members", "assignments", "subscriptions"):
            assert {row.group for row in shown.tables[name].collect()} == set(first)


def test_the_fullest_host_is_named_now_and_planned(tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 8)
    fleet.group(
        "g",
        {f"m{m}": ["t"] for m in range(4)},
        [("t", p, f"m{p % 2}") for p in range(8)],
    )
    for at, row in enumerate(fleet.rows["members"]):
        row["host"] = ["/busy", "/busy", "idle", None][at]
    fleet.store(tmp_path / "store")
    explanation = explain_group(FleetFiles.read(str(tmp_path / "store")), "g")
    assert explanation.hosts == {"busy": (8, 4), "idle": (0, 2), "m3": (0, 2)}
    assert hosts_sentence(explanation.hosts) == (
        "The fullest of its 3 hosts, busy, has 8 partitions; with the plan the fullest has 4."
    )
    assert hosts_sentence({}) == ""
