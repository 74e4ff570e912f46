"""Rates of offsets that were made by hand: what each oddity comes to."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark import FleetHistory, InputError
from spark.history import Timeline
from tests.support.fleets import Fleet
from tests.support.offsets import Offsets, snapshot_at

HOUR = 3600


def rows_of(rows: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(map(tuple, rows.select(*columns).collect()))


def one(rows: DataFrame, **keys: Any) -> dict[str, Any]:
    for key, value in keys.items():
        rows = rows.where(rows[key] == value)
    (row,) = rows.collect()
    return dict(row.asDict())


def test_mean_quantile_and_maximum(spark: SparkSession) -> None:
    """Of 1, 2 and 6 records a second; the quantile lies between two of them."""
    made = Offsets()
    for hour, end in enumerate((0, 1, 3, 9)):
        made.at(hour, 0, end=end * HOUR)
    with made.history(spark) as history:
        row = one(history.rates(quantile=0.75).rates)
    assert (row["mean"], row["quantile"], row["maximum"]) == (3, 4, 6)
    assert (row["pairs"], row["resets"], row["last_seen"]) == (3, 0, snapshot_at(3))


def test_the_window_ends_with_the_last_snapshot_of_each_cluster(spark: SparkSession) -> None:
    made = Offsets()
    for hour, end in ((0, 0), (1, HOUR), (2, 3 * HOUR)):
        made.at(hour, 0, end=end, cluster="early")
        made.at(hour + 9.5, 0, end=2 * end, cluster="late")
    with made.history(spark) as history:
        rates = history.rates(timedelta(hours=1))
        assert rows_of(rates.rates, "cluster", "mean", "pairs") == [("early", 2, 1), ("late", 4, 1)]
        assert rates.window.snapshots["late"] == [snapshot_at(10.5), snapshot_at(11.5)]


def test_a_topic_that_was_made_anew_starts_afresh(spark: SparkSession) -> None:
    """The other goes on, so no clock has jumped."""
    made = Offsets()
    for hour, end in enumerate((0, 2 * HOUR, 0, 4 * HOUR)):
        made.at(hour, 0, end=end).at(hour, 1, end=hour, topic="other")
    with made.history(spark) as history:
        rates = history.rates()
        assert rates.notes == ()
        row = one(rates.rates, topic="t")
    assert (row["pairs"], row["resets"], row["mean"]) == (2, 1, 3)


def test_a_reset_starts_consumption_afresh(spark: SparkSession) -> None:
    """And the lag's trend begins there: 10 h of lag after it, 7 h two hours later."""
    made = Offsets()
    for hour, committed, end in ((0, 5, 9), (1, 9, 9), (2, 0, 10), (3, 2, 10), (4, 5, 12)):
        made.at(hour, 0, committed * HOUR, end * HOUR)
    with made.history(spark) as history:
        row = one(history.rates().consumption)
    assert (row["pairs"], row["resets"], row["maximum"], row["now"]) == (3, 1, 4, 3)
    assert row["lag"] == 7 * HOUR
    assert row["lag_trend"] == pytest.approx(-1.5)
    assert (row["seconds_to_drain"], row["falls_behind"]) == (7 * HOUR, False)
    assert (row["lag_seconds"], row["at_least"]) == (4 * HOUR, True)


def test_neighbours_are_the_snapshots_that_know_the_offset(spark: SparkSession) -> None:
    """A gap of the partition, and an offset that wasn't known; -1 is what Kafka says for none."""
    made = Offsets().at(0, 0, end=0).at(1, 0, end=None).at(2, 0, end=-1).at(4, 0, end=8 * HOUR)
    made.look(3)
    with made.history(spark) as history:
        row = one(history.rates().rates)
    assert (row["mean"], row["pairs"]) == (2, 1)


def test_the_highest_of_several_groups_is_the_end(spark: SparkSession) -> None:
    made = Offsets().at(0, 0, end=0).at(1, 0, end=7, group="other").at(1, 0, end=HOUR)
    with made.history(spark) as history:
        assert rows_of(history.rates().rates, "mean", "pairs") == [(1, 1)]


def test_a_row_stated_twice_is_no_pair(spark: SparkSession) -> None:
    made = Offsets().at(0, 0, 0, 0).at(1, 0, 0, HOUR).at(1, 0, HOUR, 2 * HOUR)
    with made.history(spark) as history:
        rates = history.rates()
        assert rows_of(rates.rates, "mean", "pairs", "resets") == [(2, 1, 0)]
        assert rows_of(rates.consumption, "mean", "pairs", "resets") == [(1, 1, 0)]


