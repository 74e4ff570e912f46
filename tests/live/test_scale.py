"""Java's consumers under a load that triples for a while, and what the replay predicts of them.

Two members all the time, and two, then six, then two: as many rebalances, and as much lag. The load
is three times as high for two minutes. How long a process takes to start is measured, and an input
of the replay. Lag depends on how busy the machine is, and this takes four minutes: it runs only
when it is asked for: `SCALE_LIVE=1 bin/test tests/live/test_scale.py`.
"""

import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import confluent_kafka
import numpy as np
import pytest

from optimizer.coordinator import BrokerSettings, ClientSettings, Parameters
from optimizer.scaling import Assignments, Course, Pauses, Process, replay
from tests.live.brokers import Brokers
from tests.live.consumers import Ownership
from tests.live.java_consumers import JavaConsumers
from tests.live.waiting import go_on, until
from tests.optimizer.scaling.processes import Scripted

TOPIC, PARTITIONS, PACE = "scaled-orders", 12, 100.0
LOAD = ((20, 150.0), (120, 450.0), (60, 150.0))
"""Seconds, and records a second of the topic in them."""

SECONDS = sum(seconds for seconds, _ in LOAD)
MORE_AT, FEWER_AT, FEW, MANY = 50, 160, 2, 6
SIZES = {
    "fixed-2": (FEW,) * SECONDS,
    "scaled-2-6-2": (FEW,) * MORE_AT
    + (MANY,) * (FEWER_AT - MORE_AT)
    + (FEW,) * (SECONDS - FEWER_AT),
}
SETTINGS = {
    "partition.assignment.strategy": "org.apache.kafka.clients.consumer.RangeAssignor",
    "heartbeat.interval.ms": 500,
    "session.timeout.ms": 10_000,
    "enable.auto.commit": "true",
    "auto.commit.interval.ms": 100,
    "max.poll.records": 10,
    "records.per.second": PACE,
}
WITHIN = 0.2

pytestmark = pytest.mark.skipif(
    "SCALE_LIVE" not in os.environ,
    reason="lag is measured on a quiet machine: SCALE_LIVE=1 bin/test tests/live/test_scale.py",
)


def predicted(sizes: tuple[int, ...], start_seconds: float) -> Course:
    """The course by the replay, in steps of a quarter of a second."""
    edges = np.cumsum([0, *(seconds for seconds, _ in LOAD)]).astype(float)
    client = ClientSettings(assignors=("range",), heartbeat_ms=500, session_ms=10_000)
    parameters = Parameters(client, BrokerSettings(initial_delay_ms=0))
    process = Process(
        edges=edges,
        rates=np.array([[rate / PARTITIONS] * PARTITIONS for _, rate in LOAD]),
        recorded=np.full(len(LOAD), FEW),
        peak_rate=PACE,
        assignments=Assignments({TOPIC: PARTITIONS}, "range"),
        pauses=Pauses("range", parameters=parameters),
        start_seconds=start_seconds,
        lag=np.zeros(PARTITIONS),
        uncommitted=np.full(PARTITIONS, np.nan),
    )
    return replay([process], [Scripted(sizes, 1.0)], step=0.25)[0][0]


def due(passed: float) -> int:
    """How many records are to be sent by then."""
    since, total = 0.0, 0.0
    for seconds, rate in LOAD:
        total += rate * min(max(passed - since, 0.0), seconds)
        since += seconds
    return round(total)


@contextmanager
def loaded(broker: Brokers) -> Iterator[float]:
    """The load goes to the topic, evenly over partitions; gives when it begins."""
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap, "linger.ms": 5})
    begin = time.time() + 1.0

    def produce() -> None:
        sent = 0
        while sent < due(SECONDS):
            for number in range(sent, due(time.time() - begin)):
                producer.produce(TOPIC, b"x", partition=number % PARTITIONS)
                sent = number + 1
            producer.poll(0)
            time.sleep(0.02)
        producer.flush()

    thread = threading.Thread(target=produce, daemon=True)
    thread.start()
    yield begin
    thread.join()


def lag_of(consumer: confluent_kafka.Consumer) -> int:
    partitions = [confluent_kafka.TopicPartition(TOPIC, at) for at in range(PARTITIONS)]
    committed = consumer.committed(partitions, timeout=10)
    ends = [consumer.get_watermark_offsets(item, timeout=10)[1] for item in partitions]
    return sum(end - max(item.offset, 0) for item, end in zip(committed, ends, strict=True))


def resize(consumers: JavaConsumers, group: str, now: int, members: int) -> None:
    for number in range(now, members):
        consumers.start(group, f"m{number}", [TOPIC], SETTINGS)
    leaving = [f"m{number}" for number in range(members, now)]
    with ThreadPoolExecutor(max(1, len(leaving))) as threads:  # at once, as a Deployment ends pods
        list(threads.map(lambda member: consumers.close(group, member), leaving))


def test_rebalances_and_lag_are_as_predicted(broker: Brokers) -> None:
    broker.create({TOPIC: PARTITIONS})
    ownership = Ownership()
    consumers = JavaConsumers(ownership)
    SETTINGS["bootstrap.servers"] = broker.bootstrap
    seen: dict[str, list[tuple[float, int]]] = {group: [] for group in SIZES}
    readers = {
        group: confluent_kafka.Consumer({"bootstrap.servers": broker.bootstrap, "group.id": group})
        for group in SIZES
    }
    try:
        for group in SIZES:
            resize(consumers, group, 0, FEW)
        until(lambda: all(len(ownership.of(g)) == FEW for g in SIZES), "two members read each")
        with loaded(broker) as begin:
            now, asked = FEW, {}
            while (passed := time.time() - begin) < SECONDS:
                wanted = SIZES["scaled-2-6-2"][max(0, min(int(passed), SECONDS - 1))]
                if wanted != now:
                    asked.setdefault(wanted, time.time())
                    resize(consumers, "scaled-2-6-2", now, wanted)
                    now = wanted
                for group, reader in readers.items():
                    seen[group].append((time.time() - begin, lag_of(reader)))
                go_on()
                time.sleep(0.25)
        assert not ownership.failures
        first = min(event.time for event in ownership.events if event.member == f"m{FEW}")
        start_seconds = first - asked[MANY]
        print(f"members read {start_seconds:.2f} s after they are asked for")
        for group, sizes in SIZES.items():
            check(group, predicted(sizes, start_seconds), seen[group], ownership, begin)
    finally:
        consumers.kill()
        for reader in readers.values():
            reader.close()


def check(
    group: str, course: Course, seen: list[tuple[float, int]], ownership: Ownership, begin: float
) -> None:
    """Rebalances of the member that is always there, and lag over time, within a fifth."""
    times = {
        event.time
        for event in ownership.events
        if event.owned and event.group == group and event.member == "m0" and event.time > begin
    }
    at, lags = np.array(seen).T
    waited = float(np.trapezoid(lags, at))
    expected = float(course.lag_record_seconds.sum())
    print(f"{group}: rebalances {len(times)}, predicted {int(course.rebalances.sum())}")
    print(f"{group}: record-seconds of lag {waited:,.0f}, predicted {expected:,.0f}")
    assert len(times) == int(course.rebalances.sum())
    assert waited == pytest.approx(expected, rel=WITHIN)
