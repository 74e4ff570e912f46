"""The paths along which an assignment changes: chains of members who pass partitions on."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray

OUTSIDE = -1
"""Giver of a partition that none of its readers owns."""


class Transfer(NamedTuple):
    """A partition and the members, by index, who give and take it."""

    partition: int
    giver: int
    taker: int


Path = list[Transfer]


def paths_of(current: IntArray, target: IntArray) -> Iterator[Path]:
    """Split all changes into paths, and cycles, on which no member comes twice.

    `current` has OUTSIDE for partitions without an owner that may keep them. What a member gets is
    linked to what it gives, one by one, as long as there are both. So every path starts outside or
    at a member that has less in the end, and ends at one that has more; a path that ends where it
    starts is a cycle. Every change is in one path.
    """
    changed = np.flatnonzero((target >= 0) & (target != current)).tolist()
    transfers = [Transfer(p, int(current[p]), int(target[p])) for p in changed]
    following = _linked(transfers)
    followers = set(following.values())
    starts = [at for at in range(len(transfers)) if at not in followers]
    seen: set[int] = set()
    for start in (*starts, *range(len(transfers))):
        chain: Path = []
        at: int | None = start
        while at is not None and at not in seen:
            seen.add(at)
            chain.append(transfers[at])
            at = following.get(at)
        yield from _simple(chain)


def _linked(transfers: Sequence[Transfer]) -> dict[int, int]:
    """For each transfer the one by which its taker passes a partition on, if there is one."""
    inputs: dict[int, list[int]] = {}
    for at, transfer in enumerate(transfers):
        if transfer.giver != OUTSIDE:
            inputs.setdefault(transfer.giver, []).append(at)
    # What comes from a member is linked before what comes from outside.
    order = sorted(range(len(transfers)), key=lambda at: transfers[at].giver == OUTSIDE)
    waiting = {member: iter(items) for member, items in inputs.items()}
    links = ((at, next(waiting.get(transfers[at].taker, iter(())), None)) for at in order)
    return {at: following for at, following in links if following is not None}


def _simple(chain: Path) -> Iterator[Path]:
    """Cut cycles out of a chain; what is left is a path."""
    path: Path = []
    place: dict[int, int] = {chain[0].giver: 0} if chain and chain[0].giver != OUTSIDE else {}
    for transfer in chain:
        path.append(transfer)
        if transfer.taker in place:
            start = place[transfer.taker]
            for passed in path[start:]:
                place.pop(passed.taker, None)
            place[transfer.taker] = start
            yield path[start:]
            path = path[:start]
        else:
            place[transfer.taker] = len(path)
    if path:
        yield path
