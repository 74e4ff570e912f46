"""A plan that isn't the snapshot's is rejected with a sentence that names what is wrong."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from optimizer import STRATEGIES, StrategyError, assign
from spark.verify import faults as plan_check
from spark.verify.faults import faults_of_group
from tests.support.encoded import encoded_group
from tests.support.fleets import Fleet, fleet_of_groups
from tests.support.planned import planned_group, planned_row
from tests.support.random_groups import random_group


def sound() -> SimpleNamespace:
    """a owns all of t, and gives two of the four to b, who is new; z left u, which nobody reads."""
    owned = [("t", p, "a") for p in range(4)]
    fleet = Fleet().topic("t", 4).topic("u", 1).topic("v", 1)
    return planned_group(
        fleet.group("g", {"a": ["t"], "b": ["t"], "c": ["v"]}, [*owned, ("u", 0, "z")])
    )


def test_a_sound_plan_has_no_faults() -> None:
    row = sound()
    assert faults_of_group(row) == []
    # what the tests below rely on
    places = zip(row.plan_topics, row.plan_partitions, strict=True)
    assert list(places) == [("t", 0), ("t", 1), ("t", 2), ("t", 3), ("u", 0), ("v", 0)]
    assert row.plan_members.tolist() == ["a", "a", "b", "b", None, "c"]
    assert row.plan_actions.tolist() == ["keep", "keep", "move", "move", "drop", "new"]


def only(row: SimpleNamespace) -> str:
    (fault,) = faults_of_group(row)
    return fault


def test_a_partition_moved_to_another_reader() -> None:
    row = sound()
    row.plan_members[1] = "b"
    row.plan_actions[1] = "move"
    faults = faults_of_group(row)
    assert "max_load is 3, the plan says 2" in faults
    assert "sum_squares is 11, the plan says 9" in faults
    assert "moves is 3, the plan says 2" in faults
    assert any(fault.startswith("balance_optimal is False, the plan says True") for fault in faults)
    row.balance_optimal = row.moves_optimal = row.spread_optimal = None
    assert any(
        fault.startswith("the plan isn't optimal: more balanced: t-")
        for fault in faults_of_group(row)
    )


def test_a_search_that_takes_too_long_is_a_fault_only_where_the_plan_claims_to_be_optimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never_ending(*facts: Any) -> None:
        while True:
            pass

    monkeypatch.setattr(plan_check, "check_assignment", never_ending)
    monkeypatch.setattr(plan_check, "STRATEGY_SECONDS", 0.05)
    row = sound()
    assert only(row) == (
        "its optimality can't be checked: the certificate doesn't prove it, and "
        "a search takes longer than 0.05 seconds"
    )
    row.balance_optimal = row.moves_optimal = row.spread_optimal = None
    assert faults_of_group(row) == []
    row.moves = 3
    assert only(row) == "moves is 2, the plan says 3"


def test_two_partitions_swapped() -> None:
    """The loads are the same, and four partitions move where two would do."""
    row = sound()
    row.plan_members[[0, 2]] = ["b", "a"]
    row.plan_actions[[0, 2]] = ["move", "keep"]
    assert faults_of_group(row) == []  # the one is as good as the other
    row.plan_members[[0, 1, 2, 3]] = ["a", "b", "b", "a"]
    row.plan_actions[[0, 1, 2, 3]] = ["keep", "move", "keep", "keep"]
    assert only(row) == "t-2 is called 'keep' and is 'move'"


def test_more_moves_than_needed() -> None:
    row = planned_group(
        Fleet().topic("t", 2).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a"), ("t", 1, "b")])
    )
    row.plan_members[:] = ["b", "a"]
    row.plan_actions[:] = "move"
    row.moves = 2
    moves, spread = faults_of_group(row)
    assert moves.startswith("moves_optimal is False, the plan says True (fewer moves: ")
    assert spread.startswith("spread_optimal is False, the plan says True (fewer moves: ")
    row.moves_optimal = row.spread_optimal = None
    assert only(row).startswith("the plan isn't optimal: fewer moves: ")
    row.strategy = "range"
    assert faults_of_group(row) == []


def test_a_topic_that_could_be_spread_better() -> None:
    """Nobody had anything; a has all of t and b all of u."""
    both = ["t", "u"]
    row = planned_group(Fleet().topic("t", 2).topic("u", 2).group("g", {"a": both, "b": both}))
    row.plan_members[:] = ["a", "a", "b", "b"]
    assert faults_of_group(row) == [
        "spread is 8, the plan says 4",
        "spread_optimal is False, the plan says True (topics spread more evenly: u-0 from b to a, "
        "t-0 from a to b)",
    ]
    row.spread = 8
    row.spread_optimal = False
    assert only(row).startswith("the plan isn't optimal: topics spread more evenly: ")


def test_a_plan_of_before_there_was_spread() -> None:
    """It says nothing of it, and its certificate has nothing about it."""
    row = sound()
    row.spread = row.spread_optimal = None
    assert row.certificate == b"\x01\x00\x01\xff\x00\x00\x00", "a level a byte or more"
    assert faults_of_group(row) == [], "the columns were lost, not the proof"
    row.certificate = row.certificate[:-1]
    assert faults_of_group(row) == []


def test_a_partition_given_to_a_member_that_does_not_read_it() -> None:
    row = sound()
    row.plan_members[[0, 5]] = ["c", "a"]
    row.plan_actions[0] = "move"
    row.moves = 3
    row.spread = 7
    for strategy in ("optimal", "range"):
        row.strategy = strategy
        assert faults_of_group(row) == [
            "t-0 is assigned to a member that doesn't subscribe to it",
            "v-0 is assigned to a member that doesn't subscribe to it",
        ]


def test_kafkas_sticky_may_give_to_who_does_not_read_but_is_not_optimal_then() -> None:
    row = sound()
    row.plan_members[[0, 5]] = ["c", "a"]
    row.plan_actions[0] = "move"
    row.moves, row.spread = 3, 7
    row.strategy = "sticky"
    assert only(row).startswith("it is called optimal and isn't sound: t-0 is assigned to a member")
    row.balance_optimal = row.moves_optimal = None
    assert faults_of_group(row) == []


def without(row: SimpleNamespace, entry: int) -> SimpleNamespace:
    for name in plan_columns(row):
        setattr(row, name, np.delete(getattr(row, name), entry))
    return row


def plan_columns(row: SimpleNamespace) -> list[str]:
    return [name for name in vars(row) if name.startswith("plan_") and name != "plan_count"]


@pytest.mark.parametrize(("entry", "place"), [(0, "t-0"), (5, "v-0")])
@pytest.mark.parametrize("strategy", ["optimal", "sticky"])
def test_a_row_that_is_missing(entry: int, place: str, strategy: str) -> None:
    """Owned before or not."""
    row = without(sound(), entry)
    row.strategy = strategy
    assert f"{place} is not in the plan (1 such)" in faults_of_group(row)


def test_a_row_of_a_drop_that_is_missing() -> None:
    assert only(without(sound(), 4)) == "u-0 is not in the plan (1 such)"


def test_a_row_that_is_there_twice() -> None:
    row = sound()
    for name in plan_columns(row):
        setattr(row, name, np.append(getattr(row, name), getattr(row, name)[[2, 2]]))
    assert only(row) == "t-2 is in the plan 3 times"


@pytest.mark.parametrize(("topic", "number"), [("t", 4), ("t", -1), ("w", 0)])
def test_a_partition_that_is_not_in_the_snapshot(topic: str, number: int) -> None:
    row = sound()
    row.plan_topics[0], row.plan_partitions[0] = topic, number
    assert only(row) == (f"{topic}-{number} is in the plan and not in the snapshot (1 such)")


@pytest.mark.parametrize("previous", ["b", "z", "nobody known", None])
def test_a_wrong_previous_member(previous: str | None) -> None:
    row = sound()
    row.plan_previous[3] = previous
    assert only(row) == "t-3 has another previous member in the snapshot"


@pytest.mark.parametrize("action", ["move", "new", "stay", None])
def test_a_wrong_action(action: str | None) -> None:
    row = sound()
    row.plan_actions[1] = action
    assert only(row) == f"t-1 is called {action!r} and is 'keep'"


@pytest.mark.parametrize("member", ["z", "nobody known"])
def test_a_member_that_is_not_in_the_group(member: str) -> None:
    row = sound()
    row.plan_members[2] = member
    assert only(row) == "t-2 goes to a member that the group doesn't have"


def test_a_member_that_is_null_where_somebody_reads() -> None:
    row = sound()
    row.plan_members[0] = None
    faults = faults_of_group(row)
    assert "t-0 is called 'keep' and is 'drop'" in faults
    assert "t-0 has subscribers and no owner" in faults


def test_a_row_for_what_nobody_reads_or_owned() -> None:
    """Partition 0 of u wasn't owned, only 1 was."""
    fleet = Fleet().topic("t", 1).topic("u", 2).group("g", {"a": ["t"]}, [("u", 1, "a")])
    row = planned_group(fleet)
    row.plan_topics = np.append(row.plan_topics, "u")
    row.plan_partitions = np.append(row.plan_partitions, 0)
    row.plan_members = np.append(row.plan_members, None)
    row.plan_previous = np.append(row.plan_previous, None)
    row.plan_actions = np.append(row.plan_actions, "drop")
    assert only(row) == "u-0 is called 'drop' and needs no action"


