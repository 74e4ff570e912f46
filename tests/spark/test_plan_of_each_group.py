"""A fleet's plan is, group by group, what `optimizer.assign` says of the same facts by names."""

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from optimizer import Group, assign
from spark import FleetSnapshot, plan_fleet
from tests.live.random_groups import random_group
from tests.optimizer.groups import tiny_group
from tests.spark.fleets import fleet_of_groups

TINY, LARGER = 250, 50
BROKEN = "tiny 100"


@pytest.fixture(scope="module")
def groups() -> dict[str, Group]:
    """Different subscriptions, claims in conflict, owners gone, topics that vanished, odd names.

    A snapshot doesn't say in which order members come, a topic has at least one partition, and
    this one has no racks of replicas.
    """
    tiny = {f"tiny {seed}": tiny_group(seed) for seed in range(TINY)}
    larger = {f"larger {seed}": random_group(f"fleet-{seed}") for seed in range(LARGER)}
    return {
        name: replace(
            group,
            topics={topic: count for topic, count in group.topics.items() if count},
            members=sorted(group.members, key=lambda member: member.member_id),
            replica_racks={},
        )
        for name, group in (tiny | larger).items()
    }


@pytest.fixture(scope="module")
def snapshot(spark: SparkSession, groups: dict[str, Group]) -> FleetSnapshot:
    """One malformed group is among the hundreds."""
    fleet = fleet_of_groups(groups)
    fleet.add("members", cluster=BROKEN, group=BROKEN, member_id="twin")
    fleet.add("members", cluster=BROKEN, group=BROKEN, member_id="twin")
    return fleet.snapshot(spark)


@pytest.mark.parametrize("strategy", ["optimal", "range", "roundrobin"])
def test_as_by_names(
    spark: SparkSession, groups: dict[str, Group], snapshot: FleetSnapshot, strategy: str
) -> None:
    with plan_fleet(snapshot, strategy) as plan:
        assignments = plan.assignments.toPandas()
        rows = {row.group: row for row in plan.groups.collect()}
    assert len(rows) == len(groups)
    assert rows.pop(BROKEN).status == "invalid"
    assert BROKEN not in set(assignments.group)
    owned = dict(list(assignments[assignments.member_id.notna()].groupby("group")))
    for name, row in rows.items():
        wanted = assign(groups[name], strategy)
        if not groups[name].members:
            assert row.status == "empty"
            continue
        assert (row.status, row.reason) == ("ok", "; ".join(wanted.notes) or None)
        assert (row.sum_squares, row.moves) == (wanted.sum_squares, wanted.moves)
        found: dict[str, list[tuple[str, int]]] = {member: [] for member in wanted.assignment}
        if name in owned:
            for cell in owned[name].itertuples():
                found[cell.member_id].append((cell.topic, cell.partition))
        assert {member: sorted(some) for member, some in found.items()} == wanted.assignment
