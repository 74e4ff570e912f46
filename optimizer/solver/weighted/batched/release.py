"""What members who have too much are to give up."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from optimizer.model import IntArray
from optimizer.solver.weighted.batched.tables import Assignments, Flags, Tables, packed

WIDER = 1 << 42
"""More than partitions of a group weigh together."""


class _TooFull(NamedTuple):
    """Members who have too much, a row each: of which group, what they own, and the excess.

    `own` has the partitions of each, `owned` of them, the heaviest first; `weight` is what they
    weigh, 0 beyond them.
    """

    group: IntArray
    own: IntArray
    owned: IntArray
    weight: IntArray
    excess: IntArray


def release(tables: Tables, level: IntArray, saving: IntArray) -> tuple[Flags, Flags]:
    """The partitions that are given up, and the groups in which it can't be told.

    Those of `optimizer.solver.weighted.relieve`: as few as can be, or so many more that it weighs
    less by `saving`.
    """
    full = _too_full(tables, level)
    none = np.zeros(len(full.group), np.int64)
    inputs, odd = _fewest(full, none, none)
    if saving.any():
        closer, odd_closer = _closer(full, inputs)
        better = _where_it_saves_most(full, inputs, closer, saving)
        inputs = np.where(better[:, None], closer, inputs)
        odd = odd | odd_closer
    result = np.zeros(tables.weight.shape, np.bool_)
    at, number = inputs.nonzero()
    result[full.group[at], full.own[at, number]] = True
    unknown = np.zeros(len(tables), np.bool_)
    unknown[full.group[odd]] = True
    return result, unknown


def _too_full(tables: Tables, level: IntArray) -> _TooFull:
    loads = Assignments(tables, tables.owner).loads
    group, member = (loads > level[:, None]).nonzero()
    own, count = packed(tables.owner[group] == member[:, None], tables.heaviest[group])
    weight = np.take_along_axis(tables.weight[group], own, 1)
    weight[np.arange(own.shape[1]) >= count[:, None]] = 0
    return _TooFull(group, own, count, weight, loads[group, member] - level[group])


def _fewest(full: _TooFull, more: IntArray, lead: IntArray) -> tuple[Flags, Flags]:
    """Of the fewest partitions that are enough those that weigh least, about; and where none do.

    Of `more` than the fewest; without the first `lead`. All but two are the heaviest; of those two
    the sum is the least that is enough. None is chosen where the rest isn't enough.
    """
    width = full.own.shape[1]
    column = np.arange(width)
    weight = np.where(column < lead[:, None], 0, full.weight)
    sums = weight.cumsum(axis=1)
    is_enough = sums[:, -1] >= full.excess if width else np.zeros(0, np.bool_)
    before = np.count_nonzero(sums < full.excess[:, None], axis=1) - lead
    count = np.minimum(before + 1 + more, full.owned - lead)
    fixed = lead + np.maximum(count - 2, 0)
    mask = (column >= lead[:, None]) & (column < fixed[:, None])
    heaviest = np.where(mask, weight, 0).sum(axis=1)
    single = is_enough & (count == 1)
    item = np.count_nonzero(weight >= full.excess[:, None], axis=1) + lead - 1
    mask[single, item[single]] = True
    pair = np.flatnonzero(is_enough & (count > 1))
    first, second, result = _two(
        weight[pair], fixed[pair], full.owned[pair], (full.excess - heaviest)[pair]
    )
    mask[pair, first] = True
    mask[pair, second] = True
    mask[~is_enough] = False
    odd = np.zeros(len(weight), np.bool_)
    odd[pair] = ~result
    return mask, odd


def _two(
    weight: IntArray, start: IntArray, end: IntArray, excess: IntArray
) -> tuple[IntArray, IntArray, Flags]:
    """Of the columns from `start` to `end`, descending, the two of the least sum that is enough.

    The first is the lighter one; whether there are any.
    """
    rows, width = weight.shape
    if not rows:
        nothing = np.zeros(0, np.int64)
        return nothing, nothing, np.zeros(0, np.bool_)
    row, column = np.arange(rows)[:, None], np.arange(width)
    within = (column >= start[:, None]) & (column < end[:, None])
    # Ascending from right to left, and what is beyond comes last.
    keys = np.where(within, weight, np.where(column < start[:, None], WIDER - 1, 0))
    ascending = (keys[:, ::-1] + row * WIDER).reshape(-1)
    wanted = (excess[:, None] - keys).clip(0, WIDER - 1) + row * WIDER
    at = np.searchsorted(ascending, wanted.reshape(-1)).reshape(rows, width) - row * width
    other = width - 1 - np.maximum(at, width - end[:, None])
    fits = within & (other >= start[:, None]) & (other > column)
    sums = keys + np.take_along_axis(keys, other.clip(0), 1)
    sums = np.where(fits, sums, np.iinfo(np.int64).max)[:, ::-1]
    best = width - 1 - sums.argmin(axis=1)
    return best, other[np.arange(rows), best].clip(0), fits.any(axis=1)


def _closer(full: _TooFull, mask: Flags) -> tuple[Flags, Flags]:
    """What each can give up that is closer to just enough: more, and none of it too heavy."""
    several = np.count_nonzero(mask, axis=1) > 1
    too_heavy = np.count_nonzero(full.weight >= full.excess[:, None], axis=1)
    result, odd = _fewest(full, several.astype(np.int64), np.where(several, 0, too_heavy))
    none = ~several & ~result.any(axis=1)
    return np.where(none[:, None], mask, result), odd & ~none


def _where_it_saves_most(full: _TooFull, mask: Flags, closer: Flags, saving: IntArray) -> Flags:
    """Who gives up what is closer: those who save most for each that is more, until it's enough."""
    saved = np.where(mask, full.weight, 0).sum(axis=1)
    saved = saved - np.where(closer, full.weight, 0).sum(axis=1)
    more = np.count_nonzero(closer, axis=1) - np.count_nonzero(mask, axis=1)
    worth = saved / np.maximum(more, 1)
    order = np.lexsort((-worth, full.group))
    group, in_order = full.group[order], np.maximum(saved[order], 0)
    before = in_order.cumsum() - in_order
    first = np.searchsorted(group, group)
    before = before - before[first]
    result = np.zeros(len(order), np.bool_)
    result[order] = (saved[order] > 0) & (before < saving[group])
    return result
