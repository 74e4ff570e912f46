"""Who owns a partition that several members claim."""

from __future__ import annotations

import numpy as np
import pytest

from optimizer.model.claims import Ownership, resolve
from optimizer.model.problem import NOBODY

Claim = tuple[int, int, int]
"""Partition, claimant, generation."""


def settled(claims: list[Claim], partitions: int = 3) -> Ownership:
    columns = np.array(claims, np.int64).reshape(-1, 3).T
    return resolve(*columns, partitions)


def test_single_claims_stand_whatever_their_generation() -> None:
    """A member keeps what nobody newer claims, even if others are of a newer generation."""
    ownership = settled([(0, 4, 7), (2, 5, -1)])
    assert ownership.owner.tolist() == [4, NOBODY, 5]
    assert ownership[1:] == (0, 0)


def test_highest_generation_wins() -> None:
    ownership = settled([(0, 4, 1), (0, 5, 2), (0, 6, -1)])
    assert ownership.owner.tolist() == [5, NOBODY, NOBODY]
    assert ownership[1:] == (1, 0)


def test_equal_generations_cancel_out() -> None:
    ownership = settled([(0, 4, 2), (0, 5, 2), (1, 4, 2)])
    assert ownership.owner.tolist() == [NOBODY, 4, NOBODY]
    assert ownership[1:] == (0, 1)


def test_cancelled_partition_does_not_fall_to_an_older_generation() -> None:
    ownership = settled([(0, 4, 2), (0, 5, 2), (0, 6, 1)])
    assert ownership.owner[0] == NOBODY
    assert ownership[1:] == (0, 1)


def test_claim_stated_twice_is_one_claim() -> None:
    ownership = settled([(0, 4, 1), (0, 4, 1), (1, 4, 1), (1, 4, 2)])
    assert ownership.owner.tolist() == [4, 4, NOBODY]
    assert ownership[1:] == (0, 0)


def test_no_claims() -> None:
    assert settled([]).owner.tolist() == [NOBODY] * 3
    assert settled([], partitions=0).owner.tolist() == []


@pytest.mark.parametrize("seed", range(100))
def test_order_of_the_claims_does_not_matter(seed: int) -> None:
    draw = np.random.default_rng(seed)
    claims = list(zip(*(draw.integers(0, 4, 12) for _ in range(3)), strict=True))
    item, two = settled(claims, 4), settled([claims[at] for at in draw.permutation(12)], 4)
    assert item.owner.tolist() == two.owner.tolist()
    assert item[1:] == two[1:]
