"""The rows of a batch that can be planned all at once: everybody reads everything, no claim is odd.

That is most groups of a fleet. `read_group` says the same of them, and more of all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, HomogeneousGroups, IntArray, host_names, ranges
from spark.fleet import REBALANCING_STATES, UNKNOWN_STATE, why_unsupported
from spark.groups.batches import MAX_ROWS, size_of
from spark.groups.encoded_row import EncodedRow
from spark.groups.lookup import Lookup

SPREAD = np.int64(0x1E3779B97F4A7C15)
"""An odd number: groups that follow each other get hashes far from each other's."""


class HomogeneousRows(NamedTuple):
    """Rows of a batch, and the groups that they are.

    `topic` and `number` tell which partition of which of its group's topics each partition is.
    """

    rows: Sequence[EncodedRow]
    groups: HomogeneousGroups
    topic: IntArray
    number: IntArray


def read_homogeneous(rows: Sequence[EncodedRow]) -> HomogeneousRows | None:
    """Those of some rows of `spark.groups.encode`, in their order; None if there are none."""
    selection = [row for row in rows if looks_homogeneous(row)]
    while selection:
        read, alike = _read(selection)
        if alike.all():
            return read
        selection = [
            row for row, is_alike in zip(selection, alike.tolist(), strict=True) if is_alike
        ]
    return None


def looks_homogeneous(row: EncodedRow) -> bool:
    """What a row tells by its names and sizes; the largest are planned by themselves."""
    member_ids = set(row.member_ids)
    return (
        row.listed == 1
        and row.invalid_utf8 is None
        and not (row.hidden is not None and len(row.hidden))
        and row.state not in REBALANCING_STATES
        and not (row.state or "").startswith(UNKNOWN_STATE)
        and len(member_ids) == len(row.member_ids) > 0
        and member_ids.issuperset(row.claimants)
        and len(row.topics) > 0
        and row.topic_sizes.min() > 0
        and len(row.subscribers) == len(member_ids) * len(row.topics)
        and set(row.topics).issuperset(row.claimed_topics)
        and not why_unsupported(row.type, row.group_strategy, row.client_ids.tolist())
        and size_of(row) <= MAX_ROWS
    )


def _read(rows: Sequence[EncodedRow]) -> tuple[HomogeneousRows, NDArray[np.bool_]]:
    """The rows as if all were alike, and which of them are."""
    members, topics = _Names.of(rows, "member_hashes"), _Names.of(rows, "topic_hashes")
    sizes = _column(rows, "topic_sizes")
    first_of_topic = np.concatenate(([0], sizes.cumsum()))
    partition_offsets = first_of_topic[topics.offsets]
    subscribed = _everybody_reads_everything(rows, members, topics)
    owner, settled = _owners(rows, members, topics, first_of_topic)
    host = _hosts(rows)
    groups = HomogeneousGroups(members.offsets, partition_offsets, owner, first_of_topic, host)
    read = HomogeneousRows(
        rows=rows,
        groups=groups,
        topic=groups.topic_of - topics.offsets[:-1].repeat(np.diff(partition_offsets)),
        number=ranges(np.zeros(len(sizes), np.int64), sizes),
    )
    return read, subscribed & settled & members.unambiguous & topics.unambiguous


def _everybody_reads_everything(
    rows: Sequence[EncodedRow], members: _Names, topics: _Names
) -> NDArray[np.bool_]:
    """Each row states as many subscriptions as there can be: they must be different ones."""
    count, ends = _ends(rows, "subscribers")
    member = members.find(_column(rows, "subscribers"), count)
    topic = np.arange(topics.offsets[-1]).repeat(_column(rows, "subscriber_counts"))
    of_row = np.arange(len(rows)).repeat(count)
    pair = (topic - topics.offsets[of_row]) * np.diff(members.offsets)[of_row]
    pair += ends[of_row] - count[of_row] + member - members.offsets[of_row]
    values = np.zeros(len(pair), np.bool_)
    values[pair[member >= 0]] = True
    return np.logical_and.reduceat(values, ends - count)


def _owners(
    rows: Sequence[EncodedRow], members: _Names, topics: _Names, first_of_topic: IntArray
) -> tuple[IntArray, NDArray[np.bool_]]:
    """The owner of each partition, and for which rows each claim is on one of its own."""
    count = _ends(rows, "claim_topics")[0]
    member = members.find(_column(rows, "claim_members"), count)
    topic = topics.find(_column(rows, "claim_topics"), count)
    number = _column(rows, "claim_partitions")
    partition = first_of_topic[topic] + number
    fine = (member >= 0) & (topic >= 0) & (number >= 0) & (partition < first_of_topic[topic + 1])
    owner = np.full(first_of_topic[-1], NOBODY)
    owner[partition[fine]] = member[fine]
    owned = np.concatenate(([0], (owner >= 0).cumsum()))
    return owner, np.diff(owned[first_of_topic[topics.offsets]]) == count


def _hosts(rows: Sequence[EncodedRow]) -> IntArray | None:
    """The number of each member's host; None where no row has two members on one.

    A member without a host is on one of its own.
    """
    if not any(any(row.hosts) for row in rows):
        return None
    result: list[int] = []
    next_number, members = 0, 0
    for row in rows:
        of_row: dict[str | int, int] = {}
        for at, name in enumerate(host_names(row.hosts.tolist())):
            key = at if name is None else name
            result.append(of_row.setdefault(key, next_number + len(of_row)))
        next_number += len(of_row)
        members += len(row.hosts)
    return np.array(result, np.int64) if next_number < members else None


@dataclass(frozen=True)
class _Names:
    """Members or topics of all rows, numbered throughout, and how to find them by hash."""

    offsets: IntArray
    index: Lookup
    of_row: IntArray
    unambiguous: bool

    @staticmethod
    def of(rows: Sequence[EncodedRow], column: str) -> _Names:
        count, ends = _ends(rows, column)
        of_row = np.arange(len(rows)).repeat(count)
        index = Lookup.of(_column(rows, column) + of_row * SPREAD)
        return _Names(np.concatenate(([0], ends)), index, of_row, index.is_unambiguous)

    def find(self, hashes: IntArray, count: IntArray) -> IntArray:
        """The number of each row's hashes, `count` of them a row; -1 where it isn't the row's."""
        row = np.arange(len(count)).repeat(count)
        result = self.index.find(hashes + row * SPREAD)
        return np.where((result >= 0) & (self.of_row[result] == row), result, -1)


def _column(rows: Sequence[EncodedRow], name: str) -> IntArray:
    return np.concatenate([getattr(row, name) for row in rows]).astype(np.int64, copy=False)


def _ends(rows: Sequence[EncodedRow], name: str) -> tuple[IntArray, IntArray]:
    """How many entries each row has, and where they end among those of all rows."""
    count = np.array([len(getattr(row, name)) for row in rows])
    return count, count.cumsum()
