"""Real consumers, each polled by a thread of its own for as long as a test looks at their group."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import confluent_kafka
from kafka import KafkaConsumer
from kafka.errors import KafkaError

Claim = tuple[str, int]


@dataclass
class PolledMember:
    """One consumer of a group, by its client id; what it owns is noted at each poll."""

    client_id: str
    group: str
    topics: Sequence[str]
    poll: Callable[[], set[Claim]]
    close: Callable[[], None]
    owned: set[Claim] = field(default_factory=set)
    error: BaseException | None = None


def classic(
    bootstrap: str, group: str, number: int, topics: Sequence[str], assignor: type, **options: Any
) -> PolledMember:
    """A member by kafka-python."""
    consumer = KafkaConsumer(
        bootstrap_servers=bootstrap.split(","),
        group_id=group,
        client_id=f"{group}-{number}",
        partition_assignment_strategy=[assignor],
        session_timeout_ms=30_000,
        heartbeat_interval_ms=300,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        **options,
    )
    consumer.subscribe(list(topics))

    def poll() -> set[Claim]:
        consumer.poll(timeout_ms=100)
        return {(item.topic, item.partition) for item in consumer.assignment()}

    return PolledMember(
        f"{group}-{number}", group, topics, poll, lambda: consumer.close(autocommit=False)
    )


def of_new_protocol(
    bootstrap: str, group: str, number: int, topics: Sequence[str], rack: str
) -> PolledMember:
    """A member by confluent-kafka, which speaks KIP-848."""
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "client.id": f"{group}-{number}",
            "group.protocol": "consumer",
            "client.rack": rack,
            "enable.auto.commit": False,
        }
    )
    consumer.subscribe(list(topics))

    def poll() -> set[Claim]:
        consumer.poll(0.1)
        return {(item.topic, item.partition) for item in consumer.assignment()}

    return PolledMember(f"{group}-{number}", group, topics, poll, consumer.close)


@contextmanager
def polled(members: Sequence[PolledMember]) -> Iterator[None]:
    ended = threading.Event()

    def run(member: PolledMember) -> None:
        try:
            while not ended.is_set():
                member.owned = member.poll()
        except (KafkaError, confluent_kafka.KafkaException, KeyError, ValueError) as error:
            member.error = error
        finally:
            member.close()

    threads = [threading.Thread(target=run, args=(member,), daemon=True) for member in members]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        for thread in threads:
            thread.join(20)
