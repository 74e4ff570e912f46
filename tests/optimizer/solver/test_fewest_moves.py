"""The fewest moves against all assignments there are."""

import pytest

from optimizer.solver import fewest_moves
from tests.optimizer.oracles import facts_of_problem
from tests.support.groups import tiny_problem
from tests.support.tiers import tiered


@pytest.mark.parametrize("start", tiered(range(0, 300, 100), 1))
def test_it_is_the_fewest_of_all_assignments(start: int) -> None:
    seen = set()
    for group in map(tiny_problem, range(start, start + 100)):
        if not group.member_ids:
            continue
        facts = facts_of_problem(group)
        every = facts.every()
        loads, moves = facts.loads(every), facts.costs(every, "moves")
        for lowest, highest in ((0, 6), (0, 2), (1, 2), (1, 3), (2, 2)):
            fits = ((loads >= lowest) & (loads <= highest)).all(axis=1)
            expected = min(moves[fits].tolist(), default=None)
            assert fewest_moves(group, lowest, highest) == expected, (group, lowest, highest)
            seen.add(expected)
    assert {None, 0, 1} <= seen
