"""Large groups by weight: what is tried is bounded, and told as what it is."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals
from optimizer.checker import check_assignment
from optimizer.model import IntArray, Problem, TimeLimitError
from optimizer.solver.weighted import capped, relieve
from optimizer.solver.weighted.descent import Descent, Step
from optimizer.solver.weighted.problem import WeightedProblem
from optimizer.strategies.optimal import assign_optimally
from tests.support.groups import problem


def large(seed: int, members: int = 20, topics: int = 10, each: int = 40) -> Problem:
    """Every member reads most topics; weights are lognormal, owners drawn."""
    draw = np.random.default_rng(seed)
    topics_of = [np.flatnonzero(draw.random(topics) < 0.7).tolist() or [0] for _ in range(members)]
    readers = [[m for m, topic in enumerate(topics_of) if t in topic] for t in range(topics)]
    owner = np.concatenate([draw.choice(reader, each) for reader in readers])
    weights = draw.lognormal(0, 1, topics * each)
    return replace(problem([each] * topics, topics_of, owner), weights=weights)


def by_weight(**stated: Any) -> Goals:
    return Goals(balance="weight", **stated)


@pytest.mark.parametrize("limit", [{"max_partitions": 28}, {"max_per_topic": 8}])
def test_limits_that_hardly_bind_take_no_search_of_their_own(
    limit: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the plan without them gives some members too many of goes to others."""
    monkeypatch.setattr("optimizer.solver.weighted.solve.LARGE", 0)
    monkeypatch.setattr(capped.CappedDescent, "lower", lambda *_: pytest.fail("searched"))
    changed = 0
    for seed in range(8):
        group = large(seed)
        goals = by_weight(**limit)
        answer = assign_optimally(group, goals)
        verdict = check_assignment(group, answer.target, answer.certificate, goals)
        assert verdict.faults == []
        assert verdict.balance_optimal
        free = assign_optimally(group, by_weight()).target
        changed += not np.array_equal(free, answer.target)
    assert changed


def test_what_fits_into_no_caps_is_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("optimizer.solver.weighted.solve.LARGE", 0)
    group, goals = large(1), by_weight(max_partitions=20)
    answer = assign_optimally(group, goals)
    assert check_assignment(group, answer.target, answer.certificate, goals).faults == []
    assert np.bincount(answer.target).tolist() == [20] * 20


def test_a_search_that_ends_early_tells_how_good_its_plan_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    group, goals = large(3), by_weight(tolerance=0.0, effort="quick")
    best = assign_optimally(group, goals)
    monkeypatch.setattr("optimizer.solver.weighted.descent.WORK", 0)
    result = assign_optimally(group, goals)
    gaps = []
    for answer in (best, result):
        verdict = check_assignment(group, answer.target, answer.certificate, goals)
        assert verdict.weight is not None
        assert verdict.faults == []
        gaps.append(verdict.weight.weight_gap)
    assert 0 <= gaps[0] < gaps[1]


def test_with_pins_no_level_is_tried_that_their_members_can_not_reach(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Three topics are pinned to members of whom each reads two: together they're fuller."""
    topics_of = [[*pair, *range(3, 10)] for pair in ([0, 1], [1, 2], [0, 2])]
    group = replace(
        large(5),
        member_subscription=np.arange(20),
        subscriptions=[np.array(topic) for topic in topics_of] + [np.arange(10)] * 17,
    )
    goals = by_weight(
        pin=[{"topics": f"t0000{t}", "members": "m0000?"} for t in range(3)],
        exclude=[
            {"topics": f"t0000{t}", "members": f"m0000{m}"} for t in range(3) for m in range(3, 10)
        ],
    )
    levels: list[int] = []
    relieved = relieve.relieve_above

    def noted(weighted: WeightedProblem, level: int) -> IntArray | None:
        levels.append(level)
        return relieved(weighted, level)

    monkeypatch.setattr("optimizer.solver.weighted.plans.relieve_above", noted)
    answer = assign_optimally(group, goals)
    assert len(levels) == 1
    verdict = check_assignment(group, answer.target, answer.certificate, goals)
    assert verdict.faults == []
    assert verdict.balance_optimal


@pytest.mark.parametrize("steps", [0, 1, 3])
@pytest.mark.parametrize(
    "stated",
    [
        *({}, {"max_moves": 3}, {"min_gain": 50.0}, {"max_partitions": 400}),
        *({"max_partitions": 400, "max_moves": 3}, {"max_partitions": 400, "min_gain": 50.0}),
    ],
)
def test_the_plan_at_hand_is_returned_when_time_runs_out(
    steps: int, stated: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the bound so far, and within what goals allow; before, such a group had no plan.

    The cap of partitions binds nobody: it takes the search within caps.
    """
    group, goals = large(3), by_weight(tolerance=0.0, **stated)
    lower, left = Descent.lower, iter(range(steps))

    def interrupted(descent: Descent, goal: int, kinds: Sequence[Step]) -> bool:
        if next(left, None) is None:
            raise TimeLimitError
        return lower(descent, goal, kinds)

    monkeypatch.setattr(Descent, "lower", interrupted)
    answer = assign_optimally(group, goals)
    verdict = check_assignment(group, answer.target, answer.certificate, goals)
    assert (verdict.faults, verdict.certificate_fault) == ([], None)
    assert "its limit of time ended the search" in (answer.reason or "")
    assert verdict.weight is not None
    assert verdict.weight.weight_gap > 0
    assert not verdict.balance_optimal
    is_free = not {"max_moves", "min_gain"} & {*stated}
    assert verdict.weight.moves <= stated.get("max_moves", 2 * steps if is_free else 0)
    assert verdict.weight.moves > 0 or not is_free or not steps


def test_what_a_cap_takes_needs_no_gain() -> None:
    """One move brings the first member within its weight; the second isn't worth it."""
    group = replace(problem([4], [[0], [0]], np.zeros(4, np.int64)), weights=np.ones(4))
    goals = by_weight(max_weight=3, min_gain=50.0)
    answer = assign_optimally(group, goals)
    assert check_assignment(group, answer.target, answer.certificate, goals).faults == []
    assert np.bincount(answer.target).tolist() == [3, 1]
