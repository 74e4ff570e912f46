"""A plan that isn't the snapshot's is rejected with a sentence that names what is wrong."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spark.verify import faults as plan_check
from spark.verify.faults import faults_of_group
from tests.support.fleets import Fleet
from tests.support.rows import planned, rows_of

NOT_OPTIMAL = {"balance_optimal": None, "moves_optimal": None, "spread_optimal": None}
UNKNOWN = float("nan")
"""A null beside numbers, as pandas has it."""


def planned_of(fleet: Fleet) -> SimpleNamespace:
    return planned(rows_of(fleet))


def sound(**changes: Any) -> SimpleNamespace:
    """a owns all of t, and gives two of the four to b, who is new; z left u, which nobody reads.

    Then columns change: a dict says which cells of one do.
    """
    owned = [("t", p, "a") for p in range(4)]
    fleet = Fleet().topic("t", 4).topic("u", 1).topic("v", 1)
    fleet.group("g", {"a": ["t"], "b": ["t"], "c": ["v"]}, [*owned, ("u", 0, "z")])
    return changed(planned_of(fleet), **changes)


def changed(row: SimpleNamespace, **changes: Any) -> SimpleNamespace:
    for column, value in changes.items():
        if isinstance(value, dict):
            for entry, cell in value.items():
                getattr(row, column)[entry] = cell
        else:
            setattr(row, column, value)
    return row


def test_a_sound_plan_has_no_faults() -> None:
    row = sound()
    assert faults_of_group(row) == []
    # what the tests below rely on
    places = zip(row.plan_topics, row.plan_partitions, strict=True)
    assert list(places) == [("t", 0), ("t", 1), ("t", 2), ("t", 3), ("u", 0), ("v", 0)]
    assert row.plan_members.tolist() == ["a", "a", "b", "b", None, "c"]
    assert row.plan_actions.tolist() == ["keep", "keep", "move", "move", "drop", "new"]


@pytest.mark.parametrize(
    ("most", "faults"), [(2, []), (1, ["it moves 2 partitions, and its goals allow 1"])]
)
def test_a_plan_may_use_up_its_moves(most: int, faults: list[str]) -> None:
    found = faults_of_group(sound(goals=f'{{"max_moves": {most}}}'))
    assert [fault for fault in found if "its goals allow" in fault] == faults


SWAPPED = {"plan_members": {0: "b", 2: "a"}, "plan_actions": {0: "move", 2: "keep"}}
"""One as good as the other: the loads are the same, and two partitions move."""
SWAPPED_TWICE = {
    "plan_members": {1: "b", 2: "b", 3: "a"},
    "plan_actions": {1: "move", 2: "keep", 3: "keep"},
}
MOVED = {"plan_members": {1: "b"}, "plan_actions": {1: "move"}}
UNREAD = {"plan_members": {0: "c", 5: "a"}, "plan_actions": {0: "move"}, "moves": 3, "spread": 7}
"""Members get what they don't read, as Kafka's sticky may do."""
FLOATS = np.array([UNKNOWN, 1, 2, 3, 0, 0])
PREVIOUS = "t-3 has another previous member in the snapshot"
STRANGER = "t-2 goes to a member that the group doesn't have"


@pytest.mark.parametrize(
    ("changes", "faults"),
    [
        (SWAPPED, []),
        (SWAPPED_TWICE, ["t-2 is called 'keep' and is 'move'"]),
        *(
            (
                UNREAD | {"strategy": strategy},
                [
                    f"{p} is assigned to a member that doesn't subscribe to it"
                    for p in ("t-0", "v-0")
                ],
            )
            for strategy in ("optimal", "range")
        ),
        (UNREAD | {"strategy": "sticky"} | NOT_OPTIMAL, []),
        *(
            ({column: {0: cell}}, [f"{place} is in the plan and not in the snapshot (1 such)"])
            for column, cell, place in (
                *(("plan_partitions", 4, "t-4"), ("plan_partitions", -1, "t--1")),
                ("plan_topics", "w", "w-0"),
            )
        ),
        ({"plan_partitions": FLOATS}, ["t-nan is in the plan and not in the snapshot (1 such)"]),
        ({"plan_count": 0}, ["the plan has no row for this group"]),
        ({"plan_count": 2}, ["the plan has 2 rows for this group"]),
        ({"plan_count": 2, "topics": None}, ["the snapshot has no such group"]),
        *(({"plan_previous": {3: m}}, [PREVIOUS]) for m in ("b", "z", "nobody known", None)),
        *(
            ({"plan_actions": {1: action}}, [f"t-1 is called {action!r} and is 'keep'"])
            for action in ("move", "new", "stay", None)
        ),
        *(({"plan_members": {2: member}}, [STRANGER]) for member in ("z", "nobody known")),
        *(
            ({"status": status}, [f"its status is ok, the plan says {status}"])
            for status in ("inferred", "empty", "invalid", "rebalancing", None)
        ),
        *(
            ({measure: wrong}, [f"{measure} is {right}, the plan says {wrong}"])
            for measure, right, wrong in (
                *(("members", 3, 4), ("partitions", 5, 6), ("max_load", 2, 1), ("min_load", 1, 2)),
                *(("sum_squares", 9, 8), ("moves", 2, 1), ("takeovers", 0, 1)),
            )
        ),
        ({"max_load": UNKNOWN}, ["max_load is 2, the plan says nothing"]),
        ({"moves": None}, ["moves is 2, the plan says nothing"]),
    ],
)
def test_what_is_changed_in_a_plan(changes: dict[str, Any], faults: list[str]) -> None:
    assert faults_of_group(sound(**changes)) == faults


@pytest.mark.parametrize(
    ("changes", "beginnings"),
    [
        ({"balance_optimal": False}, ["balance_optimal is True, the plan says False"]),
        ({"moves_optimal": False}, ["moves_optimal is True, the plan says False"]),
        (
            UNREAD | {"strategy": "sticky"},
            ["it is called optimal and isn't sound: t-0 is assigned"],
        ),
        (
            {"plan_members": {0: None}},
            ["t-0 is called 'keep' and is 'drop'", "t-0 has subscribers and no owner"],
        ),
        (
            MOVED,
            [
                *("max_load is 3, the plan says 2", "sum_squares is 11, the plan says 9"),
                *("moves is 3, the plan says 2", "balance_optimal is False, the plan says True"),
            ],
        ),
        (MOVED | NOT_OPTIMAL, ["the plan isn't optimal: more balanced: t-"]),
    ],
)
def test_how_faults_begin(changes: dict[str, Any], beginnings: list[str]) -> None:
    faults = faults_of_group(sound(**changes))
    for beginning in beginnings:
        assert any(fault.startswith(beginning) for fault in faults), faults


def only(row: SimpleNamespace) -> str:
    (fault,) = faults_of_group(row)
    return fault


def test_a_search_that_takes_too_long_is_a_fault_only_where_the_plan_claims_to_be_optimal(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never_ending(*facts: Any) -> None:
        while True:
            pass

    monkeypatch.setattr(plan_check, "check_assignment", never_ending)
    monkeypatch.setattr(plan_check, "STRATEGY_SECONDS", 0.2)
    assert only(sound()) == (
        "its optimality can't be checked: the certificate doesn't prove it, and "
        "a search takes longer than 0.2 seconds"
    )
    assert faults_of_group(sound(**NOT_OPTIMAL)) == []
    assert only(sound(**NOT_OPTIMAL, moves=3)) == "moves is 2, the plan says 3"


def test_more_moves_than_needed() -> None:
    owned = [("t", 0, "a"), ("t", 1, "b")]
    row = planned_of(Fleet().topic("t", 2).group("g", {"a": ["t"], "b": ["t"]}, owned))
    changed(row, plan_members={0: "b", 1: "a"}, plan_actions={0: "move", 1: "move"}, moves=2)
    moves, spread = faults_of_group(row)
    assert moves.startswith("moves_optimal is False, the plan says True (fewer moves: ")
    assert spread.startswith("spread_optimal is False, the plan says True (fewer moves: ")
    changed(row, moves_optimal=None, spread_optimal=None)
    assert only(row).startswith("the plan isn't optimal: fewer moves: ")
    assert faults_of_group(changed(row, strategy="range")) == []


def test_a_topic_that_could_be_spread_better() -> None:
    """Nobody had anything; a has all of t and b all of u."""
    both = ["t", "u"]
    row = planned_of(Fleet().topic("t", 2).topic("u", 2).group("g", {"a": both, "b": both}))
    row.plan_members[:] = ["a", "a", "b", "b"]
    assert faults_of_group(row) == [
        "spread is 8, the plan says 4",
        "spread_optimal is False, the plan says True (topics spread more evenly: u-0 from b to a, "
        "t-0 from a to b)",
    ]
    changed(row, spread=8, spread_optimal=False)
    assert only(row).startswith("the plan isn't optimal: topics spread more evenly: ")


def test_a_plan_of_before_there_was_spread() -> None:
    """It says nothing of it, and its certificate has nothing about it."""
    row = sound(spread=None, spread_optimal=None)
    assert row.certificate == b"\x01\x00\x01\xff\x00\x00\x00", "a level a byte or more"
    assert faults_of_group(row) == [], "the columns were lost, not the proof"
    assert faults_of_group(changed(row, certificate=row.certificate[:-1])) == []


def plan_columns(row: SimpleNamespace) -> list[str]:
    return [name for name in vars(row) if name.startswith("plan_") and name != "plan_count"]


@pytest.mark.parametrize(("entry", "place"), [(0, "t-0"), (5, "v-0"), (4, "u-0")])
@pytest.mark.parametrize("strategy", ["optimal", "sticky"])
def test_a_row_that_is_missing(entry: int, place: str, strategy: str) -> None:
    """Owned before or not, or dropped."""
    row = sound(strategy=strategy)
    for name in plan_columns(row):
        setattr(row, name, np.delete(getattr(row, name), entry))
    faults = faults_of_group(row)
    assert f"{place} is not in the plan (1 such)" in faults
    assert len(faults) == 1 or place != "u-0"


def test_a_row_that_is_there_twice() -> None:
    row = sound()
    for name in plan_columns(row):
        setattr(row, name, np.append(getattr(row, name), getattr(row, name)[[2, 2]]))
    assert only(row) == "t-2 is in the plan 3 times"


def test_a_row_for_what_nobody_reads_or_owned() -> None:
    """Partition 0 of u wasn't owned, only 1 was."""
    fleet = Fleet().topic("t", 1).topic("u", 2).group("g", {"a": ["t"]}, [("u", 1, "a")])
    row = planned_of(fleet)
    added = {"topics": "u", "partitions": 0, "members": None, "previous": None, "actions": "drop"}
    for name, cell in added.items():
        setattr(row, f"plan_{name}", np.append(getattr(row, f"plan_{name}"), cell))
    assert only(row) == "u-0 is called 'drop' and needs no action"


