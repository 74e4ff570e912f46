"""A replay in Spark comes to what a plain loop over the snapshots does."""

from collections import defaultdict
from dataclasses import asdict, dataclass
from typing import Any

import pytest
from pyspark.sql import Row, SparkSession

from optimizer import STRATEGIES, Goals
from spark import FleetHistory, replay_fleet
from spark.history import Timeline
from spark.replay import steps
from spark.replay.fleet_replay import SUMMED
from spark.replay.steps import Replay
from spark.settings import as_fleet_goals
from spark.solve import TimeLimit
from tests.spark.replay.plain_loop import CURRENT, Row as Facts, replayed
from tests.spark.replay.random_histories import History, random_histories
from tests.support.rows import rows_of
from tests.support.tiers import tiered

STEPS = (
    *("rebalanced", "first", "max_load", "min_load", "sum_squares", "excess"),
    *("moves", "takeovers", "stopped", "remote_reads"),
)
ONCE = ("rebalanced", "first", "moves", "takeovers", "stopped")
"""What counts in the first snapshot of a step alone."""

ALL = (CURRENT, *STRATEGIES)

GOALS = Goals(rack="any")


@dataclass(frozen=True)
class Both:
    """A replay in Spark, and what a plain loop comes to by cluster and strategy."""

    histories: list[History]
    steps: list[Any]
    groups: list[Any]
    league: list[Any]
    plain: dict[tuple[str, str], list[Facts | None]]


