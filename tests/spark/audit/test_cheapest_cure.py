"""The cheapest cure of an uneven group: an assignor of Kafka's where one suffices, else a plan."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest

from optimizer.model import Problem
from spark.audit.cheapest_cure import (
    AT_BROKER,
    CURES,
    PLAN,
    PLAN_BY_WEIGHT,
    REJOIN,
    cheapest_cure,
    cure_of,
)
from spark.audit.facts import GroupFacts
from tests.support.groups import problem

UNEVEN = problem([8], [[0], [0]], np.array([0] * 6 + [1] * 2))


COOPERATIVE = CURES["cooperative-sticky"]
BY_WEIGHT = np.array([0, 1] * 4)


def heavy(weight: float) -> Problem:
    """Two heavier partitions: counts are even with both of them on one member."""
    return replace(UNEVEN, weights=np.array([weight] * 2 + [1.0] * 6))


@pytest.mark.parametrize(
    ("group", "own", "max_load", "by_weight", "advice"),
    [
        (UNEVEN, None, 4, None, COOPERATIVE),
        (UNEVEN, "range", 4, None, COOPERATIVE),
        (UNEVEN, "cooperative-sticky", 4, None, REJOIN.format("cooperative-sticky")),
        (UNEVEN, "server-range", 4, None, AT_BROKER.format("uniform")),
        (UNEVEN, "uniform", 4, None, REJOIN.format("uniform")),
        # no assignor suffices, or they leave a member too heavy
        (UNEVEN, None, 3, None, PLAN),
        (heavy(1.0), None, 4, BY_WEIGHT, COOPERATIVE),
        (heavy(100.0), None, 4, BY_WEIGHT, PLAN_BY_WEIGHT),
    ],
)
def test_the_cheapest_assignor_that_suffices_or_a_plan(
    group: Problem, own: str | None, max_load: int, by_weight: Any, advice: str
) -> None:
    assert cheapest_cure(group, max_load, own, by_weight) == advice


@pytest.mark.parametrize(
    ("group_type", "assignor", "own"),
    [
        (None, None, None),
        ("classic", "range", "range"),
        ("classic", "cooperative-sticky", "cooperative-sticky"),
        ("consumer", "uniform", "uniform"),
        ("consumer", "range", "server-range"),
    ],
)
def test_a_homogeneous_group_needs_no_assignor_to_be_run(
    group_type: str | None, assignor: str | None, own: str | None
) -> None:
    """The advice is that of running them, however uneven the group is."""
    rng = np.random.default_rng(7)
    for _ in range(100):
        sizes, members = rng.integers(1, 9, rng.integers(1, 5)).tolist(), int(rng.integers(1, 7))
        owner = rng.integers(-1, members, sum(sizes))
        group = problem(sizes, [[*range(len(sizes))]] * members, owner)
        row = SimpleNamespace(type=group_type, group_strategy=assignor)
        facts = SimpleNamespace(row=row, is_homogeneous=True, weighed=None)
        assert cure_of(cast(GroupFacts, facts)) == cheapest_cure(
            group, -(-sum(sizes) // members), own
        )
