"""Lags of one group as arrays: sums stay exact, and odd rows tell nothing that isn't so."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from spark.audit.lags import lags_of_owners, outside_logs, read_lags, stuck_since_before
from spark.groups import Lookup

HASHES = np.array([70, -5, 12])
"""Of the topics of a plan; nothing of the last one is read or owned."""

TOPICS, SIZES = Lookup.of(HASHES), np.array([3, 2, 0])
LONGEST = 2**63 - 1

Entry = tuple[int, ...]


def row_of(lags: list[Entry], before: list[Entry] | None = None, **others: Any) -> Any:
    """Entries: topic's hash, partition, lag, and where it is committed and ends."""
    padded = [(*entry, *(0, 0))[:5] for entry in lags]
    names = ("late_topics", "late_partitions", "lags", "lag_committed", "lag_ends")
    of_before = ("before_topics", "before_partitions", "before_committed", "before_ends")
    return SimpleNamespace(
        **dict(zip(names, np.array(padded, np.int64).reshape(-1, 5).T, strict=True)),
        **dict(zip(of_before, np.array(before or [], np.int64).reshape(-1, 4).T, strict=True)),
        **others,
    )


def test_lags_come_by_topic_and_partition_and_those_of_others_are_left_out() -> None:
    lags = read_lags(
        row_of([(-5, 1, 4), (70, 2, 1), (70, 0, 3), (12, 0, 9), (99, 0, 9)]), TOPICS, SIZES
    )
    assert lags.of_topic == {0: 4, 1: 4} and lags.total == 8
    assert [part.tolist() for part in lags.in_topic(0)] == [[0, 2], [3, 1]]


def test_a_sum_beyond_all_bounds_is_not_known() -> None:
    lags = read_lags(row_of([(70, 0, LONGEST), (70, 1, 1), (-5, 0, LONGEST)]), TOPICS, SIZES)
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
        entries = [(70, 0, least), (70, 0, least + 7), (70, 1, least), (-5, 0, 1)]
        lags = read_lags(row_of(entries), TOPICS, SIZES)
        assert lags_of_owners(lags, plan, members=2) == {"a": 2 * least, "b": 0}


def test_what_stands_still() -> None:
    """Committed where it was, and written since; a row that is there twice counts twice."""
    now = [
        (70, 0, 5, 100, 105),
        (70, 2, 9, 50, 59),
        (-5, 0, 8, 1, 9),
        (-5, 1, 3, 2, 5),
        (12, 0, 1, 0, 1),
    ]
    before = [(-5, 0, 1, 9), (-5, 1, 1, 4), (70, 2, 50, 58), (70, 0, 100, 104), (12, 0, 0, 0)]
    (stuck,) = stuck_since_before(row_of(now, before), TOPICS, SIZES)
    assert stuck == (0, 2, 2, 50, 9)
    (twice,) = stuck_since_before(row_of(now, [*before, (70, 0, 100, 103)]), TOPICS, SIZES)
    assert twice.partitions == 3
    assert stuck_since_before(row_of([(70, 0, 0, 100, 105)], before), TOPICS, SIZES) == []


def test_the_first_offset_beyond_the_end() -> None:
    """Of two on one partition the one that is less far, or less known."""
    row = SimpleNamespace(
        beyond_names=np.array([b"t", b"t", b"t", b"v"], object),
        beyond_partitions=np.array([2, 1, 1, 0]),
        beyond_records=np.array([1, 4, 4, 1]),
        beyond_committed=np.array(["3", "10", None, "1"], object),
        beyond_bounds=np.array(["2", "6", None, "0"], object),
    )
    is_read = np.array([True, True, True, False])
    assert outside_logs(row, "beyond", is_read) == [("t", 3, 1, 4, None, None)]
