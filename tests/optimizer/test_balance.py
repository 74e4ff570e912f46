"""Shares in counts alone, of groups too large to write down partition by partition."""

import numpy as np

from optimizer.balance import best_shares
from optimizer.shares import Demand


def demand(supply: list[int], owned: list[int]) -> Demand:
    """Two members read the second class; the first member reads the first class too."""
    return Demand(
        supply=np.array(supply),
        offsets=np.array([0, 1, 3]),
        members=np.array([0, 0, 1]),
        owned=np.array(owned),
        member_count=2,
    )


def test_costs_do_not_grow_with_the_loads() -> None:
    """64 bits hold what any group can need, though Σ load² of this one is beyond them."""
    many = 10**15
    assert best_shares(demand([many, many + 7], [0, 3, 0])).tolist() == [many, 4, many + 3]
    assert best_shares(demand([many, many + 7], [0, 4, 0])).tolist() == [many, 4, many + 3]


def test_member_with_too_much_of_its_own_gets_nothing_else() -> None:
    many = 10**15
    assert best_shares(demand([many + 9, many], [0, many, 0])).tolist() == [many + 9, 0, many]
