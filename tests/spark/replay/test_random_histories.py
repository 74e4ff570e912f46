"""A replay in Spark comes to what a plain loop over the snapshots does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from optimizer import STRATEGIES, Goals
from spark import FleetHistory, FleetReplay, replay_fleet
from tests.spark.replay.plain_loop import CURRENT, Row, replayed
from tests.spark.replay.random_histories import History, random_history, write_histories

STEPS = (
    *("rebalanced", "first", "max_load", "min_load", "sum_squares", "excess"),
    *("moves", "takeovers", "stopped", "remote_reads"),
)
ONCE = ("rebalanced", "first", "moves", "takeovers", "stopped")
"""What counts in the first snapshot of a step alone."""

SUMS = ("moves", "takeovers", "stopped")

ALL = (CURRENT, *STRATEGIES)

GOALS = Goals(rack="any")

HISTORIES = [random_history(seed) for seed in range(200)]


@pytest.fixture(scope="module")
def replay(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetReplay]:
    store = tmp_path_factory.mktemp("store")
    write_histories(HISTORIES, store)
    with (
        FleetHistory.read(spark, str(store)) as history,
        replay_fleet(history, ALL, GOALS) as made,
    ):
        yield made


@pytest.fixture(scope="module")
def plain() -> dict[tuple[str, str], list[Row | None]]:
    return {
        (history.cluster, strategy): list(replayed(history, strategy, GOALS))
        for history in HISTORIES
        for strategy in ALL
    }


def by_snapshot(rows: list[Any], history: History) -> list[Row | None]:
    """A group's steps under one strategy, snapshot by snapshot."""
    found: list[Row | None] = [None] * len(history.ids)
    for row in rows:
        for at in range(row.start, row.end + 1):
            nothing = dict.fromkeys(ONCE, 0) | {"rebalanced": False, "first": False}
            cells = {name: row[name] for name in STEPS} | (nothing if at > row.start else {})
            found[at] = cells if row.max_load is not None else None
    return found


def test_each_snapshot_is_as_in_a_plain_loop(
    replay: FleetReplay, plain: dict[tuple[str, str], list[Row | None]]
) -> None:
    steps = defaultdict(list)
    for row in replay.steps.collect():
        steps[row.cluster, row.strategy].append(row)
    for history in HISTORIES:
        for strategy in ALL:
            made = by_snapshot(steps[history.cluster, strategy], history)
            for at, (mine, its) in enumerate(
                zip(made, plain[history.cluster, strategy], strict=True)
            ):
                wanted = its and {name: its[name] for name in STEPS}
                assert mine == wanted, (history.cluster, strategy, at)
