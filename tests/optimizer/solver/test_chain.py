"""Shares of chains, told from one end to the other, are those that a network finds."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer import CostOverflowError
from optimizer.checker import check_assignment
from optimizer.model.goals import Goals
from optimizer.model.problem import Problem
from optimizer.solver import shortcuts, solve
from optimizer.solver.pipeline import best_shares
from optimizer.solver.shortcuts import by_chain, chain_of
from tests.optimizer.test_optimum import is_best_and_proven
from tests.support.groups import demand, problem, random_owner
from tests.support.tiers import tiered

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
