"""Java's hashes and orders."""

import numpy as np
import pytest

from optimizer.strategies.kafka.hash_map import hash_order, in_hash_order
from optimizer.strategies.kafka.order import Uuid, derived_uuid, parse_uuid, string_hash


@pytest.mark.parametrize(
    ("text", "hash_code"),
    [
        ("", 0),
        ("a", 97),
        ("hello", 99162322),
        ("Aa", 2112),
        ("BB", 2112),
        ("polygenelubricants", 0x8000_0000),  # the text whose hash is Integer.MIN_VALUE
        ("\U0001f600", 31 * 0xD83D + 0xDE00),  # two UTF-16 code units
    ],
)
def test_string_hash(text: str, hash_code: int) -> None:
    assert string_hash(text) == hash_code


@pytest.mark.parametrize("length", [511, 512, 513, 2000])
def test_long_texts_hash_like_short_ones(length: int) -> None:
    text = "kafka" * length
    expected = 0
    for unit in text:
        expected = (31 * expected + ord(unit)) % (1 << 32)
    assert string_hash(text) == expected


def test_uuid_of_hex_digits_and_of_kafkas_characters() -> None:
    hexadecimal = parse_uuid("80000000000000010000000000000002")
    assert hexadecimal == Uuid(-(1 << 63) + 1, 2)
    assert parse_uuid("80000000-0000-0001-0000-000000000002") == hexadecimal
    assert parse_uuid("gAAAAAAAAAEAAAAAAAAAAg") == hexadecimal
    assert hexadecimal.hash_code() == 0x8000_0000 ^ 3


@pytest.mark.parametrize("text", ["", "xyz", "0" * 31, "g" * 32, "A" * 21, "A" * 21 + "!"])
def test_what_is_no_uuid_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="neither 32 hex digits nor Kafka's 22 characters"):
        parse_uuid(text)


def test_a_derived_id_is_the_same_every_time_and_another_for_another_name() -> None:
    assert derived_uuid("orders") == derived_uuid("orders") != derived_uuid("clicks")
    assert derived_uuid("orders") == Uuid(4956774724941422750, 7358548694511558226)


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
