"""How far a live group is from its plan."""

from typing import Any

import pytest

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce.evaluate_group import differences, misfit
from spark.sources.live.group import DescribedGroup, DescribedMember

PLAN = GroupPlan("c", "g", "s1", {"a": {"t": [0, 1]}, "b": {"t": [2]}, "idle": {}})


def member(key: str, *owned: int, static: bool = False, number: int = 1) -> DescribedMember:
    return DescribedMember(
        f"{key}-{number}",
        instance_id=key if static else None,
        client_id="shared" if static else key,
        topics=("t",),
        owned=tuple(("t", partition) for partition in owned),
    )


def group(*members: DescribedMember) -> DescribedGroup:
    return DescribedGroup("g", "Stable", "evenfleet-plan", 3, members)


def found(*members: DescribedMember) -> dict[str, tuple[Any, ...]]:
    rows = differences(PLAN, group(*members))
    return {row["member"]: (row["to_get"], row["to_give"], row["why"]) for row in rows}


@pytest.mark.parametrize("static", [False, True])
def test_no_difference_when_each_owns_its_part(static: bool) -> None:
    """Members go by their instance id, or else by their client id."""
    present = [member("a", 1, 0, static=static), member("b", 2, static=static)]
    assert found(*present, member("idle", static=static)) == {}


def test_a_guest_that_reads_nothing_makes_none() -> None:
    present = [member("a", 0, 1), member("b", 2), member("idle")]
    assert found(*present, DescribedMember("guest", topics=())) == {}


def test_who_has_too_little_or_too_much() -> None:
    assert found(member("a", 0), member("b", 1, 2), member("idle")) == {
        "a": (1, 0, None),
        "b": (0, 1, None),
    }


def test_a_partition_with_two_owners_is_one() -> None:
    assert found(member("a", 0, 1), member("b", 2, 1), member("idle")) == {"b": (0, 1, None)}


def test_who_is_missing_strange_or_there_twice() -> None:
    assert found(member("a", 0), member("a", 1, number=2), member("x"), member("idle")) == {
        "a": (0, 0, "2 members go by this key"),
        "b": (1, 0, "not in the group"),
        "x": (0, 0, "not in the plan"),
    }


def test_what_the_leader_would_say_of_the_plan() -> None:
    """As `optimizer.assignor.group` has it, with the partitions that the cluster has now."""
    live = group(member("a"), member("b", static=True), member("idle"))
    assert misfit(PLAN, live, {"t": 3, "not-read": 7}) is None
    assert misfit(PLAN, live, {"t": 4}) == "it has 3 partitions of 't', and there are 4"
    assert misfit(PLAN, live, {}) == "its topic 't' isn't in the cluster, or no member reads it"
    assert misfit(PLAN, group(member("a")), {"t": 3}) == "its member 'b' isn't in the group"
