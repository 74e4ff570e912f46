"""What events do to groups, under each strategy."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from optimizer.model import DEFAULT_GOALS
from optimizer.scenarios import Crash, event_of
from spark import InputError, fleet_of_whatif, what_if, whatif_advice
from spark.settings import FleetConsumers
from spark.solve import TimeLimit
from spark.whatif import events_of, fleet_for_people
from spark.whatif.measure import WhatIf, WhatIfRow, rows_of_group
from spark.whatif.tables import lag_advice, whatif_notes
from tests.support.fleets import Fleet
from tests.support.rows import rows_of
from tests.support.said import Run, flat
from tests.support.terminal import tables_of

ALL = ("current", "range", "cooperative-sticky", "optimal")


def fleet(**facts: Any) -> Fleet:
    """Range's answer over two topics of four partitions: a and b have three, c has two."""
    made = Fleet().topic("t", 4).topic("u", 4)
    owned = [(topic, p, who) for topic in "tu" for p, who in enumerate("aabc")]
    everybody = {item: ["t", "u"] for item in "abc"}
    made.group("g", everybody, owned, **{"strategy": "range", **facts})
    for row in made.rows["members"]:
        row |= {"rack": "r1" if row["member_id"] == "a" else "r2", "host": row["member_id"]}
    return made


def happened(
    *events: str, strategies: tuple[str, ...] = ALL, static: bool = False, of: Fleet | None = None
) -> dict[str, WhatIfRow]:
    job = WhatIf(tuple(map(event_of, events)), strategies, static)
    row = rows_of(of or fleet())
    row.hosts = np.array(["a", "b", "c"], object)
    rows = rows_of_group(row, job, TimeLimit(60), DEFAULT_GOALS)
    return {str(item.strategy): item for item in rows}


def test_each_strategy_starts_from_its_own_answer() -> None:
    result = happened("crash-rack=r1")
    loads = {
        name: (row.max_load_before, row.max_load_after, row.excess_before, row.excess_after)
        for name, row in result.items()
    }
    assert loads == {
        "current": (4, 4, 1, 0),
        "range": (4, 4, 1, 0),
        "cooperative-sticky": (3, 4, 0, 0),
        "optimal": (3, 4, 0, 0),
    }
    assert {row.members_before for row in result.values()} == {3}
    assert {row.members_after for row in result.values()} == {2}
    assert (result["range"].moves, result["range"].takeovers) == (2, 4)
    assert (result["optimal"].moves, result["optimal"].takeovers) == (0, 3)


def test_a_group_goes_on_with_its_own_strategy() -> None:
    uses = {
        ("range", None): "range",
        ("sticky", "classic"): "sticky",
        ("uniform", "consumer"): "uniform",
        ("range", "consumer"): "server-range",
        (None, "consumer"): "uniform",
        ("com.example.Own", "classic"): "range",
        (None, None): "range",
    }
    for (strategy, kind), expected in uses.items():
        result = happened(
            "leave=a", strategies=("current",), of=fleet(strategy=strategy, type=kind)
        )
        assert result["current"].uses == expected


@pytest.mark.parametrize(
    ("events", "strategy", "cells"),
    [
        (  # what is new is neither moved nor taken over
            *(["grow=t:8"], "optimal"),
            {
                **{"partitions_before": 8, "partitions_after": 12, "moves": 0, "takeovers": 0},
                **{"max_load_after": 4, "min_load_after": 4},
            },
        ),
        (["leave=a", "join=2", "leave=new-1"], "optimal", {"members_after": 3}),
        (["members=0"], "optimal", {"status": "ok", "members_after": 0, "max_load_after": None}),
        *(
            (
                *(["crash-rack=r9"], strategy),
                {
                    **{"status": "unaffected", "members_after": None},
                    "reason": "no member is in rack 'r9' (they are in r1, r2)",
                },
            )
            for strategy in ("range", "optimal")
        ),
        # one rolling restart from range alone to cooperative-sticky alone: nothing fits
        (["upgrade=cooperative-sticky"], "range", {"fatal": 2}),
        (["upgrade=cooperative-sticky,range"], "range", {"fatal": 0}),
    ],
)
def test_what_events_do(events: list[str], strategy: str, cells: dict[str, Any]) -> None:
    row = happened(*events, strategies=(strategy,))[strategy]
    assert {name: getattr(row, name) for name in cells} == cells


