"""Even out below the highest load what costs nothing, in many groups at once."""

import numpy as np

from optimizer.model import Flags, IntArray, Reals
from optimizer.solver.weighted.batched.tables import Assignments, Tables, packed
from optimizer.solver.weighted.moves.even_out import STEPS


def evened_out(
    tables: Tables, target: IntArray, level: IntArray, may: Flags, enough: float
) -> IntArray:
    """What `optimizer.solver.weighted.moves.even_out` makes of each plan.

    `may` tells which partitions can go to anybody at no cost.
    """
    assignments = Assignments(tables, target)
    free, count = packed(may)
    done = ~tables.is_member
    steps = STEPS * tables.members
    rows = np.flatnonzero(count)
    for step in range(int(steps.max(initial=0))):
        loads = assignments.loads[rows] * 1.0
        highest = loads.max(axis=1)
        lowest = np.where(tables.is_member[rows], loads, np.inf).min(axis=1)
        goes_on = (steps[rows] > step) & ~done[rows].all(axis=1)
        goes_on &= highest - lowest > enough * highest
        rows, loads = rows[goes_on], loads[goes_on]
        if not len(rows):
            break
        top = np.where(done[rows], -1.0, loads).argmax(axis=1)
        lower = _lower(assignments, rows, free[rows], count[rows], top, level[rows])
        done[rows[lower]] = ~tables.is_member[rows[lower]]
        done[rows[~lower], top[~lower]] = True
    return assignments.target


def _lower(
    assignments: Assignments,
    rows: IntArray,
    free: IntArray,
    count: IntArray,
    top: IntArray,
    level: IntArray,
) -> Flags:
    """Make the move or swap out of a member of each row that gains most; where there is one."""
    tables = assignments.tables
    row = np.arange(len(rows))
    is_filled = np.arange(free.shape[1]) < count[:, None]
    holder = assignments.target[rows[:, None], free]
    weight = tables.weight[rows[:, None], free]
    is_own = is_filled & (holder == top[:, None])
    own, owned = packed(is_own)
    if not own.shape[1]:
        return np.zeros(len(rows), np.bool_)
    is_there = np.arange(own.shape[1]) < owned[:, None]
    gives = np.take_along_axis(weight, own, 1)
    best_move, p_move, taker = _best_move(assignments, rows, gives, is_there, top, level)
    best_swap, p_swap, q = _best_swap(
        assignments, rows, (gives, is_there), (weight, is_filled & ~is_own, holder), top, level
    )
    swaps = best_swap > best_move
    best = np.where(swaps, best_swap, best_move)
    before = assignments.loads[rows, top].astype(np.float64)
    # Reals can't tell less, and would go round in circles.
    is_lower = ~(best <= 1e-9 * before**2)
    p = free[row, own[row, np.where(swaps, p_swap, p_move)]]
    other = free[row, q]
    taker = np.where(swaps, assignments.target[rows, other], taker)
    for moves, partition, to in ((is_lower, p, taker), (is_lower & swaps, other, top)):
        assignments.take(rows[moves], partition[moves])
        assignments.give(rows[moves], partition[moves], to[moves])
    return is_lower


def _best_move(
    assignments: Assignments,
    rows: IntArray,
    gives: IntArray,
    is_there: Flags,
    top: IntArray,
    level: IntArray,
) -> tuple[Reals, IntArray, IntArray]:
    """The gain of the best move of each row, which of its partitions moves, and to whom."""
    loads = assignments.loads[rows]
    gain = _gain(loads[np.arange(len(rows)), top], loads[:, None, :], gives[:, :, None])
    fits = is_there[:, :, None] & assignments.tables.is_member[rows][:, None, :]
    fits &= loads[:, None, :] + gives[:, :, None] <= level[:, None, None]
    fits[np.arange(len(rows)), :, top] = False
    return _most(gain, fits)


def _best_swap(
    assignments: Assignments,
    rows: IntArray,
    of_top: tuple[IntArray, Flags],
    of_others: tuple[IntArray, Flags, IntArray],
    top: IntArray,
    level: IntArray,
) -> tuple[Reals, IntArray, IntArray]:
    """The gain of the best exchange of each row, and which of the partitions of both it is."""
    (gives, is_own), (weight, is_other, holder) = of_top, of_others
    loads = assignments.loads[rows]
    of_holder = np.take_along_axis(loads, np.where(is_other, holder, 0), 1)
    of_top_load = loads[np.arange(len(rows)), top]
    difference = gives[:, :, None] - weight[:, None, :]
    gain = _gain(of_top_load, of_holder[:, None, :], difference)
    fits = is_own[:, :, None] & is_other[:, None, :]
    fits &= of_holder[:, None, :] + difference <= level[:, None, None]
    fits &= of_top_load[:, None, None] - difference <= level[:, None, None]
    return _most(gain, fits)


def _gain(of_top: IntArray, of_taker: IntArray, moved: IntArray) -> Reals:
    """By how much Σ load² falls when so much goes from one member of each row to others."""
    inputs = moved.astype(np.float64)
    falls = inputs * (2 * of_top.astype(np.float64)[:, None, None] - inputs)
    rises = inputs * (2 * of_taker.astype(np.float64) + inputs)
    result: Reals = falls - rises
    return result


def _most(gain: Reals, fits: Flags) -> tuple[Reals, IntArray, IntArray]:
    """The largest gain of each row of what fits, or 0, and its place."""
    flat = np.where(fits, gain, 0.0).reshape(len(gain), -1)
    at = flat.argmax(axis=1)
    first, second = np.divmod(at, gain.shape[2])
    return flat[np.arange(len(gain)), at], first, second
