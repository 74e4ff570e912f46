"""A replay in Spark comes to what a plain loop over the snapshots does."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from pyspark.sql import SparkSession

from optimizer import STRATEGIES, Goals, assign
from spark import FleetHistory, FleetReplay, replay_fleet
from spark.replay.tables import SUMMED
from tests.spark.replay.plain_loop import CURRENT, Row, replayed
from tests.spark.replay.random_histories import History, Look, random_history, write_histories

STEPS = (
    *("rebalanced", "first", "max_load", "min_load", "sum_squares", "excess"),
    *("moves", "takeovers", "stopped", "remote_reads"),
)
ONCE = ("rebalanced", "first", "moves", "takeovers", "stopped")
"""What counts in the first snapshot of a step alone."""

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
    result: list[Row | None] = [None] * len(history.ids)
    for row in rows:
        for at in range(row.start, row.end + 1):
            nothing = dict.fromkeys(ONCE, 0) | {"rebalanced": False, "first": False}
            cells = {name: row[name] for name in STEPS} | (nothing if at > row.start else {})
            result[at] = cells if row.max_load is not None else None
    return result


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


def summed(rows: list[Row | None]) -> Row:
    """A row of the table of groups, from a plain loop's rows."""
    judged = [row for row in rows if row]
    later = [row for row in judged if row["rebalanced"] and not row["first"]]
    remote = [
        row["remote_reads"] * row["hours"] for row in judged if row["remote_reads"] is not None
    ]
    sums: Row = {
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


def test_each_group_has_the_sums_of_its_steps(
    replay: FleetReplay, plain: dict[tuple[str, str], list[Row | None]]
) -> None:
    there = {history.cluster for history in HISTORIES if any(history.looks)}
    rows = {(row.cluster, row.strategy): row for row in replay.groups.collect()}
    assert rows.keys() == {(cluster, strategy) for cluster in there for strategy in ALL}
    for key, row in rows.items():
        wanted = summed(plain[key])
        assert {name: row[name] for name in wanted} == pytest.approx(wanted), key
        assert (row.not_evaluated, row.kind) == (0, "consumer")


def test_the_league_has_the_sums_of_the_groups(replay: FleetReplay) -> None:
    groups = replay.groups.collect()
    league = replay.league.collect()
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


def test_the_best_of_a_group_is_no_worse_than_any(replay: FleetReplay) -> None:
    groups = defaultdict(list)
    for row in replay.groups.collect():
        groups[row.cluster].append(row)
    for rows in groups.values():
        best = [row for row in rows if row.is_best]
        judged = [row for row in rows if row.worst_max_load is not None]
        assert len(best) == min(1, len(judged))
        for row in best:
            worth = (row.excess_hours, row.stopped, row.moves)
            assert worth == min((item.excess_hours, item.stopped, item.moves) for item in judged)
            best_is_current = f"g of {row.cluster}: no change does better."
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


FIXED = [name for name in STRATEGIES if not name.endswith("sticky")]
"""Strategies that change nothing of their own answer; the sticky ones may where they see racks."""


def test_a_strategy_that_is_asked_again_changes_nothing() -> None:
    """So the number of snapshots in which nothing changed makes no difference.

    Nor does the member id that a member is back by, if it has an instance id: uniform-4.0 alone
    would give others more then, if it were asked.
    """
    asked = 0
    for history in HISTORIES:
        for look in filter(None, history.looks):
            if not look.is_judged:
                continue
            for strategy in STRATEGIES if not look.racks else FIXED:
                plan = assign(look.group(look.owners), strategy)
                owners = {p: member for member, own in plan.assignment.items() for p in own}
                assert assign(look.group(owners), strategy).assignment == plan.assignment
                asked += 1
    assert asked > 5_000


def test_the_sticky_ones_may_change_their_own_answer_where_they_see_racks() -> None:
    """Which is why nobody is asked before something has changed."""
    looks = (look for seed in range(999) for look in random_history(seed).looks if look)
    assert any(look.is_judged and look.racks and _changes_itself(look) for look in looks)


def _changes_itself(look: Look) -> bool:
    plan = assign(look.group(look.owners), "sticky")
    owners = {p: member for member, own in plan.assignment.items() for p in own}
    return assign(look.group(owners), "sticky").assignment != plan.assignment
