"""Which assignor a classic group uses (ClassicGroup.selectProtocol)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

HASH_ORDER = ("sticky", "range", "roundrobin", "cooperative-sticky")
"""Kafka's assignors as the HashMap of votes iterates them: the first of a tie wins."""


def candidates(lists: Iterable[tuple[str, ...]]) -> frozenset[str]:
    """The assignors that every list names."""
    common: frozenset[str] | None = None
    for names in lists:
        common = frozenset(names) if common is None else common & frozenset(names)
    return common or frozenset()


def elected(lists: Mapping[tuple[str, ...], int]) -> str:
    """The assignor with most votes; `lists` counts the members of each list of assignors.

    Each member votes for the first of its list that all members offer. Raises ValueError if there
    is none.
    """
    common = candidates(lists)
    if not common:
        raise ValueError("the members have no assignor in common")
    votes: Counter[str] = Counter()
    for names, count in lists.items():
        votes[next(name for name in names if name in common)] += count
    most = max(votes.values())
    return min((name for name in votes if votes[name] == most), key=_place)


def _place(name: str) -> tuple[int, str]:
    return HASH_ORDER.index(name) if name in HASH_ORDER else len(HASH_ORDER), name
