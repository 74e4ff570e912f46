"""A consumer in a process of its own, which tells in lines of JSON what it is given.

    python -m tests.live.twin_member HOST:PORT TOPIC NAME ASSIGNORS [INSTANCE_ID]

It closes in good order when its standard input ends.
"""

from __future__ import annotations

import json
import sys
import threading
from typing import Any

from kafka import ConsumerRebalanceListener, KafkaConsumer
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor

ASSIGNORS = {"range": RangePartitionAssignor, "cooperative-sticky": CooperativeStickyAssignor}
SESSION_MS, HEARTBEAT_MS = 6_000, 500


class Told(ConsumerRebalanceListener):
    """Prints what the application is told."""

    def __init__(self, consumer: KafkaConsumer) -> None:
        self.consumer = consumer

    def on_partitions_revoked(self, revoked: Any) -> None:
        """Nothing to do."""

    def on_partitions_assigned(self, assigned: Any) -> None:
        """All that it has now, and in which generation."""
        told = {
            "generation": self.consumer._coordinator._generation.generation_id,
            "owned": sorted(one.partition for one in self.consumer.assignment()),
        }
        print(json.dumps(told), flush=True)


def main() -> None:
    bootstrap, topic, name, assignors, *instance = sys.argv[1:]
    ended = threading.Event()
    threading.Thread(target=lambda: (sys.stdin.read(), ended.set()), daemon=True).start()
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap,
        group_id=topic,
        client_id=name,
        group_instance_id=instance[0] if instance else None,
        partition_assignment_strategy=[ASSIGNORS[one] for one in assignors.split(",")],
        session_timeout_ms=SESSION_MS,
        heartbeat_interval_ms=HEARTBEAT_MS,
        max_poll_interval_ms=60_000,
        auto_offset_reset="earliest",
    )
    consumer.subscribe([topic], listener=Told(consumer))
    while not ended.is_set():
        consumer.poll(timeout_ms=100)
    consumer.close()


if __name__ == "__main__":
    main()
