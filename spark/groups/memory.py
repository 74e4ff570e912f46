"""Whether there is enough memory to plan a group, told by the size of its encoded row.

A worker that takes more memory than there is gets killed, and the fleet's job with it.
"""

import os
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np

from optimizer.figures import data_size, plural
from spark.groups.rows import EncodedRow
from spark.memory_limits import free_memory

ASKED_FROM = 32_000_000
"""Bytes; what needs less is let through without a look at free memory."""

A_PAIR = 400
"""Bytes for each partition class, or part of one that has racks of its own, and its reader."""

A_SUBSCRIPTION = 80
"""Bytes for each subscription to be looked up, sorted and compared with the others."""

A_PARTITION, A_CLAIM, A_NAME = 500, 100, 300
"""Bytes for each partition, each claim on one, and each member, topic, or who claims something."""

A_CHECKED_PARTITION = 1_200
"""Bytes for each partition of a plan that is checked, in which everything has a name."""

A_SPREAD, MOST_SPREAD = 8_000, 20_000
"""Bytes for each subscription when topics are spread, and how many a group has then at most."""

IN_USE = 2
"""A group may take the half of what is free: other tasks share the machine, and grow as well."""

MORE = "raise spark.executor.pyspark.memory"
BEYOND_LIMIT = (
    f"it took all the memory that a worker may have: {MORE}, or split the group by topics"
)


MAX_ROWS = 500_000
"""Partitions, claims and subscriptions of a portion; a group with more is a portion of its own."""


class NotEnoughMemoryError(Exception):
    """A group needs more memory than a worker has."""


def check_memory(row: EncodedRow, partitions: int) -> None:
    """Raise NotEnoughMemoryError for a row of `spark.groups.encode` that memory won't do for.

    `partitions` are those of all its topics, which needn't all be claimed.
    """
    needed = memory_needed(row, partitions)
    if needed < ASKED_FROM:
        return
    for free, advice in memory_free():
        if needed > free:
            raise NotEnoughMemoryError(
                f"it needs up to {data_size(needed)} of memory "
                f"({plural(len(row.member_ids), 'member')}, {plural(partitions, 'partition')}, "
                f"{plural(len(row.subscription_members), 'subscription')}), and a worker has "
                f"{data_size(free)} for it: {advice}, or split the group by topics"
            )


def memory_needed(row: EncodedRow, partitions: int) -> int:
    """Bytes that solving, checking and comparing need at most beside the row itself.

    As measured for all strategies, over shapes and sizes of groups; most need a half or less.
    """
    subscriptions, names = len(row.subscription_members), len(row.member_ids) + len(row.topics)
    return (
        A_PAIR * _pairs(row)
        + A_SUBSCRIPTION * subscriptions
        + A_SPREAD * subscriptions * (subscriptions <= MOST_SPREAD)
        + A_PARTITION * partitions
        + A_CLAIM * len(row.claim_topics)
        + A_NAME * (names + len(row.all_members))
        + A_CHECKED_PARTITION * len(getattr(row, "plan_topics", ()))
    )


def _pairs(row: EncodedRow) -> int:
    """Classes times their readers, at most: each topic may be a class, or one for each place."""
    slots = getattr(row, "place_topics", None)
    if slots is not None:
        counts = np.bincount(slots, minlength=len(row.topics))
        return int(row.subscriber_counts.astype(np.int64) @ np.maximum(counts, 1))
    members, subscriptions = len(row.member_ids), len(row.subscription_members)
    # where all read all it is one class
    return members if subscriptions == members * len(row.topics) else subscriptions


def portions(groups: Iterable[list[EncodedRow]]) -> Iterator[list[list[EncodedRow]]]:
    """Groups in their order, in portions: what is made of a portion is in memory at once."""
    portion: list[list[EncodedRow]] = []
    size = 0
    for group in groups:
        of_group = sum(map(size_of, group))
        if portion and size + of_group > MAX_ROWS:
            yield portion
            portion, size = [], 0
        portion.append(group)
        size += of_group
    if portion:
        yield portion


def size_of(row: EncodedRow) -> int:
    """Partitions, claims and subscriptions of an encoded row."""
    sizes: list[int] = row.topic_sizes.tolist()
    rows = len(row.claim_topics) + len(row.subscription_members)
    return rows + sum(size for size in sizes if size > 0)


def memory_free() -> Iterator[tuple[int, str]]:
    """Bytes that a group may take by each limit that is known here, and how to have more."""
    limited = _below_own_limit()
    if limited is not None:
        yield limited, MORE
    shared = free_memory()
    if shared is not None:
        advice = "run it where more is free, or with fewer tasks at a time (spark.executor.cores)"
        yield shared // IN_USE, advice


def limit_to_free_memory() -> None:
    """Let what needs more memory than a group may take fail in this process, before it is killed.

    In some containers the kernel kills all processes together (memory.oom.group).
    """
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - there is none on Windows

        held = int(Path("/proc/self/statm").read_text().split()[5]) * os.sysconf("SC_PAGE_SIZE")
        limit = held + min(free for free, _ in memory_free())
        most = resource.getrlimit(resource.RLIMIT_DATA)[1]
        if most == resource.RLIM_INFINITY or limit < most:
            resource.setrlimit(resource.RLIMIT_DATA, (limit, most))


def _below_own_limit() -> int | None:
    """Bytes that this process may still take; spark.executor.pyspark.memory limits workers.

    None where there is no limit, or none is known.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - there is none on Windows

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            return max(limit - pages * os.sysconf("SC_PAGE_SIZE"), 0)
    return None
