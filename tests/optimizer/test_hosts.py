"""Hosts: exact at their level, never at the cost of balance, and proven."""

from __future__ import annotations

import os

import pytest

from optimizer.checker import check_assignment
from optimizer.model.numbering import problem_of
from optimizer.solver.solve import solve
from tests.optimizer.host_groups import VARIANTS, random_host_problem, tiny_host_group
from tests.optimizer.rack_groups import (
    best_by_force,
    best_by_network,
    outcome,
    racks_of_group,
    racks_of_problem,
)

TINY_GROUPS = int(os.environ.get("HOST_GROUPS", "400"))
"""2,000 take a minute: HOST_GROUPS=2000 bin/test tests/optimizer/test_hosts.py"""


@pytest.mark.parametrize("seed", range(0, TINY_GROUPS, 100))
def test_every_order_of_levels_equals_brute_force_and_is_proven(seed: int) -> None:
    for each in range(seed, seed + 100):
        goals = VARIANTS[each % len(VARIANTS)]
        group = tiny_host_group(each)
        best = best_by_force(racks_of_group(group, goals), goals)
        problem = problem_of(group).problem
        target = solve(problem, goals).target
        assert outcome(problem, target, goals) == best, f"seed {each}"
        verdict = check_assignment(problem, target, goals=goals)
        assert verdict.witness is None, f"seed {each}: {verdict.witness}"
        assert verdict.hosts_optimal in (True, None), f"seed {each}"
        again = check_assignment(problem, target, verdict.certificate, goals)
        assert (again.certificate_fault, again[2:7]) == (None, verdict[2:7]), f"seed {each}"


@pytest.mark.parametrize("seed", range(0, 300, 100))
def test_every_order_of_levels_equals_a_network_of_single_partitions(seed: int) -> None:
    proven = 0
    for each in range(seed, seed + 100):
        goals = VARIANTS[each % len(VARIANTS)]
        problem = random_host_problem(each)
        target = solve(problem, goals).target
        best = best_by_network(racks_of_problem(problem, goals), goals)
        assert outcome(problem, target, goals) == best, f"seed {each}"
        verdict = check_assignment(problem, target, goals=goals)
        assert verdict.witness is None, f"seed {each}: {verdict.witness}"
        again = check_assignment(problem, target, verdict.certificate, goals)
        assert again.certificate_fault is None, f"seed {each}"
        proven += verdict.hosts_optimal is True
    assert proven > 40
