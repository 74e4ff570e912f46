"""Who owns a partition that several members claim."""

import numpy as np
import pytest

from optimizer.model.claims import Ownership, resolve
from optimizer.model.problem import NOBODY

Claim = tuple[int, int, int]
"""Partition, claimant, generation."""


def settled(claims: list[Claim], partitions: int = 3) -> Ownership:
    columns = np.array(claims, np.int64).reshape(-1, 3).T
    return resolve(*columns, partitions)


@pytest.mark.parametrize(
    ("claims", "owner", "newer", "cancelled"),
    [
        pytest.param([(0, 4, 7), (2, 5, -1)], [4, NOBODY, 5], 0, 0, id="single claims stand"),
        pytest.param([(0, 4, 1), (0, 5, 2), (0, 6, -1)], [5, NOBODY, NOBODY], 1, 0, id="newest"),
        pytest.param([(0, 4, 2), (0, 5, 2), (1, 4, 2)], [NOBODY, 4, NOBODY], 0, 1, id="equal"),
        pytest.param([(0, 4, 2), (0, 5, 2), (0, 6, 1)], [NOBODY] * 3, 0, 1, id="nor an older one"),
        pytest.param(
            [(0, 4, 1), (0, 4, 1), (1, 4, 1), (1, 4, 2)], [4, 4, NOBODY], 0, 0, id="said twice"
        ),
        pytest.param([], [NOBODY] * 3, 0, 0, id="none"),
    ],
)
def test_the_newest_claim_stands_unless_two_are_of_one_generation(
    claims: list[Claim], owner: list[int], newer: int, cancelled: int
) -> None:
    ownership = settled(claims)
    assert ownership.owner.tolist() == owner
    assert ownership[1:] == (newer, cancelled)
