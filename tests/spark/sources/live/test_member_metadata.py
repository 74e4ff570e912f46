"""Reading what members and Connect's workers say, and their assignment, whatever bytes come."""

import random
import struct
import tracemalloc
from collections.abc import Iterator

import pytest

from spark.sources.live.member_metadata import (
    Orders,
    Subscription,
    read_assignment,
    read_subscription,
    read_worker_assignment,
    read_worker_metadata,
)
from tests.spark.sources.live.member_bytes import orders, worker

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
            assert peak - before < 200_000 + 100 * len(data)  # other threads allocate as well
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


# version 1 | no error | leader 'w' | url 'u' | offset 5 | sink: [-1, 0] | stop src: [2] | delay 9
WORKERS_WHOLE = bytes.fromhex(
    "0001 0000 000177 000175 0000000000000005"
    "00000001 000473696e6b 00000002 ffffffff 00000000"
    "00000001 0003737263 00000001 00000002"
    "00000009"
)
BEGUN = WORKERS_WHOLE[:18]
# version 2 | url 'u' | offset 5 | 52 bytes of what it runs
JOINING = (
    bytes.fromhex("0002 000175 0000000000000005")
    + struct.pack(">i", len(WORKERS_WHOLE))
    + WORKERS_WHOLE
)
# by the classes of Kafka 4.3.1: serializeMetadata and serializeAssignment of both protocols, of a
# worker that runs sink, its tasks 0 and 3, and is to stop src and task 1 of sink
OF_KAFKA = "000473696e6b00000003ffffffff0000000000000003"
STOPPED = "00000002000373726300000001ffffffff000473696e6b00000001000000010000012c"
LED = "000000086c65616465722d310013687474703a2f2f6c65616465723a383038332f000000000000000700000001"
JOINED = "0013687474703a2f2f776f726b65723a383038332f0000000000000007"

RUN, STOP = (("sink", -1), ("sink", 0)), (("src", 2),)
KAFKAS_RUN, KAFKAS_STOP = (("sink", -1), ("sink", 0), ("sink", 3)), (("src", -1), ("sink", 1))
NONE = struct.pack(">i", -1)
WORKERS_SAMPLES = 10_000


def of_kafka(version: str) -> bytes:
    return bytes.fromhex(version + LED + OF_KAFKA + STOPPED)


def joined(version: str, runs: bytes = b"") -> bytes:
    return bytes.fromhex(version + JOINED) + runs


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (WORKERS_WHOLE, Orders(RUN, STOP)),
        (of_kafka("0001"), Orders(KAFKAS_RUN, KAFKAS_STOP)),
        (of_kafka("0002"), Orders(KAFKAS_RUN, KAFKAS_STOP)),
        # the eager protocol has no list of what to stop: what is over there isn't read as one
        (bytes.fromhex("0000" + LED + OF_KAFKA), Orders(KAFKAS_RUN)),
        (b"\0\0" + WORKERS_WHOLE[2:48], Orders(RUN)),
        (b"\0\0" + WORKERS_WHOLE[2:], Orders(RUN)),
        # lists may be null or missing, as in Java (TOLERATE_MISSING_FIELDS_WITH_DEFAULTS)
        (BEGUN, Orders()),
        (BEGUN + NONE, Orders()),
        (BEGUN + NONE * 3, Orders()),
        # a newer version has the fields of the newest known first
        (b"\0\x09" + WORKERS_WHOLE[2:] + b"more", Orders(RUN, STOP)),
        # and what can't be read is none
        (b"", None),
        (b"\xff\xff" + WORKERS_WHOLE[2:], None),  # a negative version
        (WORKERS_WHOLE[:-6], None),  # cut off inside a list
        (BEGUN + b"\x7f\xff\xff\xff", None),  # more connectors than bytes
        (BEGUN + b"\xff\xff\xff\xfe", None),  # a negative count that isn't null's
        (orders({"c": [-2]}), None),  # no task's number
        (orders({"c": [2**31 - 1]}), None),  # a number that would make two billion tasks
    ],
)
def test_what_a_leader_says(said: bytes, read: Orders | None) -> None:
    assert read_worker_assignment(said) == read


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (JOINING, RUN),
        (joined("0001", struct.pack(">i", 0x68) + of_kafka("0001")), KAFKAS_RUN),
        (joined("0002", struct.pack(">i", 0x68) + of_kafka("0002")), KAFKAS_RUN),
        (joined("0001", NONE), ()),
        (joined("0002", NONE), ()),
        (joined("0002"), ()),
        (joined("0000"), ()),
        (b"\0\0" + JOINING[2:13], ()),
        (b"\0\x09" + JOINING[2:] + b"more", RUN),
        (b"\0\2http://worker:8083", None),  # a text that is longer than all
        (JOINING[:-1], None),  # less than it says it runs
        (JOINING[:13] + struct.pack(">i", 2) + b"\0\1", None),  # an allocation of a version alone
    ],
)
def test_what_a_worker_says(said: bytes, read: tuple[tuple[str, int], ...] | None) -> None:
    assert read_worker_metadata(said) == read


def test_what_the_tests_workers_send_is_what_kafka_writes() -> None:
    """Kafka's worker runs and stops other connectors; the form is one."""
    run, stop = {"sink": [-1, 0, 3]}, {"src": [-1], "sink": [1]}
    delay = (300).to_bytes(4)
    assert orders(run, stop)[:-4] + delay == of_kafka("0001")
    assert worker(version=2) == joined("0002", NONE)
    assert worker(version=0) == joined("0000")
    assert orders(run, version=0) == bytes.fromhex("0000" + LED + OF_KAFKA)


def test_nothing_raises() -> None:
    seeded = random.Random(1)
    for _ in range(WORKERS_SAMPLES):
        data = bytearray(seeded.choice([WORKERS_WHOLE, JOINING]))
        for _ in range(seeded.randint(1, 4)):
            data[seeded.randrange(len(data))] = seeded.randrange(256)
        del data[seeded.randrange(len(data) + 1) :]
        read_worker_assignment(bytes(data))
        read_worker_metadata(bytes(data))
