"""Bytes that members and leaders of classic groups send; they may hold anything."""

import random
import struct
import tracemalloc
from collections.abc import Iterator

import pytest

from spark.sources.live.member_metadata import Subscription, read_assignment, read_subscription

# version 3 | topics ['t'] | no user data | owned t: [0, 1] | generation 7 | rack 'a'
WHOLE = bytes.fromhex(
    "0003 00000001000174 ffffffff 00000001000174000000020000000000000001 00000007 000161"
)
GIVEN = bytes.fromhex("0001 00000001000174000000020000000000000001 ffffffff")
OWNED = (("t", 0), ("t", 1))
SAMPLES = 10_000


BODY = WHOLE[2:]


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (WHOLE, Subscription(("t",), OWNED, 7, "a")),
        # KIP-429 appended what is owned, KIP-792 the generation, KIP-881 the rack
        (b"\0\0" + BODY[:11], Subscription(("t",))),
        (b"\0\1" + BODY[:-7], Subscription(("t",), OWNED)),
        (b"\0\2" + BODY[:-3], Subscription(("t",), OWNED, 7)),
        # a newer version has the fields of the newest known first
        (b"\0\x09" + BODY + b"more", Subscription(("t",), OWNED, 7, "a")),
        (b"\0\3" + struct.pack(">iiiih", 0, -1, 0, -1, -1), Subscription((), (), None, None)),
        # user data is passed over
        (b"\0\0" + BODY[:7] + struct.pack(">i", 5) + b"\xff" * 5, Subscription(("t",))),
        # and other bytes are no subscription
        (b"", None),
        (b"\xff\xff" + BODY, None),  # a negative version
        (WHOLE[:-1], None),  # cut off inside a text
        (b"\0\3\xff\xff\xff\xff", None),  # a negative count
        (b"\0\3\x7f\xff\xff\xff" + b"\0" * 100, None),  # more topics than bytes
        (b"\0\0" + struct.pack(">ih", 1, -1) + b"\xff\xff\xff\xff", None),  # a topic that is null
        (b"\0\0" + struct.pack(">ih", 1, 1) + b"\xff\xff\xff\xff\xff", None),  # not in UTF-8
        (b"\0\0" + struct.pack(">ii", 0, -2), None),  # user data of negative length
        (b'{"url": "http://worker:8083/"}', None),  # bytes of another program
    ],
)
def test_what_a_member_says(said: bytes, read: Subscription | None) -> None:
    assert read_subscription(said) == read


def test_what_the_leader_gave() -> None:
    """A negative partition is no assignment."""
    assert read_assignment(GIVEN) == OWNED
    assert read_assignment(GIVEN[:-8] + b"\xff\xff\xff\xff" + GIVEN[-4:]) is None


def test_any_bytes_are_read_or_refused_in_memory_of_their_size() -> None:
    """Random bytes, and real ones that are cut, changed, or have counts that are huge or negative.

    A result can't have more entries than the bytes have room for: 2 for a text, 4 for a number.
    """
    tracemalloc.start()
    try:
        for data in odd_bytes(random.Random(7)):
            tracemalloc.reset_peak()
            before, _ = tracemalloc.get_traced_memory()
            subscription, owned = read_subscription(data), read_assignment(data)
            _, peak = tracemalloc.get_traced_memory()
            assert peak - before < 10_000 + 100 * len(data)
            if subscription:
                assert 2 * len(subscription.topics) + 4 * len(subscription.owned) <= len(data)
            assert 4 * len(owned or ()) <= len(data)
    finally:
        tracemalloc.stop()


def odd_bytes(draw: random.Random) -> Iterator[bytes]:
    counts = [struct.pack(">i", n) for n in (-1, -2, -(2**31), 2**31 - 1, 2**24, 65_536)]
    for at in range(SAMPLES):
        kind = at % 5
        if kind == 0:
            yield draw.randbytes(draw.randrange(200))
            continue
        output = bytearray(draw.choice((WHOLE, GIVEN)) * draw.randint(1, 3))
        if kind == 1:
            del output[draw.randrange(len(output)) :]
        elif kind == 2:
            start = draw.randrange(len(output) - 3)
            output[start : start + 4] = draw.choice(counts)
        elif kind == 3:
            output[:2] = struct.pack(">h", draw.choice((9, 32_767, -1, 4)))
            output += draw.randbytes(draw.randrange(20))
        else:
            for _ in range(draw.randint(1, 8)):
                output[draw.randrange(len(output))] = draw.randrange(256)
        yield bytes(output)
