"""Parts of a group that share no member: each is a problem of its own."""

from collections.abc import Iterator

import numpy as np

from optimizer.problem import IntArray
from optimizer.shares import Demand


def components(demand: Demand) -> Iterator[IntArray]:
    """The classes of each connected component of the subscription graph, ascending."""
    count = len(demand.supply)
    if count <= 1:
        yield from [np.arange(count)] * count
        return
    roots = _roots(count, _links(demand))
    order = np.argsort(roots, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(roots[order])) + 1)


def _links(demand: Demand) -> list[list[int]]:
    """Pairs of classes that have a member in common, enough of them to connect all that do."""
    by_member = np.argsort(demand.members, kind="stable")
    member = demand.members[by_member]
    c = demand.class_of_pair[by_member]
    shared = member[1:] == member[:-1]
    links = c[:-1][shared] * len(demand.supply) + c[1:][shared]
    return np.stack(np.divmod(np.unique(links), len(demand.supply)), axis=1).tolist()


def _roots(count: int, links: list[list[int]]) -> IntArray:
    parent = list(range(count))

    def root(c: int) -> int:
        while parent[c] != c:
            parent[c] = parent[parent[c]]
            c = parent[c]
        return c

    for a, b in links:
        low, high = sorted((root(a), root(b)))
        parent[high] = low
    return np.array([root(c) for c in range(count)])
