"""From hashes to indexes."""

import numpy as np
import pytest

from spark.groups.lookup import HashCollisionError, Lookup

HASHES = np.array([7, -3, 5])


def test_hashes_are_found_wherever_they_are() -> None:
    result = Lookup.of(HASHES).find(np.array([5, 7, -3, 7, 6, -4, 8]))
    assert result.tolist() == [2, 0, 1, 0, -1, -1, -1]


def test_nothing_is_found_among_nothing() -> None:
    nothing = HASHES[:0]
    assert Lookup.of(nothing).find(HASHES).tolist() == [-1, -1, -1]
    assert Lookup.of(HASHES).find(nothing).tolist() == []
    Lookup.of(nothing).check_unambiguous([])


def test_two_names_of_one_hash_are_named() -> None:
    Lookup.of(HASHES).check_unambiguous(["a", "b", "c"])
    with pytest.raises(HashCollisionError, match="'a' and 'd' have one 64-bit hash"):
        Lookup.of(np.append(HASHES, 7)).check_unambiguous(["a", "b", "c", "d"])
