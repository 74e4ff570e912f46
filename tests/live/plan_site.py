"""Groups with plans: of Java's consumers, of Java's and Python's, and one of the new protocol."""

from __future__ import annotations

import base64
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any
from uuid import UUID

import confluent_kafka
from kafka import ConsumerRebalanceListener, KafkaAdminClient, KafkaConsumer

from optimizer.assignor.plan_assignor import PlanAssignor
from optimizer.assignor.plan_file import GroupPlan, Topics
from tests.live.brokers import Brokers
from tests.live.java_consumers import JavaConsumers, Ownership, TopicPartition
from tests.live.waiting import until

TOPICS = {"java-orders": 6, "java-refunds": 3}
READS = {
    "a": ["java-orders"],
    "b": ["java-orders", "java-refunds"],
    "c": ["java-orders", "java-refunds"],
}
PLANS: tuple[dict[str, Topics], ...] = (
    {
        "a": {"java-orders": [5]},
        "b": {"java-orders": [0, 1, 2, 3, 4]},
        "c": {"java-refunds": [0, 1, 2]},
    },
    {
        "a": {"java-orders": [0, 1, 2]},
        "b": {"java-orders": [3], "java-refunds": [2]},
        "c": {"java-orders": [4, 5], "java-refunds": [0, 1]},
    },
)
STRATEGY = {
    "eager": "io.evenfleet.PlanAssignor",
    "cooperative": "io.evenfleet.CooperativePlanAssignor",
}
GROUPS = ("java-eager", "java-cooperative", "mixed-eager", "mixed-cooperative", "broker")
"""Of all, member a is in the process that dies; b is Python's in the mixed ones, librdkafka's in
the last. In `mixed-cooperative` b leads, in the others a."""


def as_kafka_prints(topic_id: UUID) -> str:
    return base64.urlsafe_b64encode(topic_id.bytes).decode().rstrip("=")


class Site:
    """The groups, and what their members own."""

    def __init__(self, broker: Brokers, folder: Path, opened: ExitStack) -> None:
        self.broker, self.folder, self._opened = broker, folder, opened
        self.ownership = Ownership()
        self.java, self.dying = JavaConsumers(self.ownership), JavaConsumers(self.ownership)
        opened.callback(self.java.kill)
        opened.callback(self._end)
        with KafkaAdminClient(bootstrap_servers=broker.bootstrap) as admin:
            admin.create_topics(
                {t: {"num_partitions": n, "replication_factor": 1} for t, n in TOPICS.items()},
                wait_for_metadata=True,
            )
            described = admin.describe_topics([*TOPICS])
        self.ids = {
            item["name"]: as_kafka_prints(UUID(str(item["topic_id"]))) for item in described
        }

    def _end(self) -> None:
        self.dying.kill()  # which is another process by then

    def file(self, group: str) -> Path:
        folder = self.broker.folder / "plans" if group == "broker" else self.folder
        return folder / f"{group}.json"

    def put(self, number: int) -> None:
        for group in GROUPS:
            plan = GroupPlan("c", group, "s", PLANS[number], topic_ids=self.ids)
            aside = self.file(group).with_suffix(".new")
            aside.write_text(plan.to_text())
            aside.replace(self.file(group))

    def start_java(self, process: JavaConsumers, group: str, member: str) -> None:
        settings: dict[str, object] = {
            "bootstrap.servers": self.broker.bootstrap,
            "group.instance.id": member,
            "client.id": f"{group}-{member}",
            "metadata.max.age.ms": 1000,
        }
        if group == "broker":
            settings |= {"group.protocol": "consumer", "group.remote.assignor": "evenfleet-plan"}
        else:
            settings |= {
                "session.timeout.ms": 3000,
                "heartbeat.interval.ms": 300,
                "partition.assignment.strategy": STRATEGY[group.partition("-")[2]],
                "evenfleet.plan": self.file(group),
            }
        process.start(group, member, READS[member], settings)

    def start_others(self) -> None:
        for group in GROUPS:
            if group.startswith("java"):
                self.start_java(self.java, group, "b")
            elif group == "broker":
                self._opened.enter_context(of_librdkafka(self))
            else:
                self._opened.enter_context(of_python(self, group))
            if group == "mixed-cooperative":
                assert until(lambda: "b" in self.ownership.of("mixed-cooperative"))

    def rebalance(self) -> None:
        """Let the groups assign anew, which alone puts a changed plan into force."""
        for group in GROUPS[:-1]:
            self.java.rejoin(group, "c")
        self.visit("broker")

    def visit(self, group: str) -> None:
        """Let a guest that reads nothing join a group of the new protocol, and leave it."""
        guest = confluent_kafka.Consumer(
            {
                "bootstrap.servers": self.broker.bootstrap,
                "group.id": group,
                "group.protocol": "consumer",
            }
        )
        guest.subscribe(["^$"])
        for _ in range(5):
            guest.poll(0.3)
        guest.close()

    def await_plan(self, number: int, groups: Sequence[str] = GROUPS) -> None:
        wanted = {
            member: sorted((topic, item) for topic, parts in part.items() for item in parts)
            for member, part in PLANS[number].items()
        }
        for group in groups:
            assert until(lambda g=group: self.ownership.of(g) == wanted), self.told(group)

    def await_all_owned(self, members: str, largest: int, groups: Sequence[str] = GROUPS) -> None:
        """Each partition by one of these members, and nobody more than so many."""

        def reached(group: str) -> bool:
            owned = self.ownership.of(group)
            parts = sorted(item for items in owned.values() for item in items)
            everything = sorted((t, p) for t, count in TOPICS.items() for p in range(count))
            most = max(map(len, owned.values()), default=0)
            return parts == everything and set(owned) <= set(members) and most <= largest

        for group in groups:
            assert until(lambda g=group: reached(g)), self.told(group)

    def told(self, group: str) -> tuple[str, dict[str, list[TopicPartition]], list[str]]:
        return group, self.ownership.of(group), self.ownership.failures