@pytest.fixture(scope="module", params=tiered([8, 100], 1))
def both(
    spark: SparkSession, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Both:
    store = tmp_path_factory.mktemp("store")
    fleets, histories = random_histories(range(request.param))
    for item, fleet in fleets.items():
        fleet.store(store, item)
    plain = {
        (history.cluster, strategy): list(replayed(history, strategy, GOALS))
        for history in histories
        for strategy in ALL
    }
    with (
        FleetHistory.read(spark, str(store)) as history,
        replay_fleet(history, ALL, GOALS) as made,
    ):
        tables = (made.steps.collect(), made.groups.collect(), made.league.collect())
        return Both(histories, *tables, plain)


def only_steps(row: Facts | None) -> Facts | None:
    return row and {name: row[name] for name in STEPS}


def by_snapshot(rows: list[Any], history: History) -> list[Facts | None]:
    """A group's steps under one strategy, snapshot by snapshot."""
    result: list[Facts | None] = [None] * len(history.ids)
    for row in rows:
        for at in range(row.start, row.end + 1):
            nothing = dict.fromkeys(ONCE, 0) | {"rebalanced": False, "first": False}
            cells = {name: row[name] for name in STEPS} | (nothing if at > row.start else {})
            result[at] = cells if row.max_load is not None else None
    return result


@pytest.mark.parametrize("seed", tiered(range(100), 15))
def test_each_step_is_as_in_a_plain_loop_without_spark(seed: int) -> None:
    """From a row a snapshot, whether anything changed or not."""
    fleets, histories = random_histories([seed])
    for history in histories:
        rows = []
        for at, item in enumerate(history.ids):
            if history.looks[at]:
                row = rows_of(fleets[item], "g000", history.cluster, racks=True)
                rows.append(row._replace(snapshot=item, start=at, end=at))
        timeline = Timeline({history.cluster: history.ids})
        with TimeLimit(60) as limit:
            made = list(
                steps.rows_of(rows, Replay(timeline, ALL, as_fleet_goals(GOALS), 60), limit)
            )
        for strategy in ALL:
            of = [Row(**asdict(row)) for row in made if row.strategy == strategy]
            wanted = [only_steps(row) for row in replayed(history, strategy, GOALS)]
            assert by_snapshot(of, history) == wanted, (history.cluster, strategy)


def test_each_snapshot_is_as_in_a_plain_loop(both: Both) -> None:
    of_strategy = defaultdict(list)
    for row in both.steps:
        of_strategy[row.cluster, row.strategy].append(row)
    for history in both.histories:
        for strategy in ALL:
            key = (history.cluster, strategy)
            made = by_snapshot(of_strategy[key], history)
            wanted = [only_steps(row) for row in both.plain[key]]
            assert made == wanted, key


def summed(rows: list[Facts | None]) -> Facts:
    """A row of the table of groups, from a plain loop's rows."""
    judged = [row for row in rows if row]
    later = [row for row in judged if row["rebalanced"] and not row["first"]]
    remote = [
        row["remote_reads"] * row["hours"] for row in judged if row["remote_reads"] is not None
    ]
    sums: Facts = {
        "known_hours": sum(row["hours"] for row in judged),
        "changes": len(later),
        "excess_hours": sum(row["excess"] * row["hours"] for row in judged) if judged else None,
        "worst_max_load": max((row["max_load"] for row in judged), default=None),
        "moves": sum(row["moves"] for row in later),
        "takeovers": sum(row["takeovers"] for row in later),
        "stopped": sum(row["stopped"] for row in later),
        "first_moves": sum(row["moves"] for row in judged if row["first"]),
        "remote_read_hours": sum(remote) if remote else None,
    }
    counts = ("moves", "takeovers", "stopped", "first_moves")
    return sums if judged else sums | dict.fromkeys(counts)


def test_each_group_has_the_sums_of_its_steps(both: Both) -> None:
    there = {history.cluster for history in both.histories if any(history.looks)}
    rows = {(row.cluster, row.strategy): row for row in both.groups}
    assert rows.keys() == {(cluster, strategy) for cluster in there for strategy in ALL}
    for key, row in rows.items():
        wanted = summed(both.plain[key])
        assert {name: row[name] for name in wanted} == pytest.approx(wanted), key
        assert (row.not_evaluated, row.kind) == (0, "consumer")


def test_the_league_has_the_sums_of_the_groups(both: Both) -> None:
    groups, league = both.groups, both.league
    assert {row.strategy for row in league} == set(ALL)
    for row in league:
        own = [group for group in groups if group.strategy == row.strategy]
        for name in SUMMED:
            assert row[name] == pytest.approx(sum(item[name] or 0 for item in own)), name
        assert row.best_for == sum(item.is_best for item in own)
        answered = [item for item in own if item.worst_max_load is not None]
        assert row.groups == len(answered)
        assert row.unchanged == sum(item.is_unchanged for item in answered)
        assert row.best_or_equal == sum(
            item.best_or_equal and not item.is_unchanged for item in own
        )
        assert row.alone == sum(item.alone and not item.is_unchanged for item in own)
        assert row.stopped_groups == sum(item.stopped is not None for item in own)
    assert league[0].strategy == "optimal"
    worth = [(row.excess_hours, row.stopped) for row in league]
    assert worth == sorted(worth)


def test_the_best_of_a_group_is_no_worse_than_any(both: Both) -> None:
    groups = defaultdict(list)
    for row in both.groups:
        groups[row.cluster].append(row)
    for rows in groups.values():
        best = [row for row in rows if row.is_best]
        judged = [row for row in rows if row.worst_max_load is not None]
        assert len(best) == min(1, len(judged))
        for row in best:
            worth = (row.excess_hours, row.stopped, row.moves)
            assert worth == min((item.excess_hours, item.stopped, item.moves) for item in judged)
            best_is_current = f"{row.group} of {row.cluster}: no change does better."
            assert (row.strategy == "current") == (row.sentence == best_is_current)
            equals = [
                item for item in judged if (item.excess_hours, item.stopped, item.moves) == worth
            ]
            assert [item for item in rows if item.best_or_equal] == equals
            assert [item for item in rows if item.alone] == (equals if len(equals) == 1 else [])
            assert row.first_moves == min(item.first_moves for item in equals)
        changes = max(row.changes for row in rows)
        assert {row.is_unchanged for row in rows} == {changes == 0}
        assert all(row.sentence is None for row in rows if not row.is_best)