def test_static_members_keep_what_they_own() -> None:
    assert happened("rolling-restart=30s")["range"].rebalances == 6
    row = happened("rolling-restart=30s", static=True)["range"]
    assert (row.rebalances, row.takeovers, row.moves) == (0, 0, 0)
    assert row.unread_seconds == pytest.approx(8 * 30, rel=0.05)


def test_a_fleet_has_a_row_a_strategy_and_advice(spark: SparkSession) -> None:
    made = fleet().group("nobody", {}).topic("v", 2)
    made.group("other", {"x": ["v"]}, [("v", 0, "x"), ("v", 1, "x")])
    rows = what_if(made.snapshot(spark), ["crash-rack=r1"], ALL).persist()
    assert rows.count() == 12
    table = fleet_of_whatif(rows).collect()
    rows.unpersist()
    result = {
        row.strategy: (row.groups, row.unaffected, row.not_evaluated, row.moves) for row in table
    }
    assert result == {
        "current": (1, 1, 1, 2),
        "range": (1, 1, 1, 2),
        "cooperative-sticky": (1, 1, 1, 0),
        "optimal": (1, 1, 1, 0),
    }
    assert table[0].strategy == "current"
    assert whatif_advice([row.asDict() for row in table]).startswith(
        "The scenario hits 1 of 2 groups: now "
    )


@pytest.mark.parametrize(
    ("events", "strategies", "fault"),
    [
        ([], ALL, "name an event at least, such as crash-rack=eu-west-a"),
        (["leave"], ALL, "event 'leave' is not leave=VALUE"),
        (["leave=a"], ["best"], "unknown strategy 'best'"),
    ],
)
def test_what_makes_no_sense_is_told(
    spark: SparkSession, events: list[str], strategies: list[str], fault: str
) -> None:
    with pytest.raises(InputError, match=fault):
        what_if(fleet().snapshot(spark), events, strategies)


def test_a_broker_goes_and_others_lead_what_it_led(spark: SparkSession) -> None:
    made = fleet()
    for row in made.rows["partitions"]:
        number = row["partition"]
        row |= {"leader": number % 2, "isr": [0, 2] if number == 0 else [number % 2]}
    snapshot = made.snapshot(spark)
    (row,) = what_if(snapshot, ["broker-down=0"], ["current"]).collect()
    assert (row.status, row.rebalances, row.leaderless) == ("ok", 0, 2)
    assert row.unread_seconds == pytest.approx(2 * 9, rel=0.05)
    (row,) = what_if(snapshot, ["broker-down=7"], ["current"]).collect()
    assert row.status == "unaffected"
    assert row.reason == "broker 7 leads nothing that the group reads"


def at_rates(
    job: WhatIf,
    *peak_rates: float,
    rates: Sequence[float] = (10, 10, 10, 10),
    behind: float = 0,
    **facts: Any,
) -> WhatIfRow:
    """Where the four partitions of each topic have these rates, and t-0 is so much `behind`."""
    row = rows_of(fleet(**facts))
    row.rated_topics = np.arange(2).repeat(4)
    row.rated_partitions, row.partition_rates = np.tile(range(4), 2), np.tile(rates, 2)
    row.behind_topics, row.behind_partitions = np.flatnonzero(row.topics == "t"), np.array([0])
    row.behind_records = np.array([behind])
    if peak_rates:
        row.peak_rates = np.array(peak_rates)
    (result,) = rows_of_group(row, job, TimeLimit(60), DEFAULT_GOALS)
    return result


