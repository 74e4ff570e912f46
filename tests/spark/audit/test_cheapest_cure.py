"""The cheapest cure of an uneven group: an assignor of Kafka's where one suffices, else a plan."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from spark.audit.cheapest_cure import CURES, PLAN, PLAN_BY_WEIGHT, REJOIN, cheapest_cure
from tests.optimizer.groups import problem

UNEVEN = problem([8], [[0], [0]], np.array([0] * 6 + [1] * 2))


@pytest.mark.parametrize(
    ("own", "advice"),
    [
        (None, CURES["cooperative-sticky"]),
        ("range", CURES["cooperative-sticky"]),
        ("cooperative-sticky", REJOIN.format("cooperative-sticky")),
        ("server-range", CURES["uniform"]),
        ("uniform", REJOIN.format("uniform")),
    ],
)
def test_the_cheapest_assignor_that_suffices(own: str | None, advice: str) -> None:
    assert cheapest_cure(UNEVEN, 4, own) == advice


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