def test_equal_offsets_are_a_rate_of_nothing(spark: SparkSession) -> None:
    made = Offsets().at(0, 0, 5, 9).at(1, 0, 5, 9)
    with made.history(spark) as history:
        rates = history.rates()
        assert rows_of(rates.rates, "mean", "maximum", "pairs") == [(0, 0, 1)]
        row = one(rates.consumption)
    assert (row["mean"], row["lag"], row["lag_trend"], row["falls_behind"]) == (0, 4, 0, False)
    assert row["seconds_to_drain"] is None
    assert (row["lag_seconds"], row["at_least"]) == (HOUR, True)


def test_one_snapshot_has_no_pairs(spark: SparkSession) -> None:
    """The lag it tells; how old that is can't be known."""
    with Offsets().at(0, 0, 5, 9, owner="m").history(spark) as history:
        rates = history.rates()
        assert rows_of(rates.rates, "mean", "quantile", "pairs", "resets") == [(None, None, 0, 0)]
        row = one(rates.consumption)
        assert rows_of(rates.members, "member_id", "now", "maximum", "pairs") == [
            ("m", None, None, 0)
        ]
    assert (row["pairs"], row["lag"], row["lag_trend"], row["falls_behind"]) == (0, 4, None, None)
    assert (row["lag_seconds"], row["at_least"]) == (None, False)
    assert rates.notes == (
        "1 cluster (c) without rates: the window of 1d holds one snapshot there, and a rate is of "
        "two",
    )


def clock_that_jumped() -> Offsets:
    """Looked at every hour from 6 on; before the fourth time the clock went back 2.5 hours."""
    made = Offsets()
    for at, hours in ((6, 0), (7, 1), (8, 2), (6.5, 3), (7.5, 4), (8.5, 5), (9.5, 6), (10.5, 7)):
        for topic in ("a", "b"):
            made.at(at, 0, hours * HOUR, hours * HOUR, topic=topic, owner="m")
        made.at(at, 0, 3, 3, topic="idle")
    return made


def test_a_clock_that_jumped_back_spoils_no_rate(spark: SparkSession) -> None:
    """It is told, and nothing that touches the two instants counts."""
    with clock_that_jumped().history(spark) as history:
        rates = history.rates()
        assert rows_of(rates.rates, "topic", "maximum", "pairs", "resets") == [
            ("a", 1, 2, 0),
            ("b", 1, 2, 0),
            ("idle", 0, 2, 0),
        ]
        assert rows_of(rates.consumption, "topic", "maximum", "pairs", "resets") == [
            ("a", 1, 2, 0),
            ("b", 1, 2, 0),
            ("idle", 0, 2, 0),
        ]
        assert rows_of(rates.members, "maximum", "pairs") == [(2, 2)]
    assert rates.notes[0] == (
        "cluster c: all end offsets fell from snapshot 20261121T063000Z to 20261121T070000Z: the "
        "clock of the collecting machine may have jumped back; no pair with one of the two counts"
    )
    assert len(rates.notes) == 2


def test_lag_in_seconds_is_between_two_snapshots(spark: SparkSession) -> None:
    """The end was at 150 halfway between the first and the second hour."""
    made = Offsets()
    for hour, committed, end in ((0, 0, 0), (1, 50, 100), (2, 100, 200), (3, 150, 200)):
        made.at(hour, 0, committed, end)
    with made.history(spark) as history:
        row = one(history.rates().consumption)
    assert (row["lag_seconds"], row["at_least"]) == (1.5 * HOUR, False)


def test_an_end_that_stood_still_makes_no_record_older(spark: SparkSession) -> None:
    """The record after 100 came after the second hour, though the end was there from the first."""
    made = Offsets()
    for hour, end in ((0, 0), (1, 100), (2, 100), (3, 200)):
        made.at(hour, 0, 100 if hour else 0, end)
    with made.history(spark) as history:
        assert one(history.rates().consumption)["lag_seconds"] == HOUR


def test_who_falls_behind(spark: SparkSession) -> None:
    """One does, one catches up, one keeps its distance, and one goes up and down."""
    made = Offsets()
    lags = {
        "behind": (10, 20, 30, 45),
        "drains": (900, 600, 500, 300),
        "steady": (70, 70, 70, 70),
        "varies": (50, 9, 50, 11),
        "read": (0, 4, 0, 0),
    }
    for group, items in lags.items():
        for hour, lag in enumerate(items):
            made.at(hour, 0, 1000 * hour + 1000 - lag, 1000 * hour + 1000, group=group)
    with made.history(spark) as history:
        columns = ("group", "falls_behind", "seconds_to_drain")
        assert rows_of(history.rates().consumption, *columns) == [
            ("behind", True, None),
            ("drains", False, 300 / 200 * HOUR),
            ("read", False, 0),
            ("steady", False, None),
            ("varies", False, pytest.approx(11 / 39 * HOUR)),
        ]


