"""Kinds cut so fine that listing every reader of each would take more than the group itself has.

Pairs are then those alone that an owner or the plan makes, and hubs lead to all other readers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from optimizer.checker.pair_facts import Flags
from optimizer.checker.racks import RackFacts
from optimizer.model import IntArray, occurs

FEWER = 7
"""Hubs are taken where they are so many times fewer than pairs of a kind and a reader."""


@dataclass(frozen=True)
class Hubs:
    """Arcs from kinds to all who may read them, by way of hubs.

    Kinds that have the same readers are of a class, `class_of`. By the hub of its class a partition
    gets to any reader, and costs a read across racks where the kind is `costly`; by that of a class
    and a rack to the readers there, at no cost: `near_kind` and `near_hub` are the arcs there.
    `class_of_hub` has the class of each hub of a rack. A class and a reader are a pair of their
    own, from the hub `hub_of_reader` of its rack to `reader`, a member; `cell` is the cell of
    these, where there are cells.
    """

    class_of: IntArray
    costly: Flags
    near_kind: IntArray
    near_hub: IntArray
    class_of_hub: IntArray
    hub_of_reader: IntArray
    reader: IntArray
    cell: IntArray | None = None


def hubs_of(
    class_of: IntArray, row: IntArray, offsets: IntArray, readers: IntArray, facts: RackFacts
) -> Hubs | None:
    """The hubs of kinds that are each of a class and a row; None where pairs will do.

    The readers of class c are readers[offsets[c]:offsets[c + 1]].
    """
    sizes, columns = np.diff(offsets), facts.columns + 1
    near, counts = facts.near_columns(row)
    is_costly = facts.named[row]
    most = len(row) + int(counts.sum()) + int(is_costly.sum()) + len(readers)
    if most * FEWER >= int(sizes[class_of].sum()):
        return None
    keys = np.arange(len(sizes)).repeat(sizes) * columns + facts.column_of[readers]
    hubs, hub_of_reader = np.unique(keys, return_inverse=True)
    kinds = np.arange(len(row))
    # Members without a rack read nothing across racks.
    near_kind = np.concatenate((kinds.repeat(counts), kinds[is_costly]))
    column = np.concatenate((near, np.full(int(is_costly.sum()), facts.columns)))
    wanted = class_of[near_kind] * columns + column
    there = occurs(wanted, hubs)
    return Hubs(
        class_of=class_of,
        costly=is_costly,
        near_kind=near_kind[there],
        near_hub=hubs.searchsorted(wanted[there]),
        class_of_hub=hubs // columns,
        hub_of_reader=hub_of_reader.reshape(-1),
        reader=readers,
    )
