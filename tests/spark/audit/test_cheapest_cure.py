"""The cheapest cure of an uneven group: an assignor of Kafka's where one suffices, else a plan."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

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


@pytest.mark.parametrize(
    ("own", "advice"),
    [
        (None, CURES["cooperative-sticky"]),
        ("range", CURES["cooperative-sticky"]),
        ("cooperative-sticky", REJOIN.format("cooperative-sticky")),
        ("server-range", AT_BROKER.format("uniform")),
        ("uniform", REJOIN.format("uniform")),
    ],
)
def test_the_cheapest_assignor_that_suffices(own: str | None, advice: str) -> None:
    assert cheapest_cure(UNEVEN, 4, own) == advice


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


def test_a_plan_where_no_assignor_suffices() -> None:
    assert cheapest_cure(UNEVEN, 3) == PLAN


@pytest.mark.parametrize(
    ("weight", "advice"), [(1.0, CURES["cooperative-sticky"]), (100.0, PLAN_BY_WEIGHT)]
)
def test_a_plan_by_weight_where_assignors_leave_a_member_too_heavy(
    weight: float, advice: str
) -> None:
    """Two partitions of 100: counts are even with both of them on one member."""
    heavy = replace(UNEVEN, weights=np.array([weight] * 2 + [1.0] * 6))
    by_weight = np.array([0, 1] * 4)
    assert cheapest_cure(heavy, 4, None, by_weight) == advice
