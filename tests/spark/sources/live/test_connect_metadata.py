"""Bytes of Connect's workers and leaders; they may hold anything."""

from __future__ import annotations

import random
import struct

import pytest

from spark.sources.live.connect_metadata import Orders, read_worker_assignment, read_worker_metadata
from tests.spark.sources.live.workers import orders, worker

# version 1 | no error | leader 'w' | url 'u' | offset 5 | sink: [-1, 0] | stop src: [2] | delay 9
WHOLE = bytes.fromhex(
    "0001 0000 000177 000175 0000000000000005"
    "00000001 000473696e6b 00000002 ffffffff 00000000"
    "00000001 0003737263 00000001 00000002"
    "00000009"
)
# version 2 | url 'u' | offset 5 | 52 bytes of what it runs
JOINING = bytes.fromhex("0002 000175 0000000000000005") + struct.pack(">i", len(WHOLE)) + WHOLE
# by the classes of Kafka 4.3.1: serializeMetadata and serializeAssignment of both protocols, of a
# worker that runs sink, its tasks 0 and 3, and is to stop src and task 1 of sink
OF_KAFKA = "000473696e6b00000003ffffffff0000000000000003"
STOPPED = "00000002000373726300000001ffffffff000473696e6b00000001000000010000012c"
LED = "000000086c65616465722d310013687474703a2f2f6c65616465723a383038332f000000000000000700000001"
JOINED = "0013687474703a2f2f776f726b65723a383038332f0000000000000007"

RUN, STOP = (("sink", -1), ("sink", 0)), (("src", 2),)
SAMPLES = 10_000


@pytest.mark.parametrize("version", ["0001", "0002"])
def test_what_kafkas_own_classes_write(version: str) -> None:
    run, stop = (("sink", -1), ("sink", 0), ("sink", 3)), (("src", -1), ("sink", 1))
    report = version + LED + OF_KAFKA + STOPPED
    assert read_worker_assignment(bytes.fromhex(report)) == Orders(run, stop)
    assert read_worker_metadata(bytes.fromhex(version + JOINED + "00000068" + report)) == run
    assert read_worker_metadata(bytes.fromhex(version + JOINED + "ffffffff")) == ()
    assert read_worker_assignment(bytes.fromhex("0000" + LED + OF_KAFKA)) == Orders(run)
    assert read_worker_metadata(bytes.fromhex("0000" + JOINED)) == ()


def test_what_the_tests_workers_send_is_what_kafka_writes() -> None:
    """Kafka's worker runs and stops other connectors; the form is one."""
    run, stop = {"sink": [-1, 0, 3]}, {"src": [-1], "sink": [1]}
    delay = (300).to_bytes(4)
    report = bytes.fromhex("0001" + LED + OF_KAFKA + STOPPED)
    assert orders(run, stop)[:-4] + delay == report
    assert worker(version=2) == bytes.fromhex("0002" + JOINED + "ffffffff")
    assert worker(version=0) == bytes.fromhex("0000" + JOINED)
    assert orders(run, version=0) == bytes.fromhex("0000" + LED + OF_KAFKA)


def test_what_a_leader_says() -> None:
    assert read_worker_assignment(WHOLE) == Orders(RUN, STOP)


def test_the_eager_protocol_ends_sooner() -> None:
    """Version 0 has no list of what to stop: what is over there isn't read as one."""
    assert read_worker_assignment(b"\0\0" + WHOLE[2:48]) == Orders(RUN)
    assert read_worker_assignment(b"\0\0" + WHOLE[2:]) == Orders(RUN)


def test_what_a_worker_says() -> None:
    assert read_worker_metadata(JOINING) == RUN
    assert read_worker_metadata(b"\0\0" + JOINING[2:13]) == ()


def test_lists_and_allocations_may_be_null_or_missing() -> None:
    """The Java classes tolerate that too (TOLERATE_MISSING_FIELDS_WITH_DEFAULTS)."""
    none = struct.pack(">i", -1)
    begun = WHOLE[:18]
    for rest in (b"", none, none + none + none):
        assert read_worker_assignment(begun + rest) == Orders()
    assert read_worker_metadata(worker(None)) == ()
    assert read_worker_metadata(worker(None)[:-4]) == ()


def test_a_newer_version_has_the_fields_of_the_newest_known_first() -> None:
    assert read_worker_assignment(b"\0\x09" + WHOLE[2:] + b"more") == Orders(RUN, STOP)
    assert read_worker_metadata(b"\0\x09" + JOINING[2:] + b"more") == RUN


@pytest.mark.parametrize("version", [0, 1, 2])
def test_what_the_tests_workers_send_is_read_again(version: int) -> None:
    runs = {"a/b": [-1, 0], "naïve": [3]}
    read = (("a/b", -1), ("a/b", 0), ("naïve", 3))
    assert read_worker_metadata(worker(runs, version)) == (read if version else ())
    stop = {"c": [1]} if version else {}
    assert read_worker_assignment(orders(runs, stop, version)) == Orders(
        read, (("c", 1),) if version else ()
    )


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"", "no version"),
        (b"\xff\xff" + WHOLE[2:], "a negative version"),
        (WHOLE[:-6], "cut off inside a list"),
        (WHOLE[:18] + b"\x7f\xff\xff\xff", "more connectors than bytes"),
        (WHOLE[:18] + b"\xff\xff\xff\xfe", "a negative count that isn't null's"),
        (orders({"c": [-2]}), "no task's number"),
        (orders({"c": [2**31 - 1]}), "a number that would make two billion tasks"),
    ],
)
def test_orders_that_can_not_be_read(said: bytes, why: str) -> None:
    assert read_worker_assignment(said) is None, why


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (b"\0\2http://worker:8083", "a text that is longer than all"),
        (JOINING[:-1], "less than it says it runs"),
        (
            JOINING[:13] + struct.pack(">i", 2) + b"\0\1",
            "an allocation of a version alone",
        ),
    ],
)
def test_metadata_that_can_not_be_read(said: bytes, why: str) -> None:
    assert read_worker_metadata(said) is None, why


def test_nothing_raises() -> None:
    seeded = random.Random(1)
    for _ in range(SAMPLES):
        data = bytearray(seeded.choice([WHOLE, JOINING]))
        for _ in range(seeded.randint(1, 4)):
            data[seeded.randrange(len(data))] = seeded.randrange(256)
        del data[seeded.randrange(len(data) + 1) :]
        read_worker_assignment(bytes(data))
        read_worker_metadata(bytes(data))
