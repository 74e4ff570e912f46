"""A fleet's plan is, group by group, what `optimizer.assign` says of the same facts by names."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest
from pyspark.sql import SparkSession

from optimizer import STRATEGIES, Group, StrategyError, assign
from optimizer.plan import Assignment
from spark import FleetSnapshot, plan_fleet
from spark.groups.encode import encode
from tests.support.fleets import Fleet, fleet_of_groups
from tests.support.groups import tiny_group
from tests.support.planned import planned_row
from tests.support.random_groups import random_group

TINY, LARGER = 250, 50
BROKEN = "tiny 100"


def as_a_snapshot_has_it(group: Group) -> Group:
    """A snapshot doesn't say in which order members come, nor topics or partitions of a member.

    A topic in it has a partition at least.
    """
    members = [
        replace(member, topics=sorted(member.topics), owned=sorted(member.owned))
        for member in sorted(group.members, key=lambda member: member.member_id)
    ]
    topics = {topic: count for topic, count in group.topics.items() if count}
    return replace(group, topics=topics, members=members)


@pytest.fixture(scope="module")
def groups() -> dict[str, Group]:
    """Different subscriptions, claims in conflict, owners gone, topics that vanished, odd names."""
    tiny = {f"tiny {seed}": tiny_group(seed) for seed in range(TINY)}
    larger = {f"larger {seed}": random_group(f"fleet-{seed}") for seed in range(LARGER)}
    drawn = {name: as_a_snapshot_has_it(group) for name, group in (tiny | larger).items()}
    return {name: group for name, group in drawn.items() if group.members}


@pytest.fixture(scope="module")
def fleet(groups: dict[str, Group]) -> Fleet:
    return fleet_of_groups(groups)


@pytest.fixture(scope="module")
def snapshot(spark: SparkSession, fleet: Fleet) -> FleetSnapshot:
    """One malformed group is among the hundreds."""
    twin = {"cluster": BROKEN, "group": BROKEN, "member_id": "twin"}
    broken = Fleet()
    broken.rows = fleet.rows | {"members": [*fleet.rows["members"], twin, twin]}
    return broken.snapshot(spark)


@pytest.mark.parametrize("strategy", ["optimal", "range", "uniform"])
def test_in_a_fleet(groups: dict[str, Group], snapshot: FleetSnapshot, strategy: str) -> None:
    with plan_fleet(snapshot, strategy) as plan:
        assignments = plan.assignments.where("member_id is not null").collect()
        rows = {row.group: row for row in plan.groups.collect()}
    result = {name: nothing(group) for name, group in groups.items()}
    for cell in assignments:
        result[cell.group][cell.member_id].append((cell.topic, cell.partition))
    assert rows.keys() == groups.keys()
    assert rows.pop(BROKEN).status == "invalid"
    assert result[BROKEN] == nothing(groups[BROKEN])
    for name, row in rows.items():
        wanted = assign(groups[name], strategy)
        assert (row.status, row.reason) == ("ok", "; ".join(wanted.notes) or None)
        assert (row.sum_squares, row.moves) == (wanted.sum_squares, wanted.moves)
        assert in_order(result[name]) == wanted.assignment


@pytest.fixture(scope="module")
def encoded(snapshot: FleetSnapshot) -> dict[str, SimpleNamespace]:
    """All groups as the worker sees them, with racks."""
    rows = encode(snapshot, racks=True).toPandas().itertuples(index=False)
    return {row.group: SimpleNamespace(**row._asdict()) for row in rows}


def test_the_groups_have_racks_and_ids(groups: dict[str, Group]) -> None:
    """So that a fleet's answers depend on them: some are others without."""
    bare = {name: replace(g, replica_racks={}, topic_ids={}) for name, g in groups.items()}
    for strategy in ("range", "sticky", "uniform"):
        assert any(answer(groups[name], strategy) != answer(bare[name], strategy) for name in bare)


def answer(group: Group, strategy: str) -> Assignment | None:
    try:
        return assign(group, strategy).assignment
    except StrategyError:
        return None


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_by_the_worker_alone(
    groups: dict[str, Group], encoded: dict[str, SimpleNamespace], strategy: str
) -> None:
    """Every strategy; where Kafka throws, the group has failed."""
    planned = 0
    for name, group in groups.items():
        if name == BROKEN:
            continue
        plan = planned_row(encoded[name], strategy)
        try:
            wanted = assign(group, strategy)
        except StrategyError as error:
            assert (plan.status, len(plan.plan_topics)) == ("failed", 0)
            assert plan.reason == str(error)
            continue
        result = nothing(group)
        for topic, number, member in zip(
            plan.plan_topics, plan.plan_partitions.tolist(), plan.plan_members, strict=True
        ):
            if member is not None:
                result[member].append((topic, number))
        assert (plan.reason or "") == "; ".join(wanted.notes)
        assert in_order(result) == wanted.assignment, name
        planned += 1
    assert planned > len(groups) * 0.9


def nothing(group: Group) -> Assignment:
    return {member.member_id: [] for member in group.members}


def in_order(assignment: Assignment) -> Assignment:
    return {member: sorted(partitions) for member, partitions in assignment.items()}
