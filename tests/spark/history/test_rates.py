"""Rates of offsets that were made by hand: what random ones don't have, each in a cluster."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from spark import InputError
from spark.history import FleetRates, Timeline
from spark.history.rates import fleet_rates
from tests.support.fleets import Fleet
from tests.support.offsets import Offsets, snapshot_at

HOUR = 3600

HOURLY = range(24)

JUMPED = (6, 7, 8, 6.5, 7.5, 8.5, 9.5, 10.5)
"""When a cluster was looked at, an hour apart: before the fourth time the clock went back."""

LAGS = {
    "behind": (10, 20, 30, 45),
    "drains": (900, 600, 500, 300),
    "steady": (70, 70, 70, 70),
    "varies": (50, 9, 50, 11),
    "read": (0, 4, 0, 0),
}
"""Of groups: one falls behind, one catches up, one keeps its distance, one goes up and down."""


def made_by_hand() -> Offsets:
    made = Offsets()

    def look(
        cluster: str,
        ends: Sequence[int],
        committed: Sequence[int] = (),
        hours: Sequence[float] = HOURLY,
        **more: Any,
    ) -> None:
        """What partition 0 had at some instants."""
        for at, end in enumerate(ends):
            offset = committed[at] if committed else None
            made.at(hours[at], 0, offset, end, cluster=cluster, **more)

    def by_hour(*values: int) -> list[int]:
        return [value * HOUR for value in values]

    look("rates", by_hour(0, 1, 3, 9))
    look("twice", by_hour(0, 1, 2), by_hour(0, 0, 1), hours=(0, 1, 1))
    look("once", (9,), (5,), owner="m")
    for topic in ("a", "b"):
        passed = by_hour(*range(8))
        look("jumped", passed, passed, JUMPED, topic=topic, owner="m")
    look("jumped", [3] * 8, [3] * 8, JUMPED, topic="idle")
    # the end was at 150 halfway between the first and the second hour
    look("between", (0, 100, 200, 200), (0, 50, 100, 150))
    for group, lags in LAGS.items():
        ends = range(1000, 5000, 1000)
        look("lags", ends, [end - lag for end, lag in zip(ends, lags, strict=True)], group=group)
    _owners(made)
    return made


def _owners(made: Offsets) -> None:
    """Partition 1 goes from a to b in the second hour; partition 2 has two owners at once.

    In another cluster the newest generation of two claims owns.
    """
    for hour in range(4):
        owner = "a" if hour < 2 else "b"
        made.at(hour, 0, hour * HOUR, owner="a", cluster="owners")
        made.at(hour, 1, 10 * hour * HOUR, owner=owner, cluster="owners")
        made.at(hour, 2, 100 * hour * HOUR, owner="a", cluster="owners")
        made.rows["assignments"].append(made.rows["assignments"][-1] | {"member_id": "b"})
    idle = {"snapshot": snapshot_at(0), "cluster": "owners", "group": "g", "member_id": "idle"}
    made.rows["members"].append(idle)
    for hour in range(2):
        made.at(hour, 0, hour * HOUR, owner="new", cluster="generations")
        made.rows["assignments"][-1]["generation"] = 7
        old = made.rows["assignments"][-1] | {"member_id": "old", "generation": 6}
        made.rows["assignments"].append(old)


RATES = {
    ("rates", "t"): {
        **{"mean": 3, "quantile": 4, "maximum": 6, "pairs": 3, "resets": 0},
        "last_seen": snapshot_at(3),
    },
    ("twice", "t"): {"mean": 2, "pairs": 1, "resets": 0},
    ("once", "t"): {"mean": None, "quantile": None, "pairs": 0, "resets": 0},
    ("jumped", "a"): {"maximum": 1, "pairs": 2, "resets": 0},
    ("jumped", "b"): {"maximum": 1, "pairs": 2, "resets": 0},
    ("jumped", "idle"): {"maximum": 0, "pairs": 2, "resets": 0},
}

CONSUMPTION = {
    ("twice", "g", "t"): {"mean": 1, "pairs": 1, "resets": 0},
    # the lag it tells; how old that is can't be known
    ("once", "g", "t"): {
        **{"pairs": 0, "lag": 4, "lag_trend": None, "falls_behind": None},
        **{"lag_seconds": None, "at_least": False},
    },
    **{
        ("jumped", "g", topic): {"maximum": most, "pairs": 2, "resets": 0}
        for topic, most in (("a", 1), ("b", 1), ("idle", 0))
    },
    ("between", "g", "t"): {"lag_seconds": 1.5 * HOUR, "at_least": False},
    ("lags", "behind", "t"): {"falls_behind": True, "seconds_to_drain": None},
    ("lags", "drains", "t"): {"falls_behind": False, "seconds_to_drain": 1.5 * HOUR},
    ("lags", "read", "t"): {"falls_behind": False, "seconds_to_drain": 0},
    ("lags", "steady", "t"): {"falls_behind": False, "seconds_to_drain": None},
    ("lags", "varies", "t"): {"falls_behind": False, "seconds_to_drain": 11 / 39 * HOUR},
}

MEMBERS = {
    ("once", "m"): {"now": None, "maximum": None, "pairs": 0},
    ("jumped", "m"): {"maximum": 2, "pairs": 2},
    ("owners", "a"): {"now": 1, "mean": 13 / 3, "maximum": 11, "pairs": 3},
    ("owners", "b"): {"now": 10, "mean": 10, "maximum": 10, "pairs": 1},
    ("owners", "idle"): {
        **{"now": None, "mean": None, "maximum": None, "pairs": 0},
        "last_seen": snapshot_at(0),
    },
    ("generations", "new"): {"mean": 1},
}


@pytest.fixture(scope="module")
def rates(spark: SparkSession) -> Iterator[FleetRates]:
    with made_by_hand().history(spark) as history:
        yield history.rates(quantile=0.75)


@pytest.mark.parametrize(
    ("table", "keys", "expected"),
    [
        ("rates", ("cluster", "topic"), RATES),
        ("consumption", ("cluster", "group", "topic"), CONSUMPTION),
        ("members", ("cluster", "member_id"), MEMBERS),
    ],
)
def test_what_each_oddity_comes_to(
    rates: FleetRates, table: str, keys: Sequence[str], expected: dict[tuple[str, ...], Any]
) -> None:
    rows = {tuple(row[key] for key in keys): row for row in getattr(rates, table).collect()}
    if table == "members":
        assert rows.keys() == expected.keys()
    found = {
        key: {column: rows[key][column] for column in columns} for key, columns in expected.items()
    }
    assert found == {key: pytest.approx(columns) for key, columns in expected.items()}


def test_a_clock_that_jumped_back_and_a_cluster_seen_once_are_told(rates: FleetRates) -> None:
    """Nothing that touches the two instants counts, though there is time on both sides."""
    assert rates.notes == (
        "1 cluster (once) without rates: the window of 1d holds one snapshot there, and a rate is "
        "of two",
        *(
            f"cluster jumped: all end offsets fell from snapshot {before} to {after}: the clock of "
            "the collecting machine may have jumped back; no pair with one of the two counts"
            for before, after in (
                ("20261121T063000Z", "20261121T070000Z"),
                ("20261121T073000Z", "20261121T080000Z"),
            )
        ),
    )


def one(rows: DataFrame, *columns: str) -> tuple[Any, ...]:
    (row,) = rows.select(*columns).collect()
    return tuple(row)


def test_offsets_beyond_all_bounds_are_no_rate(spark: SparkSession, spark_defaults: None) -> None:
    """Under Spark's own settings, where arithmetic that overflows fails.

    What was kept for it is freed with the history.
    """
    largest = 2**63 - 1
    made = Offsets().at(0, 0, 0, 0).at(1, 0, largest, largest, lag=-5).at(2, 0, 0, largest)
    with made.history(spark) as history:
        rates = history.rates()
        assert one(rates.rates, "pairs", "resets", "maximum") == (2, 0, largest / HOUR)
        row = one(rates.consumption, "lag", "resets", "lag_seconds")
        assert rates._series[0].rows.is_cached
    assert row == (largest, 1, 2 * HOUR)
    assert not rates._series[0].rows.is_cached


TIMELINE = Timeline({"c": [snapshot_at(0), snapshot_at(1)]})


@pytest.mark.parametrize(
    ("options", "why"),
    [
        *(({"window": window}, "window") for window in ("0h", "3 h", "3h1d", "-1h", timedelta(0))),
        (
            {"window": "30m"},
            "a window of 30m holds one snapshot of each cluster, and a rate is of two: choose one "
            "of at least 1h$",
        ),
        *(
            ({"quantile": quantile}, r"isn't between 0 and 1, such as 0\.95")
            for quantile in (-0.1, 1.01, float("nan"))
        ),
        ({}, "no snapshot has a table offsets"),
    ],
)
def test_what_rates_cant_be_of(spark: SparkSession, options: dict[str, Any], why: str) -> None:
    tables = {"offsets": spark.range(0)} if options else {}
    with pytest.raises(InputError, match=why):
        fleet_rates(tables, TIMELINE, **options)


def test_rates_as_weights(spark: SparkSession, rates: FleetRates) -> None:
    """A partition without a rate gets no weight."""
    fleet = Fleet().topic("t", 2, cluster="rates").topic("u", 1, cluster="rates").snapshot(spark)
    columns = ("topic", "partition", "weight")
    for column, weight in (("mean", 3), ("quantile", 4), ("maximum", 6)):
        partitions = fleet.weighted_by(rates, column).tables["partitions"]
        assert partitions.columns == fleet.tables["partitions"].columns
        weights = sorted(map(tuple, partitions.select(*columns).collect()))
        assert weights == [("t", 0, weight), ("t", 1, None), ("u", 0, None)]
    own = spark.createDataFrame(
        [("rates", "t", 0, 2.0)], "cluster string, topic string, partition int, mean double"
    )
    of_table = fleet.weighted_by(own).tables["partitions"]
    assert one(of_table.where("topic = 't' and partition = 0"), "weight") == (2,)
    with pytest.raises(InputError, match="unknown measure 'p95'"):
        fleet.weighted_by(rates, "p95")
    with pytest.raises(InputError, match="table of rates lacks the column quantile"):
        fleet.weighted_by(own, "quantile")
