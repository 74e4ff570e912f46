"""Shares in counts alone, of groups too large to write down partition by partition."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer import CostOverflowError
from optimizer.solver.demand import Demand
from optimizer.solver.pipeline import best_shares


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


def remote(supply: list[int], owned: list[int]) -> Demand:
    """The same with racks: the first member reads the second kind across racks."""
    return replace(demand(supply, owned), costs={"racks": np.array([False, True, False])})


def test_weights_of_levels_do_not_grow_with_the_partitions() -> None:
    """Two million partitions and four levels (coverage, balance, racks, moves) are exact."""
    for levels in (("racks", "moves"), ("moves", "racks")):
        shares = best_shares(remote([10**6, 10**6 + 4], [0, 9, 10**6 - 5]), levels).tolist()
        assert shares == [10**6, 2, 10**6 + 2]
    shares = best_shares(remote([4, 10**12], [0, 10**12, 0]), ("racks", "moves")).tolist()
    assert shares == [4, 5 * 10**11 - 2, 5 * 10**11 + 2]


def test_costs_beyond_64_bits_are_refused() -> None:
    huge = 10**18
    with pytest.raises(CostOverflowError, match="exceed 64 bits"):
        best_shares(remote([huge, huge], [0, 0, 0]), ("racks", "moves"))
    assert best_shares(demand([huge, huge], [0, 0, 0])).tolist() == [huge, 0, huge]