def test_a_plan_of_a_group_that_failed() -> None:
    """That a solver failed can't be checked, but then there is no plan."""
    row = sound(status="failed")
    measures = ("partitions", "max_load", "min_load", "sum_squares", "moves", "takeovers")
    measures += ("balance_optimal", "moves_optimal", "spread", "spread_optimal")
    assert faults_of_group(row) == [
        "the plan assigns 6 partitions of a group that is failed",
        f"the plan states {', '.join(measures)} of a group that is failed",
    ]
    for name in plan_columns(row):
        setattr(row, name, getattr(row, name)[:0])
    assert faults_of_group(changed(row, **dict.fromkeys(measures))) == []


@pytest.mark.parametrize("facts", [{"state": "Assigning"}, {"members": {}}])
def test_a_group_that_can_not_be_planned_has_not_failed(facts: dict[str, Any]) -> None:
    row = planned_of(Fleet().group("g", **{"members": {"a": []}} | facts))
    assert faults_of_group(row) == []
    output, row.status = row.status, "failed"
    assert only(row) == f"its status is {output}, the plan says failed"


def test_a_check_that_fails_is_a_fault_of_the_group_and_not_the_end_of_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: Any) -> None:
        raise RuntimeError("no luck")

    monkeypatch.setattr(plan_check, "check_assignment", fail)
    assert faults_of_group(sound())[-1] == "its plan can't be checked: RuntimeError: no luck"
