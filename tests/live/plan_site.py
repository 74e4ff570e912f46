"""Groups with plans: of Java's consumers, of Java's and Python's, and one of the new protocol."""

import base64
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from pathlib import Path
from uuid import UUID

import confluent_kafka

from optimizer.assignor.plan_file import GroupPlan, Topics
from tests.live.brokers import Brokers
from tests.live.consumers import Ownership, by_librdkafka, closing, follower
from tests.live.java_consumers import JavaConsumers
from tests.live.waiting import until

ORDERS, REFUNDS = "java-orders", "java-refunds"
TOPICS = {ORDERS: 6, REFUNDS: 3}
READS = {"a": [ORDERS], "b": [ORDERS, REFUNDS], "c": [ORDERS, REFUNDS]}
PLANS: tuple[dict[str, Topics], ...] = (
    {"a": {ORDERS: [5]}, "b": {ORDERS: [0, 1, 2, 3, 4]}, "c": {REFUNDS: [0, 1, 2]}},
    {
        "a": {ORDERS: [0, 1, 2]},
        "b": {ORDERS: [3], REFUNDS: [2]},
        "c": {ORDERS: [4, 5], REFUNDS: [0, 1]},
    },
)
STRATEGY = {
    "eager": "io.evenfleet.PlanAssignor",
    "cooperative": "io.evenfleet.CooperativePlanAssignor",
}
GROUPS = ("java-eager", "java-cooperative", "mixed-eager", "mixed-cooperative", "broker")
"""Of all, member a is in the process that dies; b is Python's in the mixed ones, librdkafka's in
the last. In `mixed-cooperative` b leads, in the others a."""

BY_BROKER = {"group.protocol": "consumer", "group.remote.assignor": "evenfleet-plan"}


class Site:
    """The groups, and what their members own."""

    def __init__(self, broker: Brokers, folder: Path, opened: ExitStack) -> None:
        self.broker, self.folder, self._opened = broker, folder, opened
        self.ownership = Ownership()
        self.java, self.dying = JavaConsumers(self.ownership), JavaConsumers(self.ownership)
        opened.callback(self.java.kill)
        opened.callback(self._end)
        broker.create(TOPICS)
        with broker.admin() as admin:
            ids = {item["name"]: item["topic_id"] for item in admin.describe_topics([*TOPICS])}
        self.ids = {
            name: base64.urlsafe_b64encode(UUID(str(item)).bytes).decode().rstrip("=")
            for name, item in ids.items()
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

    def start_java(
        self,
        process: JavaConsumers,
        group: str,
        member: str,
        topics: Sequence[str],
        **more: object,
    ) -> None:
        """Start a consumer; in names of settings `_` stands for `.`."""
        settings = {key.replace("_", "."): value for key, value in more.items()}
        settings |= {"bootstrap.servers": self.broker.bootstrap}
        process.start(group, member, topics, settings)

    def start_planned(self, process: JavaConsumers, group: str, member: str) -> None:
        if group == "broker":
            settings: dict[str, object] = {**BY_BROKER}
        else:
            settings = {
                "session.timeout.ms": 3000,
                "heartbeat.interval.ms": 300,
                "partition.assignment.strategy": STRATEGY[group.partition("-")[2]],
                "evenfleet.plan": self.file(group),
            }
        settings |= {"client.id": f"{group}-{member}", "metadata.max.age.ms": 1000}
        settings |= {"group.instance.id": member}
        self.start_java(process, group, member, READS[member], **settings)

    def start_others(self) -> None:
        """Members b, of the mixed groups by kafka-python, of the last by confluent-kafka."""
        where = self.broker.bootstrap
        for group in GROUPS:
            if group.startswith("java"):
                self.start_planned(self.java, group, "b")
                continue
            to = (where, group, "b", READS["b"], self.ownership)
            if group == "broker":
                settings = BY_BROKER | {"group.instance.id": "b"}
                consumer = by_librdkafka(*to, **settings)
            else:
                cooperative = group.endswith("cooperative")
                plan = self.file(group)
                consumer = follower(*to, plan=plan, static=True, cooperative=cooperative)
            self._opened.enter_context(closing([consumer]))
            if group == "mixed-cooperative":
                until(lambda g=group: "b" in self.ownership.of(g), f"b leads {group}")

    def rebalance(self) -> None:
        """Let the groups assign anew, which alone puts a changed plan into force."""
        for group in GROUPS[:-1]:
            self.java.rejoin(group, "c")
        self.visit("broker")

    def visit(self, group: str) -> None:
        """Let a guest that reads nothing join a group of the new protocol, and leave it."""
        settings = {"bootstrap.servers": self.broker.bootstrap, "group.id": group}
        guest = confluent_kafka.Consumer(settings | {"group.protocol": "consumer"})
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
            reached = f"members of {group} own what plan {number} says"
            until(lambda g=group: self.ownership.of(g) == wanted, reached, self.seen(group))

    def await_all_owned(self, members: str, largest: int, groups: Sequence[str] = GROUPS) -> None:
        """Each partition by one of these members, and nobody more than so many."""

        def reached(group: str) -> bool:
            owned = self.ownership.of(group)
            parts = sorted(item for items in owned.values() for item in items)
            everything = sorted((t, p) for t, count in TOPICS.items() for p in range(count))
            most = max(map(len, owned.values()), default=0)
            return parts == everything and set(owned) <= set(members) and most <= largest

        for group in groups:
            what = f"{', '.join(members)} own all of {group}, each at most {largest}"
            until(lambda g=group: reached(g), what, self.seen(group))

    def await_loads(self, group: str, **wanted: int) -> None:
        """Until these members have that many partitions."""

        def loads() -> dict[str, int]:
            return {member: len(self.ownership.of(group).get(member, [])) for member in wanted}

        until(lambda: loads() == wanted, f"loads of {group} are {wanted}", self.seen(group))

    def seen(self, group: str) -> Callable[[], object]:
        return lambda: (self.ownership.of(group), self.ownership.failures)