def test_records_are_counted_by_the_rate_of_each_partition() -> None:
    """Only partitions 0 and 1 are a's, who crashes. Others get a hundred times as much."""
    job = WhatIf((Crash(rack="r1"),), ("current",))
    result = at_rates(job, rates=(1, 1, 100, 100), strategy="cooperative-sticky")
    assert result.unread_seconds == pytest.approx(4 * 45, rel=0.1)
    assert result.records_waited == pytest.approx(result.unread_seconds, rel=0.001)
    assert 0 < result.read_twice_seconds <= 4 * 5
    assert result.records_read_twice == pytest.approx(result.read_twice_seconds, rel=0.001)


def test_a_group_begins_with_what_it_is_behind() -> None:
    """a has four partitions and 600 records behind, and is away for 30 s: 1,800, at 100 − 40."""
    job = WhatIf((event_of("restart=a:30s:static"),), ("range",))
    job = replace(job, consumers=FleetConsumers({"peak_rate": 100}))
    result = at_rates(job, behind=600)
    assert result.max_lag_records == pytest.approx(600 + 4 * 10 * 30, rel=0.01)
    assert result.max_lag_seconds == pytest.approx(60 + 30, rel=0.01)
    assert result.catch_up_seconds == pytest.approx((600 + 4 * 10 * 30) / (100 - 40), rel=0.01)


def test_lag_is_told_where_rates_and_what_a_member_can_read_are_known() -> None:
    """Restarts of 30 s: b and c have two partitions each, a has four."""
    job = WhatIf((event_of("restart=a:30s:static"),), ("range",))
    result = at_rates(replace(job, consumers=FleetConsumers({"peak_rate": 100})))
    assert result.max_lag_seconds == pytest.approx(30, abs=0.3)
    assert result.max_lag_records == pytest.approx(4 * 10 * 30, rel=0.01)
    assert result.catch_up_seconds == pytest.approx(4 * 10 * 30 / (100 - 40), rel=0.01)
    assert result.never_caught_up == 0
    assert at_rates(job, 100.0).cells() == result.cells()
    # not known, or no more than what the busiest has to read
    for unknown in (at_rates(job), at_rates(job, 40.0)):
        assert (unknown.max_lag_seconds, unknown.never_caught_up) == (None, None)
    # two members can't read what eight partitions get
    crash = WhatIf((Crash(rack="r2"),), ("range",))
    unknown = at_rates(crash, 50.0)
    assert (unknown.status, unknown.never_caught_up) == ("ok", None)
    never = at_rates(replace(crash, consumers=FleetConsumers({"peak_rate": 50})), 50.0)
    assert (never.never_caught_up, never.catch_up_seconds) == (8, None)


def under(strategy: str, unread: float = 0, **figures: Any) -> dict[str, Any]:
    """A row of the fleet under a strategy."""
    counts = {"groups": 3, "unaffected": 2, "not_evaluated": 0, "left_empty": 0}
    costs = {"unread_seconds": unread, "rebalances": 1, "moves": 1200, "excess_after": 0}
    lag = {"max_lag_records": None, "max_lag_seconds": None, "never_caught_up": None}
    more = {"catch_up_seconds": None, "mean_over_bound_after": None, "longest_pause": 45.2}
    return {"kind": "consumer", "strategy": strategy} | counts | costs | lag | more | figures


def test_the_verdict_says_what_is_hit_what_to_change_and_what_that_saves() -> None:
    crash = events_of(["crash-rack=r1"])
    now, best = under("current", 36_000), under("uniform", 120, excess_after=4)
    hit = "crash-rack=r1 hits 3 of 5 groups: now 10 partition-hours unread, 1 rebalance"
    rest = "1,200 partitions moved."
    change = "Change to uniform: 120 partition-seconds unread, 4 partitions of excess load."
    assert whatif_advice([now, best], crash) == f"{hit}, {rest} {change}"
    worse = under("range", 36_000)
    assert whatif_advice([now, worse], crash) == f"{hit}, {rest} No other strategy helps."
    assert whatif_advice([best], crash).startswith("crash-rack=r1 hits 3 of 5 groups: with uniform")
    unharmed = under("current", rebalances=None, moves=0)
    assert whatif_advice([unharmed], crash) == "crash-rack=r1 hits 3 of 5 groups at no cost."
    assert whatif_advice([under("current", groups=0)], crash).startswith("No group has these")
    notes = [*whatif_notes([now | {"left_empty": 1}], crash)]
    assert [note[:30] for note in notes] == [
        *("1 group has no members left.", "Lag is unknown: state peak_rat"),
        "A crash is noticed when the se",
    ]


