"""Plans are the best of all assignments, and proven, whatever the goals are."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, Group, LimitsError, assign
from optimizer.checker import Verdict, check_assignment
from optimizer.model import (
    BALANCE,
    DEFAULT_GOALS,
    LEVELS,
    Flags,
    IntArray,
    Problem,
    measure,
    measures,
    units_of,
)
from optimizer.solver import solve
from optimizer.strategies import STRATEGIES
from tests.optimizer.oracles import (
    Facts,
    best_by_network,
    facts_of_group,
    facts_of_problem,
    levels_in,
)
from tests.support.groups import (
    LIMITS,
    problem,
    random_limits,
    random_owner,
    random_problem,
    tiny_group,
)
from tests.support.tiers import tiered

BLOCK = 50

Settings = Callable[[random.Random, Group], dict[str, Any]]


def levels(*names: str) -> Settings:
    """All orders of these levels, with racks if they are among them."""
    return lambda draw, _: {
        "levels": tuple(draw.sample(names, len(names))),
        "rack": draw.choice(["leader", "any"]) if "racks" in names else None,
    }


def limits(draw: random.Random, group: Group) -> dict[str, Any]:
    """One alone, two, or all four."""
    names = draw.choice([[draw.choice(LIMITS)], draw.sample(LIMITS, 2), list(LIMITS)])
    return random_limits(
        draw, names, [member.member_id for member in group.members], [*group.topics]
    )


def host_cap(draw: random.Random, _: Group) -> dict[str, Any]:
    return {"max_per_host": [{"hosts": draw.choice(["*", "h?", "h1"]), "most": draw.randint(1, 4)}]}


def budget(draw: random.Random, _: Group) -> dict[str, Any]:
    return {"max_moves": draw.randint(0, 4)}


def copartition(draw: random.Random, group: Group) -> dict[str, Any]:
    values: dict[str, Any] = {"copartition": "t0, t1"}
    if draw.random() < 0.6:
        name = draw.choice(["pin", "exclude", "max_partitions"])
        values |= random_limits(draw, [name], [m.member_id for m in group.members], ["t0", "t1"])
    return values


HUBS = dict.fromkeys(("optimizer.solver.kinds.FEWER", "optimizer.checker.facts.FEWER"), 0)
HUBS |= {"optimizer.model.measures.QUICK": -1}
"""Hubs are for many racks, and right for few; groups in which spread is looked at have none."""


@dataclass(frozen=True)
class Kind:
    """Of goals: what is drawn for each seed, for how many, and what is set for the solver."""

    settings: tuple[Settings, ...]
    seeds: int
    forced: dict[str, int] = field(default_factory=dict)


KINDS = {
    "plain": Kind((), 2200),
    "spread": Kind((levels("spread", "moves"),), 1000),
    "racks": Kind((levels("racks", "moves", "spread"),), 2000),
    "racks by hubs": Kind((levels("racks", "moves"),), 300, HUBS),
    "hosts": Kind((levels("moves", "hosts", "spread"),), 400),
    "racks and hosts": Kind((levels("racks", "moves", "hosts", "spread"),), 1000),
    "racks and hosts by hubs": Kind((levels("racks", "moves", "hosts"),), 200, HUBS),
    "limits": Kind((limits,), 1200),
    "limits, level by level": Kind((limits,), 150, {"optimizer.solver.network.MAX_NUMBER": 0}),
    "racks under limits": Kind((limits, levels("racks", "moves", "spread")), 300),
    "racks by hubs under limits": Kind((limits, levels("racks", "moves")), 150, HUBS),
    "caps of hosts": Kind((host_cap, levels("moves", "hosts", "spread")), 200),
    "moves at most": Kind((budget,), 3000),
    "moves at most, with racks": Kind((budget, levels("racks", "moves")), 300),
    "moves at most under limits": Kind((limits, budget), 1200),
    "copartition": Kind((copartition,), 400),
    "copartition, moves at most": Kind((copartition, budget), 200),
}


def blocks(kinds: dict[str, Any], default: int) -> list[Any]:
    """Each kind with the first of some seeds; the default tier takes a few blocks of each."""
    return [
        block
        for name, kind in kinds.items()
        for block in tiered([f"{name} {seed}" for seed in range(0, kind.seeds, BLOCK)], default)
    ]


@dataclass(frozen=True)
class Case:
    """A tiny group with goals."""

    group: Group
    goals: Goals
    facts: Facts
    limits: dict[str, Any]

    @classmethod
    def of(cls, name: str, seed: int) -> Case:
        draw, values = random.Random(f"{name} {seed}"), {}
        group = tiny_group(seed, racks="racks" in name, hosts="hosts" in name)
        for settings in KINDS[name].settings:
            values |= settings(draw, group)
        goals = Goals(**values)
        facts = facts_of_group(group, goals)
        stated = {name: values[name] for name in (*LIMITS, "max_per_host") if name in values}
        return cls(group, goals, facts, stated)

    def fits(self, targets: IntArray) -> Flags:
        together = ("t0", "t1") if self.goals.copartition else ()
        keeps = self.facts.keeps(targets, self.limits)
        return keeps & self.facts.are_together(targets, together)

    @cached_property
    def keep(self) -> IntArray:
        """All assignments that keep to its limits."""
        every = self.facts.every()
        return every[self.fits(every)]

    def units(self, group: Problem) -> tuple[int | None, bool]:
        units = units_of(group, self.goals.limits)
        return units.size, units.is_owned_whole

    def best(self) -> tuple[tuple[str, ...], tuple[int, ...]]:
        """The levels that count, and the least of each."""
        by_hubs = "spread" not in self.goals.levels and measures.QUICK < 0
        levels = tuple(at for at in levels_in(self.goals) if at != "spread" or not by_hubs)
        best = self.facts.best(self.keep, levels)
        if self.goals.max_moves is None:
            return levels, best
        moves = self.facts.costs(self.keep, "moves")
        allowed = moves <= max(self.goals.max_moves, moves.min())
        if best[levels.index("moves")] <= self.goals.max_moves:
            return levels, best
        levels = ("largest", "moves", "balance")
        return levels, self.facts.best(self.keep[allowed], levels)


@pytest.mark.parametrize("block", blocks(KINDS, 2))
def test_tiny_plans_are_the_best_of_all_assignments_and_proven(
    block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So they are judged, and other assignments as what they are."""
    name, _, start = block.rpartition(" ")
    for attribute, value in KINDS[name].forced.items():
        monkeypatch.setattr(attribute, value)
    seen, draw = Counter[Any](), np.random.default_rng(int(start))
    for seed in range(int(start), int(start) + BLOCK):
        case = Case.of(name, seed)
        try:
            plan = assign(case.group, goals=case.goals)
        except LimitsError as error:
            is_missed = bool(case.goals.copartition) and "no plan was found" in str(error)
            assert is_missed or not len(case.keep), seed
            seen["clash"] += 1
            continue
        assert plan.target is not None
        assert plan.problem is not None
        assert case.fits(plan.target[None]).all(), seed
        loads = case.facts.reached(plan.target)
        assert (plan.sum_squares, plan.moves, plan.spread) == loads
        assert plan.assignment == case.facts.by_member(plan.target)
        levels, best = case.best()
        reached, verdict = case.facts.reached(plan.target, levels), plan.check()
        assert (verdict.faults, verdict.witness) == ([], None)
        assert plan.check(verdict.certificate) == verdict
        if case.goals.copartition:
            size, is_owned_whole = case.units(plan.problem)
            seen["packed" if size is None else "alike"] += 1
            assert case.goals.max_moves is not None or size is None or verdict.balance_optimal
            assert not verdict.balance_optimal or reached[0] == best[0], seed
            assert not verdict.moves_optimal or reached[:2] == best[:2], seed
            assert not (size and is_owned_whole) or verdict.moves_optimal
            continue
        assert reached == best, seed
        seen.update((level, getattr(verdict, f"{level}_optimal", True)) for level in levels)
        assert verdict.balance_optimal or case.goals.max_per_topic
        if case.goals.max_moves is None:
            for target in case.keep[draw.permutation(len(case.keep))[:2]]:
                other = check_assignment(plan.problem, target, goals=case.goals)
                is_judged(other, levels, case.facts.reached(target, levels), best)
    needed = [level for level in ("racks", "hosts") if level in name]
    assert all(seen[level, True] > 3 for level in needed)
    assert seen["clash"] or not ("limits" in name or "caps" in name or "copartition" in name)
    assert "copartition" not in name or min(seen["packed"], seen["alike"]) > 5


