"""Java's hashes and orders."""

import pytest

from optimizer.strategies.kafka.order import (
    Uuid,
    derived_uuid,
    parse_uuid,
    string_hash,
)


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
