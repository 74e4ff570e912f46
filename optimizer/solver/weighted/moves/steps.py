"""What may lower the fullest member: moves, swaps, splits of two members, and chains."""

import numpy as np

from optimizer.solver.weighted.moves.chain_moves import chain_moves
from optimizer.solver.weighted.moves.descent import Descent, Step, Top
from optimizer.solver.weighted.moves.split import best_split
from optimizer.solver.weighted.problem import NOTHING, best_change

MOST_MEMBERS = 200
"""In larger groups nothing is passed on over more than three."""

NEVER = np.inf

SPLIT = 10_000
"""What a split counts among the exchanges that are examined in all."""


def move_or_swap(descent: Descent, top: Top) -> bool:
    """Make the best move or swap out of the fullest member, if one is any better."""
    weight, holder, loads = descent.problem.weight, descent.target[top.others], descent.loads
    gives = weight[top.own][:, None]
    moved = np.maximum(
        descent.levels_at(loads[top.member] - gives, top.member),
        descent.levels_at(loads + gives, descent.everybody),
    )
    moved[~descent.may_move(top.own)] = NEVER
    moved[:, top.member] = NEVER
    difference = gives - weight[top.others]
    swapped = np.maximum(
        descent.levels_at(loads[top.member] - difference, top.member),
        descent.levels_at(loads[holder] + difference, holder),
    )
    swapped[~descent.may_swap(top)] = NEVER
    best = best_change(descent.target, top.own, top.others, moved, swapped)
    if not best.value < top.level:
        return False
    descent.make(best, top.member)
    return True


def split(descent: Descent, top: Top) -> bool:
    """Deal the partitions of the fullest member and another one again, as well as possible."""
    for other in np.argsort(descent.levels, kind="stable").tolist():
        if other == top.member:
            continue
        if descent.is_spent:
            break
        descent.work += SPLIT
        result = best_split(descent.problem, descent.target, top.member, other, top.level)
        for p, member in result or ():
            descent.give(p, member)
        if result is not None:
            return True
    return False


def pass_on(descent: Descent, top: Top) -> bool:
    """Give a partition to a member that gives another one to a third."""
    problem, scale, own, others = descent.problem, descent.scale, top.own, top.others
    if not len(others) or problem.members < 3:
        return False
    weight, class_of, reads, loads = problem.weight, problem.class_of, problem.reads, descent.loads
    holder = descent.target[others]
    # The best third member for each: the least full that is neither of the two.
    third = (loads + weight[others][:, None]) * scale
    third[~reads[class_of[others]]] = NEVER
    third[:, top.member] = NEVER
    third[np.arange(len(others)), holder] = NEVER
    to = third.argmin(axis=1)
    difference = weight[own][:, None] - weight[others]
    value = np.maximum(
        (loads[holder] + difference) * scale[holder],
        third[np.arange(len(others)), to],
    )
    left = (loads[top.member] - weight[own]) * scale[top.member]
    value = np.maximum(value, left[:, None])
    value[~reads[class_of[own]][:, holder]] = NEVER
    p, q = divmod(int(value.argmin()), len(others))
    if not value[p, q] < top.level:
        return False
    descent.give(int(own[p]), int(holder[q]))
    descent.give(int(others[q]), int(to[q]))
    return True


def chain(descent: Descent, top: Top) -> bool:
    """Pass something on over any number of members: to the goal at once, or at least lower."""
    problem = descent.problem
    if problem.members > MOST_MEMBERS:
        return False
    for lower in (top.goal, (top.goal + int(top.level)) // 2, int(top.level) - 1):
        limits = problem.weights.limits(lower)
        caps = np.maximum(limits, descent.loads)
        caps[top.member] = limits[top.member]
        result = chain_moves(problem, descent.target, descent.loads, caps, top.member)
        for transfer in result or ():
            descent.give(transfer.gives, transfer.taker)
            if transfer.gets != NOTHING:
                descent.give(transfer.gets, transfer.giver)
        if result is not None:
            return True
    return False


STEPS: tuple[Step, ...] = (move_or_swap, split, pass_on, chain)
"""In the order in which they are tried."""
