"""Bytes of Connect's workers and leaders; they may hold anything."""

import random
import struct

import pytest

from spark.sources.live.member_metadata import Orders, read_worker_assignment, read_worker_metadata
from tests.spark.sources.live.member_bytes import orders, worker

# version 1 | no error | leader 'w' | url 'u' | offset 5 | sink: [-1, 0] | stop src: [2] | delay 9
WHOLE = bytes.fromhex(
    "0001 0000 000177 000175 0000000000000005"
    "00000001 000473696e6b 00000002 ffffffff 00000000"
    "00000001 0003737263 00000001 00000002"
    "00000009"
)
BEGUN = WHOLE[:18]
# version 2 | url 'u' | offset 5 | 52 bytes of what it runs
JOINING = bytes.fromhex("0002 000175 0000000000000005") + struct.pack(">i", len(WHOLE)) + WHOLE
# by the classes of Kafka 4.3.1: serializeMetadata and serializeAssignment of both protocols, of a
# worker that runs sink, its tasks 0 and 3, and is to stop src and task 1 of sink
OF_KAFKA = "000473696e6b00000003ffffffff0000000000000003"
STOPPED = "00000002000373726300000001ffffffff000473696e6b00000001000000010000012c"
LED = "000000086c65616465722d310013687474703a2f2f6c65616465723a383038332f000000000000000700000001"
JOINED = "0013687474703a2f2f776f726b65723a383038332f0000000000000007"

RUN, STOP = (("sink", -1), ("sink", 0)), (("src", 2),)
KAFKAS_RUN, KAFKAS_STOP = (("sink", -1), ("sink", 0), ("sink", 3)), (("src", -1), ("sink", 1))
NONE = struct.pack(">i", -1)
SAMPLES = 10_000


def of_kafka(version: str) -> bytes:
    return bytes.fromhex(version + LED + OF_KAFKA + STOPPED)


def joined(version: str, runs: bytes = b"") -> bytes:
    return bytes.fromhex(version + JOINED) + runs


@pytest.mark.parametrize(
    ("said", "read"),
    [
        (WHOLE, Orders(RUN, STOP)),
        (of_kafka("0001"), Orders(KAFKAS_RUN, KAFKAS_STOP)),
        (of_kafka("0002"), Orders(KAFKAS_RUN, KAFKAS_STOP)),
        # the eager protocol has no list of what to stop: what is over there isn't read as one
        (bytes.fromhex("0000" + LED + OF_KAFKA), Orders(KAFKAS_RUN)),
        (b"\0\0" + WHOLE[2:48], Orders(RUN)),
        (b"\0\0" + WHOLE[2:], Orders(RUN)),
        # lists may be null or missing, as in Java (TOLERATE_MISSING_FIELDS_WITH_DEFAULTS)
        (BEGUN, Orders()),
        (BEGUN + NONE, Orders()),
        (BEGUN + NONE * 3, Orders()),
        # a newer version has the fields of the newest known first
        (b"\0\x09" + WHOLE[2:] + b"more", Orders(RUN, STOP)),
        # and what can't be read is none
        (b"", None),
        (b"\xff\xff" + WHOLE[2:], None),  # a negative version
        (WHOLE[:-6], None),  # cut off inside a list
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
    for _ in range(SAMPLES):
        data = bytearray(seeded.choice([WHOLE, JOINING]))
        for _ in range(seeded.randint(1, 4)):
            data[seeded.randrange(len(data))] = seeded.randrange(256)
        del data[seeded.randrange(len(data) + 1) :]
        read_worker_assignment(bytes(data))
        read_worker_metadata(bytes(data))
