"""A consumer in a process of its own, which tells in lines of JSON what it has.

    python -m tests.live.twin_member LIBRARY HOST:PORT TOPIC NAME ASSIGNORS SESSION_MS [INSTANCE_ID]

`count` is the generation (kafka-python), or how many assignments it got (confluent-kafka, which
doesn't tell generations). It closes in good order when its standard input ends.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from typing import Any

import confluent_kafka
from kafka import KafkaConsumer
from kafka.coordinator.assignors.abstract import RebalanceProtocol
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor

HEARTBEAT_MS = 500


class InAnEagerList(CooperativeStickyAssignor):
    """As Java's behaves beside an eager assignor: its members own nothing when they join."""

    def supported_protocols(self) -> list[RebalanceProtocol]:
        return [RebalanceProtocol.EAGER]

    def metadata(self, topics: Any) -> Any:
        self.member_assignment = None
        return super().metadata(topics)


COOPERATIVE = "cooperative-sticky"

Parts = tuple[Callable[[], None], Callable[[], tuple[int, list[int]]], Callable[[], None]]


def by_kafka_python(settings: dict[str, Any], topic: str, name: str, assignors: str) -> Parts:
    names = assignors.split(",")
    cooperative = InAnEagerList if len(names) > 1 else CooperativeStickyAssignor
    consumer = KafkaConsumer(
        **{key.replace(".", "_"): value for key, value in settings.items()},
        client_id=name,
        partition_assignment_strategy=[
            cooperative if item == COOPERATIVE else RangePartitionAssignor for item in names
        ],
        max_poll_interval_ms=60_000,
    )
    consumer.subscribe([topic])

    def told() -> tuple[int, list[int]]:
        owned = sorted(item.partition for item in consumer.assignment())
        return consumer._coordinator._generation.generation_id, owned

    return lambda: consumer.poll(timeout_ms=100), told, consumer.close


def by_confluent(settings: dict[str, Any], topic: str, name: str, assignors: str) -> Parts:
    consumer = confluent_kafka.Consumer(
        settings | {"client.id": name, "partition.assignment.strategy": assignors}
    )
    count = 0

    def assigned(_: Any, partitions: list[Any]) -> None:
        nonlocal count
        count += 1

    consumer.subscribe([topic], on_assign=assigned)

    def told() -> tuple[int, list[int]]:
        return count, sorted(item.partition for item in consumer.assignment())

    return lambda: consumer.poll(0.1), told, consumer.close


def main() -> None:
    library, bootstrap, topic, name, assignors, session_ms, *instance = sys.argv[1:]
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    settings: dict[str, Any] = {
        "bootstrap.servers": bootstrap,
        "group.id": topic,
        "session.timeout.ms": int(session_ms),
        "heartbeat.interval.ms": HEARTBEAT_MS,
        "auto.offset.reset": "earliest",
    }
    if instance:
        settings["group.instance.id"] = instance[0]
    make = by_kafka_python if library == "kafka-python" else by_confluent
    poll, report, close = make(settings, topic, name, assignors)
    last: tuple[int, list[int]] | None = None
    while not ended.is_set():
        poll()
        if report() != last:
            last = report()
            print(json.dumps({"count": last[0], "owned": last[1]}), flush=True)
    close()


if __name__ == "__main__":
    main()