def test_lag_is_that_of_now_and_of_the_strategy_that_falls_behind_least() -> None:
    def row(strategy: str, seconds: float | None, never: int = 0) -> dict[str, Any]:
        lag = {"max_lag_seconds": seconds, "max_lag_records": 1200.2, "never_caught_up": never}
        return under(strategy, **lag, catch_up_seconds=33_904.0)

    now = row("current", 50.76)
    assert lag_advice([now, row("uniform", 8.0)]) == (
        "Now: up to 51 s behind, up to 9.4 h to catch up. Uniform: up to 8 s behind, up to 9.4 h "
        "to catch up."
    )
    assert lag_advice([row("range", 0.0) | {"max_lag_records": 0}]) == (
        "Range: nothing falls behind."
    )
    assert "3 partitions never catch up" in lag_advice([row("current", 45.0, never=3)])
    assert lag_advice([row("current", None)]).startswith("Lag is unknown: ")
    cells = fleet_for_people(now, by_weight=False)
    assert (cells["longest_pause"], cells["behind"], cells["catch_up"]) == ("45 s", "51 s", "9.4 h")
    assert fleet_for_people(row("range", 45.0, never=1), by_weight=False)["catch_up"] == "never"


def test_a_broker_that_is_down_leaves_leaders_and_groups_behind(run: Run, tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 4).topic("u", 2).topic("v", 1)
    fleet.group("both", {"a": ["t", "v"]}, [*(("t", p, "a") for p in range(4)), ("v", 0, "a")])
    fleet.group("alone", {"x": ["u"]}, [("u", 0, "x"), ("u", 1, "x")])
    fleet.group("paused", {"y": ["v"]}, [("v", 0, "y")])
    placed = {"t": [[3, 1], [1, 3], [3, 2, 1], [2, 3]], "u": [[3], [3, 1]], "v": [[3, 2]]}
    for row in fleet.rows["partitions"]:
        replicas = placed[row["topic"]][row["partition"]]
        in_sync = [3] if row["topic"] == "u" else replicas
        row |= {"leader": replicas[0], "replicas": replicas, "isr": in_sync, "weight": 2.0}
    fleet.store(tmp_path / "store")
    words = "whatif", tmp_path / "store", "--event", "broker-down=3", "--strategies", "range"
    text = flat(run(*words).out)
    assert "Broker 3 led 5 partitions. They go to broker 2 (+2), broker 1 (+1)." in text
    assert "By weight, broker 2 gets most." in text
    assert "2 partitions (u-0, u-1) have no leader: no other replica is in sync." in text
    assert "1 group (alone) reads nothing until it is back." in text
    assert "1 group (paused) reads nothing until others lead (" in text
    report = tables_of(run(*words, "--format", "json"))
    leads = {row["broker"]: (row["leads_before"], row["leads_after"]) for row in report["leaders"]}
    assert leads == {1: (1, 2), 2: (1, 3), 3: (5, 0)}
    assert [(row["topic"], row["partition"]) for row in report["without_leader"]] == [
        ("u", 0),
        ("u", 1),
    ]
    hit = {
        row["group"]: (row["partitions"], row["led"], row["leaderless"])
        for row in report["groups_hit"]
    }
    assert hit == {"alone": (2, 2, 2), "paused": (1, 1, 0), "both": (5, 3, 0)}
