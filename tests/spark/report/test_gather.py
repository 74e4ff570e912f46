"""What a report works out itself, of few groups and of very many."""

import pytest
from pyspark.sql import SparkSession

from spark.audit import audit_fleet
from spark.report import gather
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
        assert gather._shown(snapshot, made) is snapshot
        monkeypatch.setattr(gather, "ROWS", 2)
        shown = gather._shown(snapshot, made)
        first = [row["group"] for row in worst_groups(made.group_rows, 2)]
        assert first == ["w\\orst", "uneven"]
        for name in ("members", "assignments", "subscriptions"):
            assert {row.group for row in shown.tables[name].collect()} == set(first)
