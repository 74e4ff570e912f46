"""How many members each group of a fleet needs."""

from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetHistory, FleetSnapshot, InputError, members_fleet
from spark.members import commit_rows
from tests.support.fleets import Fleet, snapshot_of
from tests.support.offsets import snapshot_at

HOUR = 3600


def fleet(hour: int = 0) -> Fleet:
    """A group of 50 with 51 partitions, one of two subscriptions, and such without a plan."""
    made = Fleet().topic("t", 51).topic("own", 9).topic("more", 4)
    names = [f"m{n:02}" for n in range(50)]
    made.group("big", {name: ["t"] for name in names}, [("t", n, names[n]) for n in range(50)])
    owned = [*(("own", n, "a") for n in range(9)), *(("more", n, "b") for n in range(4))]
    made.group("mixed", {"a": ["own"], "b": ["more"], "c": ["more"], "d": ["more"]}, owned)
    made.group("gone", {"m": ["missing"]})
    made.group("nobody", {})
    made.group("moving", {"m": ["t"]}, state="PreparingRebalance")
    for group, topic, partition, pace in (
        *(("mixed", "own", n, 10) for n in range(9)),
        *(("mixed", "more", n, 30) for n in range(4)),
    ):
        place = {"group": group, "topic": topic, "partition": partition}
        moved = hour * pace * HOUR
        made.add("offsets", **place, committed_offset=moved, end_offset=moved)
    return made


def by_group(snapshot: FleetSnapshot, *more: Any) -> dict[str, dict[str, Any]]:
    rows = members_fleet(snapshot, *more).collect()
    return {row.group: row.asDict(recursive=True) for row in rows}


def test_each_group_has_its_numbers_or_the_reason_why_not(spark: SparkSession) -> None:
    result = by_group(fleet().snapshot(spark))
    big = result["big"]
    assert (big["members"], big["partitions"], big["optimal_max"], big["spare"]) == (50, 51, 2, 24)
    assert (big["fewest_optimal"], big["next_better"], big["even"]) == (26, 51, False)
    assert (big["current_max"], big["needed"], big["proven"]) == (1, None, True)
    assert big["sizes"][0] == {"members": 47, "max_load": 2, "even": False}
    assert big["sentence"] == (
        "51 partitions over 50 members: 2 at most, as over 26, so 24 are spare. It takes 51 "
        "members to have fewer. 17 or 51 would have the same number each."
    )
    mixed = result["mixed"]
    assert mixed["sentence"] == (
        "13 partitions over 4 members: 9 at most, as over 2, so 2 are spare. More members don't "
        "lower that."
    )
    assert "most common subscription" in mixed["assumed"]
    assert (result["gone"]["status"], result["gone"]["sentence"]) == ("invalid", None)
    assert (result["nobody"]["status"], result["nobody"]["sentence"]) == ("empty", None)
    assert result["moving"]["status"] == "rebalancing"


def test_what_comes_in_needs_members(spark: SparkSession) -> None:
    """120 records a second for b, who has done them; a has 90, and the others can't help it."""
    several = [snapshot_of(spark, fleet(hour).tables(), snapshot_at(hour)) for hour in range(3)]
    with FleetHistory.of(several) as history:
        rates = history.rates()
        of_all = by_group(several[0], rates)
        roomy = by_group(several[0], rates, 0.8)["mixed"]
    usual, none = of_all["mixed"], of_all["big"]
    assert (usual["rate"], usual["rated"], usual["peak_rate"]) == (210, 13, 120)
    assert (usual["needed"], roomy["needed"], none["needed"]) == (None, 3, None)
    assert roomy["sentence"].endswith(
        "3 members are needed for 210 records a second, at 96 for each member (highest observed "
        "rate: 120)."
    )
    assert usual["sentence"].endswith(
        "No number of members with the most common subscription is enough for 210 records a "
        "second, at 84 for each member (highest observed rate: 120)."
    )
    assert "no member can do more than the highest observed rate" in usual["assumed"]


@pytest.mark.parametrize("headroom", [0, -1, 1.1, float("nan")])
def test_a_headroom_that_is_none(spark: SparkSession, headroom: float) -> None:
    with pytest.raises(InputError, match="must be above 0 and at most 1"):
        members_fleet(fleet().snapshot(spark), None, headroom)


def test_groups_with_rates_the_fastest_first() -> None:
    rows = [
        {"cluster": "c", "group": "slow", "members": 2, "rate": 10.0},
        {"cluster": "c", "group": "fast", "members": 10, "rate": 1000.0},
        {"cluster": "c", "group": "unknown", "members": 3, "rate": None},
        {"cluster": "c", "group": "empty", "members": 0, "rate": 5.0},
    ]
    costs = commit_rows(rows)
    assert [(row["group"], row["interval"]) for row in costs] == [
        *(("fast", interval) for interval in (1.0, 5.0, 15.0, 60.0)),
        *(("slow", interval) for interval in (1.0, 5.0, 15.0, 60.0)),
    ]
    assert costs[1] == {
        **{"cluster": "c", "group": "fast", "interval": 5.0, "commits": 2.0},
        **{"read_twice": 250.0, "read_twice_most": 500.0},
    }
