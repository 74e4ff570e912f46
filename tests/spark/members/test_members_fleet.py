"""How many members each group of a fleet needs."""

from typing import Any

from pyspark.sql import SparkSession

from spark import FleetHistory, FleetSnapshot, members_fleet
from spark.members import commit_rows, verdict_of
from spark.members.members_row import summary_of
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
        "Up to 2 per member (51 partitions, 50 members). 24 are spare: 26 carry no more. Fewer "
        "needs 51 members. 17 or 51 divide evenly."
    )
    mixed = result["mixed"]
    assert mixed["sentence"] == (
        "Up to 9 per member (13 partitions, 4 members). 2 are spare: 2 carry no more. More members "
        "don't lower that."
    )
    assert "new members read what most members read" in mixed["assumed"]
    assert verdict_of([*result.values()], 0.7) == "2 of 2 groups have 26 spare members."
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
    assert roomy["sentence"] == (
        "3 members of 4 can do 210 records/s. Up to 9 per member (13 partitions, 4 members). "
        "1 is spare: 3 carry no more. More members don't lower that."
    )
    assert usual["sentence"].startswith(
        "Keeps up with 210 records/s. Up to 9 per member (13 partitions, 4 members). More members"
    )
    assert usual["assumed"].startswith(
        "every partition peaks (p95) at once and load splits freely, and no"
    )


def row(**facts: Any) -> dict[str, Any]:
    """Five members of 13 partitions."""
    counts = {"members": 5, "partitions": 13, "current_max": 4, "optimal_max": 3, "per_host": 1}
    near = {"fewest_optimal": 5, "next_better": 7, "even": False, "even_below": 1, "even_above": 13}
    rates = {"rate": 138.0, "peak_rate": 9.4, "behind": 2, "needed": None}
    return counts | near | rates | {"spare": 0, "proven": True, "sentence": "…"} | facts


def test_a_group_short_of_members_is_told_how_many_to_add() -> None:
    hosts = {"members": 4, "per_host": 2, "next_better": 8, "even_below": None}
    for facts, load, top, sentence in (
        (
            {"needed": 22},
            *(6.5, 106.3),
            "Add 8 members (5 → 13): 138 records/s need 22 with 6.5 each. One partition alone has "
            "106.3: spread its keys, members can't help. Up to 3 per member, now 4 (13 partitions, "
            "5 members). Fewer needs 7 members. 13 divides evenly.",
        ),
        (
            hosts | {"needed": 6, "current_max": 3},
            *(23.0, 1.0),
            "Add 2 members (4 → 6): 138 records/s need 6 with 23 each. Up to 3 per member (13 "
            "partitions, 4 members on 2 hosts). Fewer needs 8 members (4 hosts). 13 divides "
            "evenly.",
        ),
        (  # it reads what comes in: how much its members can do isn't known
            {"needed": 22, "behind": 0},
            *(6.5, 106.3),
            "Keeps up with 138 records/s. Up to 3 per member, now 4 (13 partitions, 5 members). "
            "Fewer needs 7 members. 13 divides evenly.",
        ),
    ):
        assert summary_of(row(**facts), load, top) == sentence


def test_the_verdict_counts_groups_that_lack_members_and_those_with_some_to_spare() -> None:
    short, spare = row(needed=9), row(members=8, needed=6)
    of = "of 2 groups falls behind and needs 4 more members, each at 70 % of the fastest seen"
    assert verdict_of([short, spare], 0.7) == f"1 {of}; 1 have 2 to spare."
    assert verdict_of([short, row(needed=5)], 0.7) == f"1 {of}; none has any to spare."
    keeps_up = row(needed=9, behind=0)
    assert verdict_of([keeps_up, spare], 0.7) == "1 of 2 groups have 2 spare members."
    assert verdict_of([row(needed=5)], 0.7) == "None of 1 group lacks members or has any to spare."


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
