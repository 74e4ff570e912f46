"""Which assignor a classic group uses (ClassicGroup.selectProtocol)."""

from collections import Counter
from collections.abc import Iterable, Mapping

from optimizer.strategies.kafka import in_hash_order, string_hash, utf16


def candidates(lists: Iterable[tuple[str, ...]]) -> frozenset[str]:
    """The assignors that every list names."""
    common: frozenset[str] | None = None
    for names in lists:
        common = frozenset(names) if common is None else common & frozenset(names)
    return common or frozenset()


def elected(lists: Mapping[tuple[str, ...], int]) -> str:
    """The assignor with most votes; `lists` counts the members of each list of assignors.

    Each member votes for the first of its list that all members offer. Raises ValueError if there
    is none. Of a tie wins the assignor that the HashMap of votes iterates first.
    """
    common = candidates(lists)
    if not common:
        raise ValueError("the members have no assignor in common")
    votes: Counter[str] = Counter()
    for names, count in lists.items():
        votes[next(name for name in names if name in common)] += count
    most = max(votes.values())
    voted = list(votes)
    hashes = [string_hash(name) for name in voted]
    order = in_hash_order(range(len(voted)), hashes.__getitem__, lambda at: utf16(voted[at]))
    return next(voted[at] for at in order if votes[voted[at]] == most)
