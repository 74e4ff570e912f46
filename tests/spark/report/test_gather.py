"""What a report works out itself, of few groups and of very many."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, explain_group
from spark.audit import audit_fleet
from spark.report import gather
from spark.report.groups import hosts_sentence
from spark.report.sums import worst_groups
from tests.support.fleets import Fleet


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
