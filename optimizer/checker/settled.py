"""Levels at which nothing has to be looked at, since numbers alone tell that nothing is better."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from optimizer.checker.costs import COSTS
from optimizer.checker.counts import Counts
from optimizer.checker.homogeneous import kept_at_most
from optimizer.checker.hosts import are_within_one
from optimizer.checker.spread import least_spread


def is_free(counts: Counts, level: str) -> bool:
    """Whether it is a level of costs that nobody has to pay, whatever the plan."""
    return level in COSTS and counts.kinds.is_free(level)


def is_settled(counts: Counts, level: str, levels: Sequence[str]) -> bool:
    """Whether no plan can be better at a level, as good as it may be at those before it.

    So it is at any level below moves if nothing moves and nothing is new; with moves of a balanced
    group in which everybody reads everything that keeps as much as its quotas let it; with hosts
    whose loads are within one of each other; and with topics that are spread evenly, each by
    itself.
    """
    if level != "balance" and counts.stays and "moves" in levels[: levels.index(level) + 1]:
        return True
    if level == "hosts":
        return counts.host is None or are_within_one(counts.host, counts.loads)
    if counts.limits is not None:  # what follows goes by quotas that limits may not leave
        return is_free(counts, level)
    if level == "moves":
        return levels[0] == "balance" and _keeps_its_quotas(counts)
    if level == "spread":
        return _is_even(counts)
    return is_free(counts, level)


def _keeps_its_quotas(counts: Counts) -> bool:
    kinds = counts.kinds
    if len(kinds.member) != kinds.kind_count * len(counts.loads) or not len(counts.loads):
        return False
    if not all(is_free(counts, level) for level in COSTS):
        return False
    owned = np.bincount(kinds.member, counts.owned, len(counts.loads)).astype(np.int64)
    partitions = np.array([counts.measures.partitions])
    most = kept_at_most(owned, np.array([0, len(owned)]), partitions)
    return bool(counts.kept.sum() == most[0])


def _is_even(counts: Counts) -> bool:
    kinds = counts.kinds
    # Kinds stand in the order of their topics: the first of each will do.
    kind = np.diff(kinds.topic, prepend=-1).nonzero()[0]
    readers, sizes = kinds.reader_counts[kind], counts.problem.topic_sizes[kinds.topic[kind]]
    return counts.measures.spread == int(least_spread(readers, sizes).sum())
