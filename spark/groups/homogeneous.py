"""The rows of a batch that can be planned all at once: everybody reads everything, no claim is odd.

That is most groups of a fleet. `read_group` says the same of them, and more of all others.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, HomogeneousGroups, IntArray, host_names, ranges
from spark.fleet import REBALANCING_STATES, UNKNOWN_STATE, why_unsupported
from spark.groups.encoded_row import EncodedRow
from spark.groups.memory import MAX_ROWS, size_of


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
        and row.trouble is None
        and not (row.hidden is not None and len(row.hidden))
        and row.state not in REBALANCING_STATES
        and not (row.state or "").startswith(UNKNOWN_STATE)
        and len(member_ids) == len(row.member_ids) > 0
        and row.claim_members.max(initial=0) < len(member_ids)
        and len(row.topics) > 0
        and row.topic_sizes.min() > 0
        and len(row.subscription_members) == len(member_ids) * len(row.topics)
        and row.claim_topics.max(initial=0) < len(row.topics)
        and not why_unsupported(row.type, row.group_strategy, row.client_ids.tolist())
        and size_of(row) <= MAX_ROWS
    )


def _read(rows: Sequence[EncodedRow]) -> tuple[HomogeneousRows, NDArray[np.bool_]]:
    """The rows as if all were alike, and which of them are."""
    members, topics = _starts(rows, "member_ids"), _starts(rows, "topics")
    sizes = _column(rows, "topic_sizes")
    first_of_topic = np.append(0, sizes.cumsum())
    partition_offsets = first_of_topic[topics]
    owner, settled = _owners(rows, members, topics, first_of_topic)
    groups = HomogeneousGroups(members, partition_offsets, owner, first_of_topic, _hosts(rows))
    read = HomogeneousRows(
        rows=rows,
        groups=groups,
        topic=groups.topic_of - topics[:-1].repeat(np.diff(partition_offsets)),
        number=ranges(np.zeros(len(sizes), np.int64), sizes),
    )
    return read, settled & _everybody_reads_everything(rows, np.diff(members))


def _everybody_reads_everything(rows: Sequence[EncodedRow], members: IntArray) -> NDArray[np.bool_]:
    """Each row states as many subscriptions as there can be: they must be different ones."""
    starts = _starts(rows, "subscription_members")
    of_row = np.arange(len(rows)).repeat(np.diff(starts))
    member = _column(rows, "subscription_members")
    pair = starts[of_row] + _column(rows, "subscription_topics") * members[of_row] + member
    values = np.zeros(len(pair), np.bool_)
    values[pair[member < members[of_row]]] = True
    return np.logical_and.reduceat(values, starts[:-1])


def _owners(
    rows: Sequence[EncodedRow], members: IntArray, topics: IntArray, first_of_topic: IntArray
) -> tuple[IntArray, NDArray[np.bool_]]:
    """The owner of each partition, and for which rows each claim is on one of its own."""
    count = np.diff(_starts(rows, "claim_topics"))
    topic = _column(rows, "claim_topics") + topics[:-1].repeat(count)
    number = _column(rows, "claim_partitions")
    partition = first_of_topic[topic] + number
    fine = (number >= 0) & (partition < first_of_topic[topic + 1])
    owner = np.full(first_of_topic[-1], NOBODY)
    owner[partition[fine]] = (_column(rows, "claim_members") + members[:-1].repeat(count))[fine]
    owned = np.append(0, (owner >= 0).cumsum())
    return owner, np.diff(owned[first_of_topic[topics]]) == count


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


def _column(rows: Sequence[EncodedRow], name: str) -> IntArray:
    return np.concatenate([getattr(row, name) for row in rows]).astype(np.int64, copy=False)


def _starts(rows: Sequence[EncodedRow], name: str) -> IntArray:
    """Where the entries of each row begin among those of all rows, and where the last ones end."""
    return np.append(0, np.cumsum([len(getattr(row, name)) for row in rows]))
