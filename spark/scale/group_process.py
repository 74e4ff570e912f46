"""A group's row as a process: its arrivals by partition and interval, its sizes, its strategy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pyspark.sql import DataFrame, functions as F

from optimizer.model import IntArray, Problem, Reals, ranges
from optimizer.scaling import Assignments, Pauses, Process
from spark.fleet import CONNECT, FleetSnapshot
from spark.groups import (
    GROUP_KEYS,
    EncodedRow,
    FleetGroup,
    Numbers,
    is_another_clients,
    own_strategy,
    read_or_failed,
    read_topics,
)
from spark.history import FleetRates, RateWindow, seconds_of
from spark.scale.policies_file import ScaleSettings
from spark.settings import FleetConsumers, kind_of


class RowOverTime(EncodedRow, Protocol):
    """A group with the pairs of its partitions, whose topics stand as places in `all_topics`.

    `pair_since_counts` of the pairs are of each partition. Times are seconds since 1970.
    """

    pair_topics: Numbers
    pair_partitions: Numbers
    pair_since_counts: Numbers
    pair_since: Numbers
    pair_at: Numbers
    pair_rates: Numbers
    """NaN where the end offset fell."""
    behind_topics: Numbers
    behind_partitions: Numbers
    behind_since: Numbers
    behind_lags: Numbers
    """Records behind at that time, of partitions of which offsets are known; -1: unknown."""
    behind_ends: Numbers
    """Where the logs of those ended then that the group never committed; -1 for all others."""
    sized_at: Numbers
    sized: Numbers
    peak_rates: Numbers
    """One number: the most that one of the group's members has been seen to do."""


def arrivals_of(snapshot: FleetSnapshot, rates: FleetRates) -> Mapping[str, DataFrame]:
    """Parts for `spark.groups.encode`, with the columns of `RowOverTime`."""
    rate = F.transform("pairs.rate", lambda of_pair: F.coalesce(of_pair, F.lit(float("nan"))))
    topic = (*GROUP_KEYS, "topic", "partition")
    backlog = rates.backlog.where("lag > 0 or uncommitted >= 0").select(*topic, *BEHIND)
    return {
        "behind": backlog.withColumnsRenamed(BEHIND),
        "pair": rates.read_in(snapshot, rates.pairs).select(
            *topic,
            F.col("pairs.since").alias("pair_since"),
            F.col("pairs.at").alias("pair_at"),
            rate.alias("pair_rates"),
        ),
        "sized": rates.sizes.selectExpr("cluster", "`group`", "at as sized_at", "members as sized"),
        "peak": rates.peak_rates,
    }


BEHIND = {"since": "behind_since", "lag": "behind_lags", "uncommitted": "behind_ends"}


@dataclass(frozen=True, eq=False)
class GroupProcess:
    """A group's process, the instants of its edges, and what its row should say of it."""

    process: Process
    instants: IntArray
    notes: tuple[str, ...]


def instants_of(window: RateWindow) -> dict[str, IntArray]:
    """The instants of each cluster in a window, in seconds since 1970."""
    return {
        cluster: np.array([seconds_of(snapshot) for snapshot in ids], np.int64)
        for cluster, ids in window.snapshots.items()
    }


def process_of(
    row: RowOverTime,
    instants: IntArray,
    longest: float,
    settings: ScaleSettings,
    consumers: FleetConsumers,
) -> GroupProcess | FleetGroup:
    """The process of one group, or the group with its status and why it has none.

    Intervals between `instants` that are longer than `longest` seconds don't count.
    """
    if kind_of(row.type) == CONNECT:
        return FleetGroup("unsupported", ["Connect's workers aren't scaled by lag"])
    group = read_or_failed(row)
    if group.problem is None:
        return group
    problem = group.problem
    if not problem.partition_count:
        return FleetGroup("empty", ["there is nothing to read"])
    if len(instants) < 2 or not len(row.pair_topics):
        why = "rates take two snapshots with offsets of the group's topics in that time"
        return FleetGroup("no rates", [why])
    peak = settings.peak_rate or float(row.peak_rates[0] if len(row.peak_rates) else 0.0)
    rates, notes = _rates(row, problem, instants, longest)
    if missing := _missing(peak, rates):
        return FleetGroup("no rates", [missing])
    strategy = own_strategy(row)
    lag, uncommitted = _backlog(row, problem, instants[0])
    process = Process(
        edges=(instants - instants[0]).astype(float),
        rates=rates,
        recorded=_members(row, instants),
        peak_rate=peak,
        assignments=Assignments(
            dict(zip(problem.topics, problem.topic_sizes.tolist(), strict=True)), strategy
        ),
        pauses=Pauses(strategy, _is_static(row), consumers.parameters(row.cluster, row.group)),
        start_seconds=settings.start_seconds,
        lag=lag,
        uncommitted=uncommitted,
    )
    if len(problem.subscriptions) > 1:
        notes = [*notes, "members subscribe to different topics: here all read all of them"]
    if is_another_clients(row, problem):
        notes = [*notes, f"its assignor isn't Kafka's {strategy}, as which it counts here"]
    return GroupProcess(process, instants, tuple(notes))