@pytest.mark.parametrize(
    ("measure", "right", "wrong"),
    [
        ("members", 3, 4),
        ("partitions", 5, 6),
        ("max_load", 2, 1),
        ("min_load", 1, 2),
        ("sum_squares", 9, 8),
        ("moves", 2, 1),
        ("takeovers", 0, 1),
        ("max_load", 2, float("nan")),  # null, as pandas has it beside numbers
        ("moves", 2, None),
    ],
)
def test_a_wrong_measure(measure: str, right: int, wrong: Any) -> None:
    row = sound()
    assert getattr(row, measure) == right
    setattr(row, measure, wrong)
    output = "nothing" if pd.isna(wrong) else wrong
    assert only(row) == f"{measure} is {right}, the plan says {output}"


@pytest.mark.parametrize("name", ["balance_optimal", "moves_optimal"])
def test_an_optimum_that_is_denied(name: str) -> None:
    row = sound()
    setattr(row, name, False)
    assert only(row).startswith(f"{name} is True, the plan says False")


@pytest.mark.parametrize("status", ["inferred", "empty", "invalid", "rebalancing", None])
def test_a_wrong_status(status: str | None) -> None:
    row = sound()
    row.status = status
    assert only(row) == f"its status is ok, the plan says {status}"


def test_a_plan_of_a_group_that_failed() -> None:
    """That a solver failed can't be checked, but then there is no plan."""
    row = sound()
    row.status = "failed"
    assert faults_of_group(row) == [
        "the plan assigns 6 partitions of a group that is failed",
        "the plan states partitions, max_load, min_load, sum_squares, moves, takeovers, "
        "balance_optimal, moves_optimal, spread, spread_optimal of a group that is failed",
    ]
    for name in plan_columns(row):
        setattr(row, name, getattr(row, name)[:0])
    for name in ("partitions", "max_load", "min_load", "sum_squares", "moves", "takeovers"):
        setattr(row, name, None)
    row.balance_optimal = row.moves_optimal = row.spread_optimal = row.spread = None
    assert faults_of_group(row) == []


