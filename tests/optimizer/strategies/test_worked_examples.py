"""Worked examples of Kafka's documentation and of books, with the answers that they state."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from optimizer import Group, Member, assign
from optimizer.strategies.kafka import java
from tests.optimizer.strategies.test_recorded import by_member
from tests.paths import DATA

WORKED: list[dict[str, Any]] = json.loads((DATA / "worked_examples.json").read_text())


def worked_group(example: dict[str, Any]) -> Group:
    return Group(
        topics=example["topics"],
        members=[
            Member(
                member_id,
                topics=facts["topics"],
                owned=[(topic, partition) for topic, partition in facts["owned"]],
                generation=facts.get("generation"),
            )
            for member_id, facts in example["members"].items()
        ],
    )


def stated(example: dict[str, Any]) -> Iterator[str]:
    return (fact for fact in ("loads", "moves", "takeovers") if fact in example)


@pytest.mark.parametrize("example", WORKED, ids=[example["name"] for example in WORKED])
def test_worked_example(example: dict[str, Any]) -> None:
    plan = assign(worked_group(example), example["strategy"])
    if "assignment" in example:
        assert by_member(plan.assignment) == by_member(example["assignment"])
    for fact in stated(example):
        assert getattr(plan, fact) == example[fact], fact


def test_the_javadoc_of_the_sticky_assignor_is_older_than_its_code() -> None:
    """What C1 leaves goes elsewhere since KAFKA-9987: at as few moves, and as evenly."""
    (example,) = [example for example in WORKED if "in_the_javadoc" in example]
    javadoc = by_member(example["in_the_javadoc"])
    answer = by_member(assign(worked_group(example), "sticky").assignment)
    assert answer != javadoc
    assert {m: len(has) for m, has in answer.items()} == {m: len(has) for m, has in javadoc.items()}
    for member_id, facts in example["members"].items():
        owned = {(topic, number) for topic, number in facts["owned"]}
        assert owned <= answer[member_id] & javadoc[member_id]


def test_the_offsets_partition_of_test_group() -> None:
    """Kafka's Utils.abs of the name's hash, modulo the 50 partitions of __consumer_offsets."""
    hashed = java.string_hash("test-group")
    assert min(hashed, 2**32 - hashed) % 50 == 12
