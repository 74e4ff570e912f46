"""A fleet's plan is, group by group, what `optimizer.assign` says of the same facts by names."""

from dataclasses import replace

import pytest
from pyspark.sql import SparkSession

from optimizer import STRATEGIES, Group, StrategyError, assign
from optimizer.plan import Assignment
from spark import FleetSnapshot, plan_fleet
from spark.verify.faults import faults_of_group
from tests.support.fleets import fleet_of_groups
from tests.support.groups import tiny_group
from tests.support.random_groups import random_group
from tests.support.rows import planned, rows_of
from tests.support.tiers import tiered

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


GONE = "none of the topics it reads is in the snapshot"


def drawn(name: str) -> Group:
    """Different subscriptions, claims in conflict, owners gone, topics that vanished, odd names."""
    kind, seed = name.split()
    group = tiny_group(int(seed)) if kind == "tiny" else random_group(f"fleet-{seed}")
    return as_a_snapshot_has_it(group)


EVERY = [f"tiny {seed}" for seed in range(TINY)] + [f"larger {seed}" for seed in range(LARGER)]


@pytest.fixture(scope="module")
def groups() -> dict[str, Group]:
    return {name: group for name in EVERY if (group := drawn(name)).members}


@pytest.fixture(scope="module")
def snapshot(spark: SparkSession, groups: dict[str, Group]) -> FleetSnapshot:
    """One malformed group is among the hundreds."""
    fleet = fleet_of_groups(groups)
    for _ in range(2):
        fleet.add("members", cluster=BROKEN, group=BROKEN, member_id="twin")
    return fleet.snapshot(spark)


@pytest.mark.parametrize("strategy", tiered(["optimal", "range", "uniform"], 1))
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
        if reads_what_is_gone(groups[name]):
            assert (row.status, result[name]) == ("invalid", nothing(groups[name]))
            continue
        wanted = assign(groups[name], strategy)
        assert (row.status, row.reason) == ("ok", "; ".join(wanted.notes) or None)
        assert (row.sum_squares, row.moves) == (wanted.sum_squares, wanted.moves)
        assert in_order(result[name]) == wanted.assignment


def test_the_groups_have_racks_and_ids() -> None:
    """So that a fleet's answers depend on them: some are others without."""
    groups = [drawn(name) for name in EVERY[TINY:]]
    bare = [replace(group, replica_racks={}, topic_ids={}) for group in groups]
    for strategy in ("range", "sticky", "uniform"):
        pairs = zip(groups, bare, strict=True)
        assert any(answer(group, strategy) != answer(without, strategy) for group, without in pairs)


def answer(group: Group, strategy: str) -> tuple[Assignment, str]:
    """What the strategy assigns, nothing where Kafka throws, and its notes."""
    try:
        plan = assign(group, strategy)
    except StrategyError as error:
        return {}, str(error)
    return plan.assignment, "; ".join(plan.notes)


@pytest.mark.parametrize("name", tiered(EVERY, 60))
def test_by_the_worker_alone(name: str) -> None:
    """Every strategy, and no plan has a fault; where Kafka throws, the group has failed."""
    group = drawn(name)
    row = rows_of(group, racks=True)
    for strategy in STRATEGIES if group.members else ():
        plan, (assignment, reason) = planned(row, strategy), answer(group, strategy)
        assert faults_of_group(plan) == []
        if reads_what_is_gone(group):
            assert plan.status == "invalid" and GONE in plan.reason
            continue
        assert (plan.reason or "") == reason
        result = {} if plan.status == "failed" else nothing(group)
        cells = (plan.plan_topics, plan.plan_partitions.tolist(), plan.plan_members)
        for topic, number, member in zip(*cells, strict=True):
            if member is not None:
                result[member].append((topic, number))
        assert in_order(result) == assignment


def reads_what_is_gone(group: Group) -> bool:
    """Whether it reads, or owns, topics that aren't there alone."""
    topics = {topic for member in group.members for topic in member.topics}
    owned = [claim for member in group.members for claim in member.owned]
    is_there = any(0 <= number < group.topics.get(topic, 0) for topic, number in owned)
    return bool(topics or owned) and not (is_there or topics & group.topics.keys())


def nothing(group: Group) -> Assignment:
    return {member.member_id: [] for member in group.members}


def in_order(assignment: Assignment) -> Assignment:
    return {member: sorted(partitions) for member, partitions in assignment.items()}