@pytest.mark.parametrize("facts", [{"state": "Assigning"}, {"members": {}}])
def test_a_group_that_can_not_be_planned_has_not_failed(facts: dict) -> None:
    row = planned_group(Fleet().group("g", **{"members": {"a": []}} | facts))
    assert faults_of_group(row) == []
    output, row.status = row.status, "failed"
    assert only(row) == f"its status is {output}, the plan says failed"


def test_a_group_that_has_no_row_or_several_or_is_not_in_the_snapshot() -> None:
    row = sound()
    row.plan_count = 0
    assert only(row) == "the plan has no row for this group"
    row.plan_count = 2
    assert only(row) == "the plan has 2 rows for this group"
    row.topics = None
    assert only(row) == "the snapshot has no such group"


def test_a_partition_number_that_is_null() -> None:
    row = sound()
    row.plan_partitions = row.plan_partitions.astype(float)  # as pandas has it
    row.plan_partitions[0] = np.nan
    assert only(row) == "t-nan is in the plan and not in the snapshot (1 such)"


def test_a_check_that_fails_is_a_fault_of_the_group_and_not_the_end_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr(plan_check, "check_assignment", fail)
    assert faults_of_group(sound())[-1] == "its plan can't be checked: RuntimeError: no luck"


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_every_strategys_plan_of_random_groups_is_accepted(strategy: str) -> None:
    """Owners gone and unsubscribed, claims in conflict, topics that vanished."""
    checked = 0
    for number in range(150):
        group = random_group(f"check-{number}")
        try:
            assign(group, strategy)
        except StrategyError:
            continue
        row = encoded_group(fleet_of_groups({"g": group}), "g", "g")
        assert faults_of_group(planned_row(row, strategy)) == [], number
        checked += 1
    assert checked > 100
