"""Hosts of members, taken from a problem's bare facts for the checker alone."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Problem, host_names, once_a_problem


def host_of_members(problem: Problem) -> IntArray | None:
    """The host of each member; None where no two members share one, or all share the same."""
    if not any(problem.hosts or ()):
        return None
    host = every_host_of_members(problem)
    return host if 0 < int(host.max(initial=0)) < len(host) - 1 else None


@once_a_problem
def every_host_of_members(problem: Problem) -> IntArray:
    """The same of any group; a member without a host is on one of its own."""
    names = host_names(problem.hosts or [None] * len(problem.member_ids))
    keys = [(at, "") if name is None else (-1, name) for at, name in enumerate(names)]
    number = {key: place for place, key in enumerate(sorted(set(keys)))}
    return np.array([number[key] for key in keys], np.int64)


def host_loads(host: IntArray, loads: IntArray) -> IntArray:
    """How many partitions the members of each host have together."""
    return np.bincount(host, loads).astype(np.int64)


def are_within_one(host: IntArray, loads: IntArray) -> bool:
    """Whether no host has more than one partition above another."""
    of_host = host_loads(host, loads)
    return int(of_host.max()) - int(of_host.min()) <= 1


def hosts_proven(
    host: IntArray,
    loads: IntArray,
    owned: IntArray,
    offsets: IntArray,
    quota: IntArray,
    after_moves: bool = True,
) -> NDArray[np.bool_]:
    """Whether nothing is more even over hosts, of groups whose members each read everything.

    The plan is balanced and keeps as much as it can. The members of group g are
    offsets[g]:offsets[g + 1], and each of them has its `quota` or one more. Plans as good differ in
    who has one more: if those who own more than the quota are enough for that, it is some of these,
    otherwise all of them and some others. These loads of hosts are an M-convex set, in which
    nothing is better if no single exchange is (Murota, Discrete Convex Analysis, 2003): if it takes
    from no host one partition for another that has two less. Where hosts come before moves, members
    are alike whatever they own.
    """
    group = np.arange(len(offsets) - 1).repeat(np.diff(offsets))
    has_more, is_rich = loads > quota, owned > quota
    extra, rich = (
        np.add.reduceat(flags.astype(np.int64), offsets[:-1]) for flags in (has_more, is_rich)
    )
    may_change = np.ones_like(has_more)
    if after_moves:
        may_change = is_rich == (rich >= extra)[group]
    of_host = host_loads(host, loads)[host]
    highest = np.where(may_change & has_more, of_host, -1)
    lowest = np.where(may_change & ~has_more, of_host, np.iinfo(np.int64).max)
    result: NDArray[np.bool_] = (
        np.maximum.reduceat(highest, offsets[:-1])
        <= np.minimum.reduceat(lowest, offsets[:-1]).clip(max=2**62) + 1
    )
    return result
