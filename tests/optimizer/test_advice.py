"""The one advice: each line of its rule, by count and by weight, and what no advice may do."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer import Goals, Group, Member, assign
from optimizer.advice import Advice, Claimed, Situation, advise
from optimizer.model import (
    DEFAULT_GOALS,
    check_group,
    classes_of,
    member_loads,
    problem_of,
    resolve_balance,
    weights_of,
)
from optimizer.strategies import STRATEGIES
from tests.support.random_groups import random_group

WEIGHTS = {"t": [float(number + 1) for number in range(9)]}
STICKY = {"own": "cooperative-sticky", "strategy": "cooperative-sticky"}
RANGE = {"own": "range", "strategy": "range"}
PLAN = {"strategy": "evenfleet-plan"}


def group(*owned: Sequence[int], weights: Any = None, **more: Any) -> Group:
    """Members a, b, … of one topic `t` of nine partitions, who own these."""
    members = [
        Member(chr(ord("a") + at), ["t"], owned=[("t", number) for number in numbers])
        for at, numbers in enumerate(owned)
    ]
    return Group({"t": 9}, members, weights=weights or {}, **more)


def situation(
    of: Group, goals: Goals = DEFAULT_GOALS, named: bool = False, **facts: Any
) -> Situation:
    """The group as `optimal` plans it; with `named`, each member has a client id of its own."""
    problem, _ = problem_of(of, check_group(of))
    goals = resolve_balance(goals, problem)
    plan = assign(of, goals=goals)
    weight = plan.check().weight
    clients = problem.member_ids if named else ["app"] * len(problem.member_ids)
    kafka = replace(problem.kafka, client_ids=clients)
    return Situation(
        **{
            "status": "ok",
            "problem": replace(problem, kafka=kafka),
            "target": plan.target,
            "goals": goals,
            "bound": weight.weight_bound if weight else None,
            "names": [*problem.member_ids, "x"],
            "previous": problem.owner,
            "unread": 0,
        }
        | facts
    )


UNEVEN = group(range(7), [7], [8])
EVEN = group([0, 1, 2], [3, 4, 5], [6, 7, 8])
HEAVY = group([0, 1, 2], [3, 4, 5], [6, 7, 8], weights=WEIGHTS)
HEAVIEST = group(range(5), [], range(5, 9), weights=WEIGHTS)
LEVEL = group([0, 5, 6, 8][:3], [1, 4, 7], [2, 3, 8], weights={"t": [1.0] * 9})

CASES: dict[str, tuple[Situation, tuple[str, str | None], str]] = {
    "1": (Situation(status="empty", reason="no members"), ("none", None), "no members"),
    "2": (Situation(status="rebalancing", reason="it joins"), ("look", None), "once it has"),
    "2-invalid": (Situation(status="invalid", reason="two ids"), ("look", None), "two ids; mend"),
    "3-twice": (
        situation(EVEN, twice=[Claimed("t-1", ("a", "b"))]),
        ("look", "critical"),
        "t-1 is read by a and b",
    ),
    "3-stale": (situation(EVEN, stale={"a": 3}), ("look", "warning"), "older generation"),
    "3-unread": (
        situation(group([0, 1, 2], [3, 4, 5], [6, 7]), unread=1),
        ("look", "warning"),
        "Nobody reads 1 partition, the first is t-8",
    ),
    "3-gone": (
        situation(
            group([0, 1, 2], [3, 4, 5], [6, 7]), previous=np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])
        ),
        ("look", "warning"),
        "x owns 1 partition and has left",
    ),
    "4": (situation(EVEN, Goals(exclude="a")), ("plan", "ok"), "It breaks a limit"),
    "4-weight": (situation(HEAVIEST, Goals(exclude="a")), ("plan", "info"), "It breaks a limit"),
    "5": (
        situation(group([0], [1], [2], [3], [4], [5], [6], [7], [8], [])),
        ("members", "info"),
        "1 of 10 members can't get a partition: 9 are enough",
    ),
    "6-held": (
        situation(group([0, 1], [2, 3], [4], [5], [6], [7], [8], []), Goals(max_moves=0)),
        ("none", "ok"),
        "",
    ),
    "5-weight": (
        situation(group([0], [1], [2], [3], [4], [5], [6], [7], [8], [], weights=WEIGHTS)),
        ("members", "info"),
        "1 of 10 members",
    ),
    "6": (situation(EVEN), ("none", "ok"), ""),
    "6-weight": (situation(LEVEL), ("none", "ok"), ""),
    "7": (situation(UNEVEN, Goals(max_moves=0)), ("none", "critical"), "max_moves"),
    "7-weight": (situation(HEAVIEST, Goals(max_moves=0)), ("none", "warning"), "max_moves"),
    "8": (situation(UNEVEN, type="connect"), ("look", "critical"), "Restart one worker"),
    "8-weight": (situation(HEAVIEST, type="connect"), ("look", "warning"), "one worker"),
    "9": (situation(UNEVEN, named=True, **PLAN), ("plan", "critical"), "Give it the plan"),
    "9-weight": (situation(HEAVY, named=True, **PLAN), ("plan", "warning"), "Give it the plan"),
    "10": (
        situation(UNEVEN, **STICKY),
        ("look", "critical"),
        "its own assignor, cooperative-sticky, then gives 3 in place of 7",
    ),
    "11": (
        situation(
            group([0, 1, 2, 3], [4, 5, 6, 7, 8], []), named=True, **STICKY | {"status": "inferred"}
        ),
        ("setting", "warning"),
        "uniform",
    ),
    "11-cooperative": (
        situation(group(range(5), range(5, 9), []), status="inferred", **RANGE),
        ("setting", "warning"),
        "Set partition.assignment.strategy to cooperative-sticky: largest load 5 → 3, 3 moves",
    ),
    "11-broker": (
        situation(UNEVEN, type="consumer", strategy="range", own="server-range", status="inferred"),
        ("setting", "critical"),
        "Set group.remote.assignor of all members to uniform",
    ),
    "12": (situation(HEAVY, named=True, **STICKY), ("plan", "warning"), "follow the plan"),
    "13": (situation(HEAVIEST, **STICKY), ("setting", "warning"), "It stays uneven"),
    "14-held": (
        situation(group(range(5), range(5, 9), []), Goals(max_moves=2), status="inferred", **RANGE),
        ("plan", "warning"),
        "largest load 5 → 4, 1 move",
    ),
    "14": (situation(HEAVY, **STICKY), ("plan", "warning"), "3 members share the client.id 'app'"),
}
"""By line of the rule: the group, kind of advice, severity, and a part of the sentence."""


@pytest.mark.parametrize("line", CASES)
def test_each_line_of_the_rule(line: str) -> None:
    of, (kind, severity), sentence = CASES[line]
    advice = advise(of)
    assert (advice.advice_kind, advice.severity) == (kind, severity), advice
    assert sentence in (advice.advice or "")
    assert (advice.judged_by == "weight") == line.endswith("weight") or line in ("12", "13", "14")


def test_columns_that_have_no_meaning_are_none() -> None:
    fine = advise(situation(EVEN, named=True, **STICKY))
    assert fine == Advice(
        "count", 1.0, None, "ok", uneven=False, follows=False, can_follow=True, of_balance="ok"
    )
    setting = advise(CASES["11-cooperative"][0])
    assert (setting.advice_strategy, setting.advice_moves) == ("cooperative-sticky", 3)
    assert (setting.now_to_best, setting.after_to_best) == (5 / 3, 1.0)


@pytest.mark.parametrize("seed", range(60))
def test_no_advice_makes_a_group_worse(seed: int) -> None:
    """What a setting leads to is computed anew: it's lower, and no higher by count or weight."""
    rng = random.Random(seed)
    of = random_group(str(seed))
    weights = {
        topic: [rng.expovariate(1) for _ in range(size)] for topic, size in of.topics.items()
    }
    of = replace(of, weights=weights) if seed % 2 else of
    own = rng.choice(["range", "roundrobin", "sticky", "cooperative-sticky", "uniform"])
    goals = Goals(max_moves=2 if seed % 3 == 0 else None)
    facts = {"own": own, "strategy": own, "status": "inferred"}
    asked = situation(of, goals, named=bool(rng.randrange(2)), **facts)
    advice, problem = advise(asked), asked.problem
    assert problem is not None and asked.target is not None
    if advice.advice_kind == "plan":
        assert advice.advice_moves == assign(of, goals=asked.goals).moves
    if advice.advice_kind != "setting":
        return
    kept, target = (
        classes_of(problem).kept,
        STRATEGIES[advice.advice_strategy or ""].assign(problem).target,
    )
    assert advice.advice_strategy != own
    assert goals.max_moves is None or (advice.advice_moves or 0) <= goals.max_moves
    assert member_loads(problem, target).max() <= member_loads(problem, kept).max()
    if problem.weights is not None:
        weights_are = weights_of(problem)
        assert weights_are.highest(target) <= weights_are.highest(kept) * (1 + 1e-9)
    assert (advice.after_to_best or 0) < (advice.now_to_best or 0)
