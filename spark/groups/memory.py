"""Whether there is enough memory to plan a group, told by the size of its encoded row.

A worker that takes more memory than there is gets killed, and the fleet's job with it.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

ASKED_FROM = 32_000_000
"""Bytes; what needs less is let through without a look at what there is."""

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


class NotEnoughMemoryError(Exception):
    """A group needs more memory than a worker has."""


def check_memory(row: Any, partitions: int) -> None:
    """Raise NotEnoughMemoryError for a row of `spark.groups.encode` that memory won't do for.

    `partitions` are those of all its topics, which needn't all be claimed.
    """
    needed = memory_needed(row, partitions)
    if needed < ASKED_FROM:
        return
    for free, advice in memory_free():
        if needed > free:
            raise NotEnoughMemoryError(
                f"it needs up to {_said(needed)} of memory ({len(row.member_ids)} members, "
                f"{partitions} partitions, {len(row.subscribers)} subscriptions), and a worker has "
                f"{_said(free)} for it: {advice}, or split the group by topics"
            )


def memory_needed(row: Any, partitions: int) -> int:
    """Bytes that solving, checking and comparing need at most beside the row itself.

    As measured for all strategies, over shapes and sizes of groups; most need a half or less.
    """
    subscriptions, names = len(row.subscribers), len(row.member_ids) + len(row.topics)
    return (
        A_PAIR * _pairs(row)
        + A_SUBSCRIPTION * subscriptions
        + A_SPREAD * subscriptions * (subscriptions <= MOST_SPREAD)
        + A_PARTITION * partitions
        + A_CLAIM * len(row.claim_topics)
        + A_NAME * (names + len(row.claimants))
        + A_CHECKED_PARTITION * len(getattr(row, "plan_topics", ()))
    )


def _pairs(row: Any) -> int:
    """Classes times their readers, at most: each topic may be a class, or one for each place."""
    places = getattr(row, "place_counts", None)
    if places is not None:
        return int(row.subscriber_counts.astype(np.int64) @ np.maximum(places, 1))
    if len(row.subscribers) == len(row.member_ids) * len(row.topics):  # all read all: one class
        return len(row.member_ids)
    return len(row.subscribers)


def memory_free() -> Iterator[tuple[int, str]]:
    """Bytes that a group may take by each limit that is known here, and how to have more."""
    limited = _below_own_limit()
    if limited is not None:
        yield limited, MORE
    of_machine = [free for free in (_free_in_machine(), _free_in_container()) if free is not None]
    if of_machine:
        advice = "run it where more is free, or with fewer tasks at a time (spark.executor.cores)"
        yield min(of_machine) // IN_USE, advice


def _below_own_limit() -> int | None:
    """What this process may still take; Spark limits its workers by spark.executor.pyspark.memory.

    None where there is no limit, or none is known.
    """
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415 - there is none on Windows

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            return max(limit - pages * os.sysconf("SC_PAGE_SIZE"), 0)
    return None


def _free_in_machine() -> int | None:
    return _number_in(Path("/proc/meminfo"), "MemAvailable:", unit=1024)


def _free_in_container(root: Path = Path("/sys/fs/cgroup")) -> int | None:
    """What the control groups of this process leave of their limits; None where none is set.

    Files that were read and can be read again count as used there, and don't as needed.
    """
    free = []
    for folder, limit, used in _control_groups(root):
        most, now = _number_in(folder / limit), _number_in(folder / used)
        if most is not None and now is not None:
            again = _number_in(folder / "memory.stat", "inactive_file") or 0
            free.append(max(most - now + again, 0))
    return min(free, default=None)


def _control_groups(root: Path) -> Iterator[tuple[Path, str, str]]:
    """Folders, and their files for limit and use: from the process's own group up to the root.

    https://docs.kernel.org/admin-guide/cgroup-v2.html; version 1 has a tree for memory alone.
    """
    with suppress(OSError):
        for line in Path("/proc/self/cgroup").read_text().splitlines():
            _, controllers, path = line.split(":", 2)
            if not controllers:
                tree, files = root, ("memory.max", "memory.current")
            elif "memory" in controllers.split(","):
                tree, files = (
                    root / "memory",
                    ("memory.limit_in_bytes", "memory.usage_in_bytes"),
                )
            else:
                continue
            own = tree / path.lstrip("/")
            for folder in (own, *own.parents):
                if folder.is_relative_to(tree):
                    yield folder, *files


def _number_in(file: Path, name: str = "", unit: int = 1) -> int | None:
    """The number in a file, or in its line of that name; None if there is none: `max`, say."""
    with suppress(OSError, ValueError, IndexError):
        for line in file.read_text().splitlines():
            if line.startswith(name):
                return int(line.removeprefix(name).split()[0]) * unit
    return None


def _said(number: int) -> str:
    return f"{number / 1e9:.1f} GB" if number >= 1e8 else f"{number / 1e6:.0f} MB"