def test_what_a_member_reads_is_what_it_had_at_both_ends(spark: SparkSession) -> None:
    """Partition 1 goes from a to b in the second hour; partition 2 has two owners at once."""
    made = Offsets()
    for hour in range(4):
        made.at(hour, 0, hour * HOUR, owner="a")
        made.at(hour, 1, 10 * hour * HOUR, owner="a" if hour < 2 else "b")
        made.at(hour, 2, 100 * hour * HOUR, owner="a")
        made.rows["assignments"].append(made.rows["assignments"][-1] | {"member_id": "b"})
    made.rows["members"].append(made.rows["members"][0] | {"member_id": "idle"})
    with made.history(spark) as history:
        members = history.rates().members
        assert rows_of(members, "member_id", "now", "mean", "maximum", "pairs") == [
            ("a", 1, 13 / 3, 11, 3),
            ("b", 10, 10, 10, 1),
            ("idle", None, None, None, 0),
        ]
        assert one(members, member_id="idle")["last_seen"] == snapshot_at(0)


def test_the_newest_generation_of_two_claims_owns(spark: SparkSession) -> None:
    made = Offsets()
    for hour in range(2):
        made.at(hour, 0, hour * HOUR, owner="new")
        made.rows["assignments"][-1]["generation"] = 7
        old = made.rows["assignments"][-1] | {"member_id": "old", "generation": 6}
        made.rows["assignments"].append(old)
    with made.history(spark) as history:
        assert rows_of(history.rates().members, "member_id", "mean") == [("new", 1)]


def test_offsets_beyond_all_bounds_are_no_rate(spark: SparkSession, spark_defaults: None) -> None:
    """Under Spark's own settings, where arithmetic that overflows fails."""
    largest = 2**63 - 1
    made = Offsets().at(0, 0, 0, 0).at(1, 0, largest, largest, lag=-5).at(2, 0, 0, largest)
    with made.history(spark) as history:
        rates = history.rates()
        assert rows_of(rates.rates, "pairs", "resets", "maximum") == [(2, 0, largest / HOUR)]
        row = one(rates.consumption)
    assert (row["lag"], row["resets"], row["lag_seconds"]) == (largest, 1, 2 * HOUR)


@pytest.mark.parametrize("window", ["0h", "3 h", "1d3h", "-1h", timedelta(0)])
def test_a_window_that_is_none(spark: SparkSession, window: str | timedelta) -> None:
    with clock_that_jumped().history(spark) as history, pytest.raises(InputError, match="window"):
        history.rates(window)


def test_a_window_that_holds_one_snapshot(spark: SparkSession) -> None:
    with clock_that_jumped().history(spark) as history, pytest.raises(InputError) as raised:
        history.rates("30m")
    assert str(raised.value) == (
        "a window of 30m holds one snapshot of each cluster, and a rate is of two: choose one of "
        "at least 1h"
    )


@pytest.mark.parametrize("quantile", [-0.1, 1.01, float("nan")])
def test_a_quantile_that_is_none(spark: SparkSession, quantile: float) -> None:
    with clock_that_jumped().history(spark) as history:
        error = pytest.raises(InputError, match=r"isn't between 0 and 1, such as 0\.95")
        with error:
            history.rates(quantile=quantile)


def test_without_offsets(spark: SparkSession) -> None:
    history = clock_that_jumped().history(spark)
    without = {name: rows for name, rows in history.tables.items() if name != "offsets"}
    with pytest.raises(InputError, match="no snapshot has a table offsets"):
        FleetHistory(without, Timeline({"c": [snapshot_at(0)]})).rates()


def test_what_is_kept_is_freed_with_the_history(spark: SparkSession) -> None:
    with clock_that_jumped().history(spark) as history:
        rates = history.rates()
        assert rates.consumption.count() == 3
        assert rates._series.packed.is_cached
    assert not rates._series.packed.is_cached


def test_rates_as_weights(spark: SparkSession) -> None:
    """Names that aren't UTF-8 find theirs; a partition without a rate gets no weight."""
    made = Offsets()
    for hour, end in enumerate((0, HOUR, 4 * HOUR)):
        made.at(hour, 0, end=end)
    fleet = Fleet().topic("t", 2).topic("u", 1).snapshot(spark)
    with made.history(spark) as history:
        rates = history.rates(quantile=1)
        for column, weight in (("mean", 2), ("quantile", 3), ("maximum", 3)):
            snapshot = fleet.weighted_by(rates, column)
            assert snapshot.tables["partitions"].columns == fleet.tables["partitions"].columns
            assert rows_of(snapshot.tables["partitions"], "topic", "partition", "weight") == [
                ("t", 0, weight),
                ("t", 1, None),
                ("u", 0, None),
            ]
        of_table = fleet.weighted_by(rates.rates.select("cluster", "topic", "partition", "mean"))
        assert one(of_table.tables["partitions"], topic="t", partition=0)["weight"] == 2
        with pytest.raises(InputError, match="unknown measure 'p95'"):
            fleet.weighted_by(rates, "p95")
        with pytest.raises(InputError, match="table of rates lacks the column quantile"):
            fleet.weighted_by(rates.rates.drop("quantile"), "quantile")
