"""Nested readers by way of hubs, against the network of all pairs."""

import numpy as np
import pytest

from optimizer.model import IntArray
from optimizer.solver import shortcuts
from optimizer.solver.demand import Demand
from optimizer.solver.pipeline import best_shares


@pytest.fixture
def always(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few pairs there are."""
    monkeypatch.setattr(shortcuts, "FEWEST_PAIRS", 0)
    monkeypatch.setattr(shortcuts, "FEWER_READERS", 0)


def nested_demand(seed: int) -> Demand:
    """Kinds in any order whose readers are nested, and owners at random."""
    draw = np.random.default_rng(seed)
    members, kinds = int(draw.integers(1, 8)), int(draw.integers(1, 7))
    order = draw.permutation(members)
    readers = [np.sort(order[: int(draw.integers(1, members + 1))]) for _ in range(kinds)]
    readers[0] = np.arange(members)
    sizes = np.array([len(reader) for reader in readers])
    supply = draw.integers(0, 12, kinds)
    owned = np.zeros(int(sizes.sum()), np.int64)
    offsets = np.append(0, sizes.cumsum())
    for kind in range(kinds):
        pairs = draw.integers(offsets[kind], offsets[kind + 1], int(supply[kind] * draw.random()))
        np.add.at(owned, pairs, 1)
    return Demand(supply, offsets, np.concatenate(readers), owned, members)


def measured(demand: Demand, shares: IntArray) -> tuple[int, int]:
    """Σ load², and the partitions that stay with their owners."""
    loads = np.bincount(demand.members, shares, demand.member_count)
    return int((loads**2).sum()), int(np.minimum(shares, demand.owned).sum())


@pytest.mark.usefixtures("always")
def test_they_are_as_good_as_by_the_network_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    used: list[bool] = []
    real = shortcuts.nested_shares

    def counted(*arguments: object) -> IntArray | None:
        result = real(*arguments)  # type: ignore[arg-type]
        used.append(result is not None)
        return result

    monkeypatch.setattr("optimizer.solver.shortcuts.nested_shares", counted)
    demands = [nested_demand(seed) for seed in range(400)]
    outcome = [measured(item, best_shares(item)) for item in demands]
    for demand in demands:
        shares = best_shares(demand)
        assert (np.add.reduceat(shares, demand.offsets[:-1]) == demand.supply).all()
    assert sum(used) > 100
    monkeypatch.setattr("optimizer.solver.shortcuts.nest_of", lambda _: None)
    assert outcome == [measured(item, best_shares(item)) for item in demands]


@pytest.mark.usefixtures("always")
def test_readers_that_are_not_nested_have_none() -> None:
    """a and b, b and c."""
    demand = Demand(
        np.array([2, 2]), np.array([0, 2, 4]), np.array([0, 1, 1, 2]), np.zeros(4, np.int64), 3
    )
    assert shortcuts.nest_of(demand) is None