BETTER = {"balance": BALANCE.better} | {name: level.better for name, level in LEVELS.items()}
"""What a witness says of a level that could be better."""


def is_judged(
    verdict: Verdict, levels: Sequence[str], reached: Sequence[int], best: Sequence[int]
) -> None:
    """True at each level that is at its best, False at the first that isn't, None below.

    None too of racks and hosts where all assignments are alike.
    """
    is_best = True
    assert verdict.faults == []
    for level, cost, least in zip(levels, reached, best, strict=True):
        result = getattr(verdict, f"{level}_optimal")
        is_alike = result is None and level in ("racks", "hosts") and cost == least
        assert result is ((cost == least) if is_best else None) or is_alike, level
        is_best &= cost == least
    worse = [
        level for level, cost, least in zip(levels, reached, best, strict=True) if cost > least
    ]
    assert (verdict.witness is None) == is_best
    assert is_best or str(verdict.witness).startswith(f"{BETTER[worse[0]]}: ")
    assert (verdict.certificate is not None) == is_best


LARGER = {
    "plain": Kind((), 300),
    "racks": Kind((levels("racks", "moves", "spread"),), 300),
    "racks and hosts": Kind((levels("racks", "moves", "hosts", "spread"),), 300),
}


def is_best_and_proven(group: Problem, goals: Goals = DEFAULT_GOALS) -> None:
    """As good as by the network, proven with a certificate, and left alone once it is there."""
    facts = facts_of_problem(group, goals)
    levels = [level for level in levels_in(goals) if level != "hosts" or group.hosts]
    target, best = solve(group, goals).target, best_by_network(facts, levels)
    assert facts.reached(target, levels) == best
    verdict = check_assignment(group, target, goals=goals)
    assert (verdict.faults, verdict.witness) == ([], None)
    assert check_assignment(group, target, verdict.certificate, goals) == verdict
    assert np.array_equal(solve(replace(group, owner=target), goals).target, target)
    for other in (target, STRATEGIES["range"].assign(group).target):
        verdict = check_assignment(group, other, goals=goals)
        is_judged(verdict, levels, facts.reached(other, levels), best)
        assert verdict.measures == measure(group, other)
        placed = [(p, m) for p, m in enumerate(other.tolist()) if m >= 0]
        reads = tuple(sum(t[p][m] for p, m in placed) for t in (facts.local, facts.remote))
        assert (verdict.reads or (0, 0)) == reads


