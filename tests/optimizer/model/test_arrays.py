"""Array idioms against the loops they stand for."""

import numpy as np
import pytest

from optimizer.model.arrays import distinct, ranges, sorted_positions, stable_order


def test_ranges_come_one_after_the_other() -> None:
    assert ranges(np.array([5, 0, 7]), np.array([2, 0, 3])).tolist() == [5, 6, 7, 8, 9]
    assert ranges(np.array([], int), np.array([], int)).tolist() == []


@pytest.mark.parametrize("end", [1, 2**16, 2**16 + 1, 2**33])
def test_order_is_that_of_a_stable_sort(end: int) -> None:
    keys = np.random.default_rng(end).integers(0, end, 500)
    keys[:2] = 0, end - 1
    keys = np.concatenate([keys, keys])
    assert stable_order(keys, end).tolist() == np.argsort(keys, kind="stable").tolist()


@pytest.mark.parametrize("end", [600, 2**61])
def test_places_are_sorted_by_their_keys(end: int) -> None:
    keys = np.unique(np.random.default_rng(end).integers(0, end, 500))
    keys = np.random.default_rng(1).permutation(keys)
    assert sorted_positions(keys, np.arange(len(keys))).tolist() == np.argsort(keys).tolist()


@pytest.mark.parametrize("end", [90, 2**20])
def test_distinct_numbers_are_those_of_unique(end: int) -> None:
    """Whether they are looked up in a table or, being few among many, sorted."""
    keys = np.random.default_rng(end).integers(0, 90, 500)
    for items in (keys, keys[:0]):
        result, expected = distinct(items, end), np.unique(items, return_inverse=True)
        assert [part.tolist() for part in result] == [part.tolist() for part in expected]
