"""The order in which a HashMap gives back what was put into it."""

import numpy as np

from optimizer.strategies.kafka.hash_map import hash_order, in_hash_order


def test_a_small_table_grows_when_nine_share_a_bucket() -> None:
    """As Java 17 answers, here and below."""
    numbers = list(range(0, 9 * 16, 16))
    assert in_hash_order(numbers[:8], int, int) == numbers[:8]
    assert in_hash_order(numbers, int, int) == [0, 32, 64, 96, 128, 16, 48, 80, 112]


def test_in_a_larger_table_nine_in_a_bucket_become_a_tree_whose_root_comes_first() -> None:
    numbers = list(range(0, 20 * 64, 64))
    first = [448, 192, 0, 64, 128, 256, 320, 384, 512]
    assert in_hash_order(numbers, int, int) == [*first, *numbers[9:]]


def test_a_tree_splits_when_the_table_grows() -> None:
    """49 entries double it; each half has a root of its own, and roots of before further back."""
    order = in_hash_order(range(0, 60 * 64, 64), int, int)
    assert order[:4] == [896, 0, 128, 256]
    assert order[30:36] == [1216, 960, 448, 192, 64, 320]


def test_keys_of_one_hash_code_are_compared_in_a_tree() -> None:
    """The table grows with the ninth and the tenth; with the eleventh there is a tree."""
    rank = [10, 0, 9, 1, 8, 2, 7, 3, 6, 4, 5]
    order = hash_order(np.zeros(11, np.int64), rank.__getitem__).tolist()
    assert [rank[at] for at in order] == [7, 10, 0, 9, 1, 8, 2, 3, 6, 4, 5]
    assert hash_order(np.zeros(11, np.int64), int)[0] == 3
