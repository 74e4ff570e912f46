"""Parts whose shares need no network: nested readers, and chains."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer import CostOverflowError
from optimizer.checker import check_assignment
from optimizer.model import IntArray
from optimizer.model.goals import Goals
from optimizer.model.problem import Problem
from optimizer.solver import shortcuts, solve
from optimizer.solver.demand import Demand
from optimizer.solver.pipeline import best_shares
from optimizer.solver.shortcuts import by_chain, chain_of
from tests.optimizer.test_optimum import is_best_and_proven
from tests.support.groups import demand, problem, random_owner
from tests.support.tiers import tiered


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


def measured(of: Demand, shares: IntArray) -> tuple[int, int]:
    """Σ load², and the partitions that stay with their owners."""
    loads = np.bincount(of.members, shares, of.member_count)
    return int((loads**2).sum()), int(np.minimum(shares, of.owned).sum())


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
    for item in demands:
        shares = best_shares(item)
        assert (np.add.reduceat(shares, item.offsets[:-1]) == item.supply).all()
    assert sum(used) > 100
    monkeypatch.setattr("optimizer.solver.shortcuts.nest_of", lambda _: None)
    assert outcome == [measured(item, best_shares(item)) for item in demands]


@pytest.mark.usefixtures("always")
def test_readers_that_are_not_nested_have_none() -> None:
    """a and b, b and c."""
    crossed = Demand(
        np.array([2, 2]), np.array([0, 2, 4]), np.array([0, 1, 1, 2]), np.zeros(4, np.int64), 3
    )
    assert shortcuts.nest_of(crossed) is None


ORDERS = (("moves", "spread"), ("spread", "moves"), ("racks", "moves"), ("moves", "racks"))


def random_chain(seed: int) -> Problem:
    """Members and topics in a line that starts and ends with either; names in any order.

    Each topic is in a rack.
    """
    draw = np.random.default_rng(seed)
    topics = int(draw.integers(2, 9))
    members = topics + int(draw.integers(-1, 2))
    first = int(draw.integers(0, 2)) if members == topics else int(members < topics)
    name = draw.permutation(topics)
    reads = [
        [int(name[t]) for t in (m + first - 1, m + first) if 0 <= t < topics]
        for m in range(members)
    ]
    draw.shuffle(reads)
    sizes = draw.integers(0 if seed % 3 else 1, 5, topics)
    group = problem(sizes.tolist(), reads, random_owner(draw, int(sizes.sum()), members))
    near = draw.choice(["a", "b"], topics)[group.topic_of].tolist()
    racks = draw.choice(["a", "b"], members).tolist()
    return replace(group, racks=racks, leader_racks=near, replica_racks=[(r,) for r in near])


@pytest.mark.parametrize("start", tiered(range(0, 400, 50), 1))
def test_chains_equal_a_network_of_single_partitions(
    start: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shortcuts, "LONG", 1)
    chains = 0
    for seed in range(start, start + 50):
        group, levels = random_chain(seed), ORDERS[seed % len(ORDERS)]
        is_best_and_proven(
            group, Goals(rack="leader" if "racks" in levels else None, levels=levels)
        )
        chains += chain_of(demand(group)) is not None
    assert chains > 20


def shifted(members: int) -> Problem:
    """Member i reads topics i - 1 and i, and everything is one step off."""
    reads = [[t for t in (m - 1, m) if t >= 0] for m in range(members)]
    return problem([1] * members, reads, np.minimum(np.arange(members) + 1, members - 1))


def test_ten_thousand_that_shift_by_one_are_solved_and_proven_without_a_network(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A network takes half a minute for it."""
    monkeypatch.setattr("optimizer.solver.pipeline.SHORTCUTS", (by_chain,))
    group = shifted(10_000)
    verdict = check_assignment(group, solve(group).target)
    assert verdict.measures is not None
    assert (verdict.measures.max_load, verdict.measures.moves) == (1, 9_999)
    assert verdict.moves_optimal


def test_what_is_no_chain_is_left_to_the_network() -> None:
    line = shifted(100)
    assert chain_of(demand(line)) is not None
    assert chain_of(demand(shifted(60))) is None, "it is too short to matter"
    closed = replace(line, subscriptions=[np.array([0, 99]), *line.subscriptions[1:]])
    assert chain_of(demand(closed)) is None
    forked = replace(line, subscriptions=[np.array([50]), *line.subscriptions[1:]])
    assert chain_of(demand(forked)) is None


def test_costs_beyond_64_bits_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shortcuts, "NEVER", 99)
    with pytest.raises(CostOverflowError, match="exceed 64 bits"):
        best_shares(demand(shifted(100)), ("moves",))


def test_wide_chains_are_left_to_the_network() -> None:
    """What is told for each share would take more memory than there is."""
    wide = replace(demand(shifted(100)), supply=np.full(100, 10**12))
    assert chain_of(wide) is None
    assert int(best_shares(wide).sum()) == 100 * 10**12