@contextmanager
def polled(poll: Callable[[], Any], close: Callable[[], Any]) -> Iterator[None]:
    ended = threading.Event()

    def live() -> None:
        while not ended.is_set():
            poll()
        close()

    thread = threading.Thread(target=live, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join(20)


@contextmanager
def of_python(site: Site, group: str) -> Iterator[None]:
    """Member b by kafka-python."""

    class Listener(ConsumerRebalanceListener):
        def on_partitions_assigned(self, assigned: Any) -> None:
            site.ownership.note(
                group, "b", True, [(item.topic, item.partition) for item in assigned]
            )

        def on_partitions_revoked(self, revoked: Any) -> None:
            site.ownership.note(
                group, "b", False, [(item.topic, item.partition) for item in revoked]
            )

        on_partitions_lost = on_partitions_revoked

    consumer = KafkaConsumer(
        bootstrap_servers=site.broker.bootstrap,
        group_id=group,
        group_instance_id="b",
        partition_assignment_strategy=[
            PlanAssignor(site.file(group), group, cooperative=group.endswith("cooperative"))
        ],
        heartbeat_interval_ms=300,
        metadata_max_age_ms=1000,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
    )
    consumer.subscribe(READS["b"], listener=Listener())
    with polled(lambda: consumer.poll(timeout_ms=200), consumer.close):
        yield


@contextmanager
def of_librdkafka(site: Site) -> Iterator[None]:
    """Member b by confluent-kafka."""
    consumer = confluent_kafka.Consumer(
        {
            "bootstrap.servers": site.broker.bootstrap,
            "group.id": "broker",
            "group.instance.id": "b",
            "group.protocol": "consumer",
            "group.remote.assignor": "evenfleet-plan",
            "enable.auto.commit": False,
        }
    )

    def note(owned: bool) -> Callable[[Any, Any], None]:
        return lambda _, parts: site.ownership.note(
            "broker", "b", owned, [(part.topic, part.partition) for part in parts]
        )

    consumer.subscribe(READS["b"], on_assign=note(True), on_revoke=note(False), on_lost=note(False))
    with polled(lambda: consumer.poll(0.1), consumer.close):
        yield