@pytest.mark.parametrize("block", blocks(LARGER, 1))
def test_larger_plans_equal_a_network_of_single_partitions_and_are_proven(
    block: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, _, start = block.rpartition(" ")
    for attribute, value in LARGER[name].forced.items():
        monkeypatch.setattr(attribute, value)
    for seed in range(int(start), int(start) + BLOCK):
        draw, values = random.Random(f"{name} {seed}"), {}
        for settings in LARGER[name].settings:
            values |= settings(draw, Group({}, []))
        group = random_problem(seed, racks="racks" in name, hosts="hosts" in name)
        is_best_and_proven(group, Goals(**values))


SKEWED: dict[str, tuple[list[int], list[list[int]]]] = {
    "a chain of growing topics": ([3 * t * t for t in range(9)], [[m, m + 1] for m in range(8)]),
    "a chain with humps": ([1, 60, 1, 0, 2, 90, 2, 0, 1], [[m, m + 1] for m in range(8)]),
    "a star": ([0, 1, 2, 4, 9, 17, 40, 41, 120, 100], [[m, 9] for m in range(9)]),
    "a star with a ray of two": (
        [50, 50, 3, 1, 80, 20],
        [[0, 5], [0, 1, 5], [1], [2, 5], [3, 5], [4, 5], [4]],
    ),
    "levels of 5/2 and 7/3": ([5, 7, 0], [[0], [0, 2], [1, 2], [1], [1]]),
    "levels a step apart": ([5, 6, 3], [[0], [0, 1], [1], [1, 2], [1, 2], [2]]),
    "one topic of most": ([200, 10, 1, 1], [[0, 1], [0, 1, 2], [1, 2], [2, 3], [3], []]),
}


@pytest.mark.parametrize("name", SKEWED)
def test_loads_that_must_differ_equal_a_network_of_single_partitions(name: str) -> None:
    sizes, topics_of = SKEWED[name]
    owner = random_owner(np.random.default_rng(len(name)), sum(sizes), len(topics_of))
    is_best_and_proven(problem(sizes, topics_of, owner))
    is_best_and_proven(problem(sizes, topics_of, np.arange(sum(sizes)) % 2))


@pytest.mark.parametrize("seed", tiered(range(3), 1))
def test_a_group_of_thousands_equals_a_network_of_single_partitions(seed: int) -> None:
    draw = np.random.default_rng(seed)
    topics_of = [np.flatnonzero(draw.random(12) < 0.3).tolist() for _ in range(40)]
    sizes = draw.integers(0, 300, 12).tolist()
    is_best_and_proven(problem(sizes, topics_of, random_owner(draw, sum(sizes), 40)))
