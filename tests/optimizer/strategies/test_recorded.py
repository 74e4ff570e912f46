"""Answers recorded from Kafka 4.3.1's own classes."""

import gzip
import json
from functools import cache
from typing import Any

import pytest

from optimizer import Group, Member, assign
from tests.paths import DATA

RECORDED = {
    "range": "range",
    "roundrobin": "roundrobin",
    "sticky": "sticky",
    "cooperative-sticky": "cooperative-sticky",
    "uniform": "server-uniform",
    "server-range": "server-range",
}

Partitions = dict[str, set[tuple[str, int]]]


@cache
def records() -> list[dict[str, Any]]:
    with gzip.open(DATA / "kafka-4.3.1.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def group_of(record: dict[str, Any]) -> Group:
    return Group(
        topics=record["topics"],
        members=[
            Member(
                member["member_id"],
                topics=member["topics"],
                owned=[(topic, partition) for topic, partition in member["owned"]],
                instance_id=member["instance_id"],
                rack=member["rack"],
                generation=member["generation"],
            )
            for member in record["members"]
        ],
        replica_racks=record["partition_racks"] or {},
        topic_ids=record.get("topic_ids") or {},
    )


def by_member(assignment: dict[str, list[Any]]) -> Partitions:
    return {member: set(map(tuple, partitions)) for member, partitions in assignment.items()}


@pytest.mark.parametrize("strategy", RECORDED)
def test_every_record_has_the_same_partitions_for_the_same_members(strategy: str) -> None:
    """For cooperative-sticky the record is what the first rebalance hands out."""
    of_strategy = [record for record in records() if record["assignor"] == RECORDED[strategy]]
    assert len(of_strategy) == 360
    different = [
        f"{record['id']} step {record['step']}"
        for record in of_strategy
        if by_member(assign(group_of(record), strategy).first_round)
        != by_member(record["assignment"])
    ]
    assert different == []


@pytest.mark.parametrize("strategy", [*RECORDED, "uniform-4.0"])
@pytest.mark.parametrize("topics", [None, [], ["vanished"], ["empty"]])
def test_without_anything_to_read_nobody_gets_anything(
    strategy: str, topics: list[str] | None
) -> None:
    members = [] if topics is None else [Member("A", topics)]
    plan = assign(Group({"t": 3, "empty": 0}, members), strategy)
    assert plan.assignment == {member.member_id: [] for member in members}
