"""Strategies as Kafka answers, as its documentation works them out, and as its defects are told."""

import gzip
import json
from functools import cache
from typing import Any

import pytest

from optimizer import Group, Member, assign
from optimizer.strategies import DEFECTS, DIFFERENT, EQUAL, LARGE, TOPICS, Defect, defects_of
from tests.paths import DATA, ROOT

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


def group_of(record: dict[str, Any], members: list[dict[str, Any]]) -> Group:
    return Group(
        topics=record["topics"],
        members=[
            Member(
                member["member_id"],
                topics=member["topics"],
                owned=[(topic, partition) for topic, partition in member["owned"]],
                instance_id=member.get("instance_id"),
                rack=member.get("rack"),
                generation=member.get("generation"),
            )
            for member in members
        ],
        replica_racks=record.get("partition_racks") or {},
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
        if by_member(assign(group_of(record, record["members"]), strategy).first_round)
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


WORKED: list[dict[str, Any]] = json.loads((DATA / "worked_examples.json").read_text())


@pytest.mark.parametrize("example", WORKED, ids=[example["name"] for example in WORKED])
def test_worked_example(example: dict[str, Any]) -> None:
    members = [facts | {"member_id": name} for name, facts in example["members"].items()]
    plan = assign(group_of(example, members), example["strategy"])
    if "assignment" in example:
        assert by_member(plan.assignment) == by_member(example["assignment"])
    for fact in example.keys() & {"loads", "moves", "takeovers"}:
        assert getattr(plan, fact) == example[fact], fact


PAGE = (ROOT / "docs/strategies.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("strategy", "version", "traits", "issues"),
    [
        ("sticky", "2.2.2", {EQUAL}, ["KAFKA-7026"]),
        ("sticky", "2.3", {EQUAL}, []),
        ("sticky", "2.3.1", {DIFFERENT}, ["KAFKA-8767", "KAFKA-15106"]),
        ("cooperative-sticky", "2.5.0", {EQUAL, LARGE}, ["KAFKA-9987", "KAFKA-13081"]),
        ("cooperative-sticky", "2.8.1", {DIFFERENT}, ["KAFKA-13406", "KAFKA-15106"]),
        ("cooperative-sticky", "3.0.0", {DIFFERENT}, ["KAFKA-13406", "KAFKA-15106"]),
        ("cooperative-sticky", "3.0.1", {DIFFERENT}, ["KAFKA-15106"]),
        ("cooperative-sticky", "3.7.0", {EQUAL, TOPICS}, ["KAFKA-16277"]),
        ("cooperative-sticky", "3.10.0", {EQUAL, TOPICS}, []),
        ("range", "2.2.2", {EQUAL, TOPICS, LARGE}, []),
        (None, "2.2.2", {EQUAL}, []),
    ],
)
def test_which_defects_hit_a_group(
    strategy: str | None, version: str, traits: set[str], issues: list[str]
) -> None:
    assert [defect.issue for defect in defects_of(strategy, version, traits)] == issues


def test_the_page_has_each_defect_as_it_is() -> None:
    assert [line for line in PAGE.splitlines() if line.startswith("| [KAFKA-")] == [
        _line(defect) for defect in DEFECTS
    ]


def _line(defect: Defect) -> str:
    versions = "; ".join(f"{since} ≤ v < {fixed}" for since, fixed in defect.versions)
    cells = (
        *(f"[{defect.issue}]({defect.source})", ", ".join(defect.strategies), versions),
        *(" and ".join(sorted(defect.hits)) or "several members", defect.what),
    )
    return f"| {' | '.join(cells)} |"
