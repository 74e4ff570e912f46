"""How far a group lags behind on what it reads, and where it stands still."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, ranges
from spark.audit.parts import LEAST, AuditRow
from spark.groups import Names

LARGEST = 2**63 - 1
"""A sum beyond it isn't known: Spark's numbers end there."""

EXACT = 2**53
"""Sums below it are exact as floating-point numbers."""


class Lags(NamedTuple):
    """Known lags of partitions, by topic and partition, the least first where there are several.

    `topic` is the index of a plan's topic, `of_topic` has the sum of each topic that has any: None
    if that is beyond all bounds. `total` is the sum of the known sums.
    """

    topic: IntArray
    partition: IntArray
    lag: IntArray
    of_topic: dict[int, int | None]
    total: int | None

    def in_topic(self, topic: int) -> tuple[IntArray, IntArray]:
        """The partitions of a topic, and their lags."""
        start, end = self.topic.searchsorted([topic, topic + 1])
        return self.partition[start:end], self.lag[start:end]


class OffsetLags(NamedTuple):
    """Lags by a group's offsets; records `beyond` their end and `deleted` before a start.

    Lags are those stated, or what is left to the end. Beyond the end is no lag: where the group
    goes on is for its auto.offset.reset to say.
    """

    topic: IntArray
    partition: IntArray
    committed: IntArray
    end: IntArray
    start: IntArray
    lag: IntArray
    beyond: IntArray
    deleted: IntArray

    @staticmethod
    def of(row: AuditRow) -> OffsetLags:
        """Offsets in a row with the columns of `spark.audit.parts`."""
        committed, end, start = row.offset_committed, row.offset_ends, row.offset_starts
        has_end, has_start = ((committed >= 0) & (bound >= 0) for bound in (end, start))
        reported, is_reported = row.offset_lags, row.offset_lags != LEAST
        return OffsetLags(
            *(row.offset_topics, row.offset_partitions, committed, end, start),
            lag=np.where(is_reported | ~has_end, reported, end - committed),
            beyond=np.where(has_end, committed - end, np.where(is_reported, -reported, LEAST)),
            deleted=np.where(has_start, start - committed, LEAST),
        )

    @property
    def late(self) -> OffsetLags:
        """Partitions with a known lag."""
        is_late = (self.lag >= 0) & (self.beyond <= 0)
        return OffsetLags(*(column[is_late] for column in self))


def read_lags(late: OffsetLags, topics: IntArray, topic_sizes: IntArray) -> Lags:
    """The sums of lags.

    Only those of topics that the group reads, or owns something of: offsets of others remain for
    days, and nobody is to follow them.
    """
    topic, partition, lag = topics[late.topic], late.partition, late.lag
    read = topic >= 0
    read[read] = topic_sizes[topic[read]] > 0
    if not read.all():
        topic, partition, lag = topic[read], partition[read], lag[read]
    order = np.lexsort((lag, partition, topic))
    topic, partition, lag = topic[order], partition[order], lag[order]
    starts = np.flatnonzero(np.append(True, topic[1:] != topic[:-1])[: len(topic)])
    parts = np.split(lag, starts[1:]) if len(starts) else []
    of_topic = {
        at: as_long(sum_of(part)) for at, part in zip(topic[starts].tolist(), parts, strict=True)
    }
    counted_lags = [topic_lag for topic_lag in of_topic.values() if topic_lag is not None]
    return Lags(
        topic, partition, lag, of_topic, as_long(sum(counted_lags)) if counted_lags else None
    )


def sum_of(lags: IntArray) -> int:
    """The exact sum of numbers from 0 on."""
    if lags.sum(dtype=np.float64) < LARGEST / 2:
        return int(lags.sum())
    return sum(lags.tolist())


def as_long(total: int) -> int | None:
    return total if total <= LARGEST else None


def lags_of_owners(lags: Lags, plan: Any, members: int) -> dict[str, int]:
    """The lag of each member who owns something of a topic with known lags."""
    is_late = np.zeros(len(plan.topics), np.bool_)
    is_late[list(lags.of_topic)] = True
    owned = is_late[plan.topic] & (plan.previous >= 0) & (plan.previous < members)
    owner, wanted = plan.previous[owned], _keys(plan.topic[owned], plan.partition[owned])
    keys = _keys(lags.topic, lags.partition)
    at = keys.searchsorted(wanted)
    at[at == len(keys)] = 0
    lag = np.where(keys[at] == wanted, lags.lag[at], 0)
    sums = [0] * members
    if lag.sum(dtype=np.float64) < EXACT:
        sums = np.bincount(owner, weights=lag, minlength=members).astype(np.int64).tolist()
    else:
        for member, records in zip(owner.tolist(), lag.tolist(), strict=True):
            sums[member] += records
    return {plan.names[member]: sums[member] for member in np.unique(owner).tolist()}


class Stuck(NamedTuple):
    """Partitions of a topic that are written and of which nothing was committed for a while.

    `worst` is the one with the most `lag`, and where it stands is `committed`.
    """

    topic: int
    partitions: int
    worst: int
    committed: int
    lag: int


def stuck_since_before(
    row: AuditRow, offsets: OffsetLags, topics: IntArray, topic_sizes: IntArray
) -> list[Stuck]:
    """Partitions that stand still since the snapshot before, of the topics that the group reads."""
    late = offsets.lag > 0
    if not late.any() or not len(row.before_topics):
        return []
    # most groups commit, and then nothing stands at any offset of before
    if {*offsets.committed.tolist()}.isdisjoint(row.before_committed.tolist()):
        return []
    topic, before = topics[offsets.topic], topics[row.before_topics]
    late[late] = (topic[late] >= 0) & (topic_sizes[topic[late]] > 0)
    topic, partition, lag = topic[late], offsets.partition[late], offsets.lag[late]
    committed, ends = offsets.committed[late], offsets.end[late]
    keys = _keys(before, row.before_partitions)
    order = keys.argsort()
    keys = keys[order]
    wanted = _keys(topic, partition)
    first = keys.searchsorted(wanted)
    count = keys.searchsorted(wanted, "right") - first
    now, then = np.arange(len(wanted)).repeat(count), order[ranges(first, count)]
    is_stuck = (committed[now] == row.before_committed[then]) & (ends[now] > row.before_ends[then])
    now = now[is_stuck]
    return [
        _of_topic(at, now[topic[now] == at], partition, committed, lag)
        for at in np.unique(topic[now]).tolist()
    ]


def _of_topic(
    topic: int, stuck: IntArray, partition: IntArray, committed: IntArray, lag: IntArray
) -> Stuck:
    worst = stuck[np.lexsort((committed[stuck], partition[stuck], lag[stuck]))[-1]]
    return Stuck(topic, len(stuck), int(partition[worst]), int(committed[worst]), int(lag[worst]))


class OutsideLog(NamedTuple):
    """Partitions of a topic with an offset that is committed beyond the end, or before the start.

    The `first` is `records` away from that `bound`, which may not be known, as `committed`.
    """

    topic: str
    partitions: int
    first: int
    records: int
    committed: str | None
    bound: str | None


def outside_logs(
    names: Names, offsets: OffsetLags, side: str, is_read: NDArray[np.bool_]
) -> list[OutsideLog]:
    """Offsets on that side of their logs, by topic, of those that `is_read` chooses; few of them.

    The side is `beyond` the end, or `deleted`, which is before the start.
    """
    records, bounds = getattr(offsets, side), offsets.end if side == "beyond" else offsets.start
    of_topic: dict[int, list[tuple[int, ...]]] = {}
    for at in np.flatnonzero(is_read & (records > 0)).tolist():
        columns = offsets.partition, records, offsets.committed, bounds
        entry = tuple(int(column[at]) for column in columns)
        of_topic.setdefault(int(offsets.topic[at]), []).append(entry)
    outside = []
    for topic, partitions in of_topic.items():
        first, records_of, *ends = min(partitions)
        texts = (None if end < 0 else str(end) for end in ends)
        outside.append(OutsideLog(names[topic], len(partitions), first, records_of, *texts))
    return sorted(outside)


def _keys(topic: IntArray, partition: IntArray) -> IntArray:
    """A number for each partition of a topic."""
    return (topic.astype(np.int64) << 32) + partition