def _missing(peak_rate: float, rates: NDArray[np.float64]) -> str | None:
    if peak_rate <= 0:
        return "nobody was seen to read: state `peak_rate` under [process] of the policies"
    if np.isnan(rates).any(axis=1).all():
        return (
            "no interval counts: each is longer than `max_age` of the configuration, or an end "
            "offset fell in it"
        )
    return None


def _is_static(row: RowOverTime) -> bool:
    names = row.instance_ids.tolist()
    return bool(names) and all(name is not None for name in names)


def _members(row: RowOverTime, instants: IntArray) -> IntArray:
    """The members at the beginning of each interval; 0 where the snapshot has none."""
    members = np.zeros(len(instants) - 1, np.int64)
    at = np.searchsorted(instants, row.sized_at)
    fits = at < len(members)
    members[at[fits]] = row.sized[fits]
    return members


def _rates(
    row: RowOverTime, problem: Problem, instants: IntArray, longest: float
) -> tuple[NDArray[np.float64], list[str]]:
    """Records a second of each interval and partition, and sentences on what isn't known.

    A pair of snapshots has one rate for all intervals that it spans. Before the first and behind
    the last of a partition nothing comes in. NaN where an end offset fell, and in intervals longer
    than `longest`.
    """
    rates = np.zeros((len(instants) - 1, problem.partition_count))
    rated = np.zeros(problem.partition_count, np.bool_)
    numbers = _numbers(row, problem, row.pair_topics, row.pair_partitions)
    rated[numbers[numbers >= 0]] = True
    partition = np.repeat(numbers, row.pair_since_counts)
    first, end = (np.searchsorted(instants, at) for at in (row.pair_since, row.pair_at))
    lengths = np.where(partition >= 0, end - first, 0)
    cells = ranges(first, lengths), np.repeat(partition, lengths)
    rates[cells] = np.repeat(row.pair_rates, lengths)
    rates[np.diff(instants) > longest] = np.nan
    return rates, [*_notes(rates, rated, int(lengths.max(initial=0)))]


def _backlog(row: RowOverTime, problem: Problem, start: int) -> tuple[Reals, Reals]:
    """Lag of each partition at the start, and the ends of those that were never committed.

    What isn't known at the start is 0 behind.
    """
    numbers = _numbers(row, problem, row.behind_topics, row.behind_partitions)
    lag, ends = np.zeros(problem.partition_count), np.full(problem.partition_count, np.nan)
    is_known = (numbers >= 0) & (row.behind_since == start) & (row.behind_lags >= 0)
    lag[numbers[is_known]] = row.behind_lags[is_known]
    order = np.argsort(row.behind_since, kind="stable")
    order = order[(numbers[order] >= 0) & (row.behind_ends[order] >= 0)]
    ends[numbers[order]] = row.behind_ends[order]
    return lag, ends


def _numbers(row: RowOverTime, problem: Problem, topics: Numbers, partitions: Numbers) -> IntArray:
    """The problem's number of each of these partitions; -1 for one that it doesn't have."""
    topic, sizes = read_topics(row).place[topics], problem.topic_sizes
    numbers = np.full(len(topics), -1)
    is_there = topic >= 0
    is_there[is_there] = partitions[is_there] < sizes[topic[is_there]]
    numbers[is_there] = problem.topic_offsets[topic[is_there]] + partitions[is_there]
    return numbers


def _notes(rates: NDArray[np.float64], rated: NDArray[np.bool_], spans: int) -> Sequence[str]:
    notes = []
    if missing := int((~rated).sum()):
        notes.append(f"{missing} of {len(rated)} partitions have no rates and count as idle")
    if unknown := int(np.isnan(rates).any(axis=1).sum()):
        notes.append(
            f"{unknown} of {len(rates)} intervals don't count: an end offset fell, or the gap "
            "between snapshots is too long"
        )
    if spans > 1:
        notes.append(f"one rate stands for up to {spans} intervals, where offsets are missing")
    return notes
