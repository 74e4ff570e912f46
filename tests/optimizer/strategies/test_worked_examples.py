"""Worked examples of Kafka's documentation and of books, with the answers that they state."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from optimizer import Group, Member, assign
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
