"""Lags of one group as arrays: sums stay exact, and odd rows tell nothing that isn't so."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from spark.audit.lags import (
    OffsetLags,
    Stuck,
    lags_of_owners,
    outside_logs,
    read_lags,
    stuck_since_before,
)
from spark.audit.parts import LEAST

T, U, V, OTHER = range(4)
TOPICS, SIZES = np.array([0, 1, 2, -1]), np.array([3, 2, 0])
"""Places of topics in a plan; nothing of the last one there is read or owned."""

LONGEST = 2**63 - 1

Entry = tuple[int, ...]


def offsets_of(*entries: Entry) -> OffsetLags:
    """Entries: topic, partition, lag, and where it is committed and ends."""
    topic, partition, lag, committed, ends = np.array(
        [(*entry, *(0, 0))[:5] for entry in entries], np.int64
    ).T
    row: Any = SimpleNamespace(
        offset_topics=topic,
        offset_partitions=partition,
        offset_lags=lag,
        offset_committed=committed,
        offset_ends=ends,
        offset_starts=np.full(len(topic), -1),
    )
    return OffsetLags.of(row)


def test_lags_come_by_topic_and_partition_and_those_of_others_are_left_out() -> None:
    lags = read_lags(
        offsets_of((U, 1, 4), (T, 2, 1), (T, 0, 3), (V, 0, 9), (OTHER, 0, 9)), TOPICS, SIZES
    )
    assert lags.of_topic == {0: 4, 1: 4} and lags.total == 8
    assert [part.tolist() for part in lags.in_topic(0)] == [[0, 2], [3, 1]]


def test_a_sum_beyond_all_bounds_is_not_known() -> None:
    lags = read_lags(offsets_of((T, 0, LONGEST), (T, 1, 1), (U, 0, LONGEST)), TOPICS, SIZES)
    assert lags.of_topic == {0: None, 1: LONGEST} and lags.total == LONGEST


def test_the_lag_of_an_owner_is_exact_and_the_least_that_is_stated() -> None:
    """Beyond the numbers that floating point tells apart, too."""
    plan = SimpleNamespace(
        names=["a", "b", "gone"],
        topics=["t", "u", "v"],
        topic=np.array([0, 0, 0, 1, 1]),
        partition=np.array([0, 1, 2, 0, 1]),
        previous=np.array([0, 0, 1, 2, -1]),
    )
    for least in (5, 2**60 + 1):
        entries = [(T, 0, least), (T, 0, least + 7), (T, 1, least), (U, 0, 1)]
        lags = read_lags(offsets_of(*entries), TOPICS, SIZES)
        assert lags_of_owners(lags, plan, members=2) == {"a": 2 * least, "b": 0}


def stuck_since(before: list[Entry], *now: Entry) -> list[Stuck]:
    names = ("before_topics", "before_partitions", "before_committed", "before_ends")
    row: Any = SimpleNamespace(**dict(zip(names, np.array(before).T, strict=True)))
    return stuck_since_before(row, offsets_of(*now).late, TOPICS, SIZES)


def test_what_stands_still() -> None:
    """Committed where it was, and written since; a row that is there twice counts twice."""
    now = [
        (T, 0, 5, 100, 105),
        (T, 2, 9, 50, 59),
        (U, 0, 8, 1, 9),
        (U, 1, 3, 2, 5),
        (V, 0, 1, 0, 1),
    ]
    before = [(U, 0, 1, 9), (U, 1, 1, 4), (T, 2, 50, 58), (T, 0, 100, 104), (V, 0, 0, 0)]
    (stuck,) = stuck_since(before, *now)
    assert stuck == (0, 2, 2, 50, 9)
    (twice,) = stuck_since([*before, (T, 0, 100, 103)], *now)
    assert twice.partitions == 3
    assert stuck_since(before, (T, 0, 0, 100, 105)) == []


def test_the_first_offset_beyond_the_end() -> None:
    """Of two on one partition the one that is less far, or less known."""
    offsets = offsets_of(
        (T, 2, LEAST, 3, 2), (T, 1, LEAST, 10, 6), (T, 1, -4, -1, -1), (U, 0, LEAST, 1, 0)
    )
    is_read = np.array([True, True, True, False])
    result = outside_logs(np.array(["t", "u"], object), offsets, "beyond", is_read)
    assert result == [("t", 3, 1, 4, None, None)]
