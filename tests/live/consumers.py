"""Real consumers that are polled throughout, and the log of who owns what that they share."""

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

import confluent_kafka
from kafka import ConsumerRebalanceListener, KafkaAdminClient, KafkaConsumer
from kafka.errors import KafkaError

from optimizer.assignor.plan_assignor import PlanAssignor, rejoin
from tests.live.waiting import CLOSES_WITHIN, until

TopicPartition = tuple[str, int]


class Event(NamedTuple):
    """At a time (seconds) a member of a group got a partition, or gave it up before that.

    The generation is the member's, where it is known.
    """

    time: float
    owned: bool
    group: str
    member: str
    partition: TopicPartition
    generation: int = -1


class Ownership:
    """Who owns what in many groups, as their members say."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.failures: list[str] = []
        self._assigned: dict[str, dict[int, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._lock = threading.Lock()

    def note(
        self,
        group: str,
        member: str,
        owned: bool,
        partitions: Iterable[TopicPartition],
        when: float | None = None,
        generation: int = -1,
    ) -> None:
        now = time.time() if when is None else when
        with self._lock:
            self.events += [Event(now, owned, group, member, tp, generation) for tp in partitions]

    def note_assignment(self, group: str, member: str, generation: int) -> None:
        with self._lock:
            self._assigned[group][generation].add(member)

    def note_death(self, group: str, member: str) -> None:
        self.note(group, member, False, self.of(group).get(member, []))

    def generation(self, group: str) -> int:
        """The newest that a member got an assignment in."""
        return max(self._assigned[group], default=-1)

    def of(self, group: str) -> dict[str, list[TopicPartition]]:
        """Partitions of each member that has any; one with two owners shows at both."""
        owned: dict[str, list[TopicPartition]] = defaultdict(list)
        owners: dict[TopicPartition, set[str]] = {}
        for state in self._states(group):
            _, owners = state
        for partition, members in sorted(owners.items()):
            for member in members:
                owned[member].append(partition)
        return dict(owned)

    def owned_twice(self, group: str) -> list[Event]:
        """When a member got what another still had."""
        return [
            event
            for event, owners in self._states(group)
            if event.owned and len(owners[event.partition]) > 1
        ]

    def unowned_for_long(
        self, group: str, members: Collection[str], since: int
    ) -> list[tuple[TopicPartition, int, int]]:
        """Partitions that nobody had for longer than one rebalance, and from when to when.

        They were given up for one generation and got an owner in a later one, though between the
        two another was complete: all members had got their assignments.
        """
        complete = {g for g, names in self._assigned[group].items() if names == {*members}}
        given_up: dict[TopicPartition, int] = {}
        result = []
        for event, _ in self._states(group):
            if not event.owned:
                given_up[event.partition] = event.generation
                continue
            start = given_up.pop(event.partition, event.generation)
            if start >= since and complete & set(range(start + 1, event.generation)):
                result.append((event.partition, start, event.generation))
        return result

    def _states(self, group: str) -> Iterator[tuple[Event, dict[TopicPartition, set[str]]]]:
        """Each event, and the owners after it."""
        with self._lock:
            events = sorted(event for event in self.events if event.group == group)
        owners: dict[TopicPartition, set[str]] = defaultdict(set)
        for event in events:
            if event.owned:
                owners[event.partition].add(event.member)
            else:
                owners[event.partition].discard(event.member)
            yield event, owners


class Consumer:
    """A consumer that polls in a thread of its own until it is closed.

    `owned` is what it had after its last poll, and `failure` what ended it before its time.
    """

    def __init__(
        self,
        client: Any,
        group: str,
        name: str,
        topics: Sequence[str],
        poll: Callable[[], object],
        close: Callable[[], object],
    ) -> None:
        self.group, self.name, self.topics = group, name, topics
        self.owned: set[TopicPartition] = set()
        self.failure: Exception | None = None
        self._client, self._poll_once, self._leave = client, poll, close
        self._ended, self._rejoins = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._poll, name=name, daemon=True)
        self._thread.start()

    def rejoin(self) -> None:
        self._rejoins.set()

    def end(self) -> None:
        """Let it stop and leave; `close` waits until it has."""
        self._ended.set()

    def close(self) -> None:
        self.end()
        self._thread.join(CLOSES_WITHIN)

    def _poll(self) -> None:
        try:
            while not self._ended.is_set():
                if self._rejoins.is_set():
                    self._rejoins.clear()
                    rejoin(self._client)
                self._poll_once()
                self.owned = {(tp.topic, tp.partition) for tp in self._client.assignment()}
        except Exception as error:
            self.failure = error
        finally:
            self._leave()


@contextmanager
def closing(consumers: Iterable[Consumer]) -> Iterator[list[Consumer]]:
    """All consumers, closed at the end."""
    started: list[Consumer] = []
    try:
        started += consumers
        yield started
    finally:
        for consumer in started:
            consumer.end()
        for consumer in started:
            consumer.close()


def by_kafka_python(
    bootstrap: str,
    group: str,
    name: str,
    topics: Sequence[str],
    assignor: Any,
    listener: ConsumerRebalanceListener | None = None,
    **options: Any,
) -> Consumer:
    """A member of a classic group; its client id is its name."""
    settings = {"client_id": name, "session_timeout_ms": 30_000} | options
    client = KafkaConsumer(
        bootstrap_servers=bootstrap.split(","),
        group_id=group,
        partition_assignment_strategy=[assignor],
        heartbeat_interval_ms=300,
        metadata_max_age_ms=1000,
        enable_auto_commit=False,
        auto_offset_reset="earliest",
        **settings,
    )
    client.subscribe(list(topics), listener=listener)
    return Consumer(
        client,
        group,
        name,
        topics,
        lambda: client.poll(timeout_ms=200),
        lambda: client.close(autocommit=False, timeout_ms=1000),
    )


class Recording(PlanAssignor):
    """A PlanAssignor that notes its consumer's generations."""

    def __init__(self, ownership: Ownership, name: str, plan: str, group: str, **options: Any):
        super().__init__(plan, group, **options)
        self.consumer, self.ownership, self.generation = (group, name), ownership, -1

    def on_assignment(self, assignment: Any, generation: int) -> None:
        super().on_assignment(assignment, generation)
        self.generation = generation
        self.ownership.note_assignment(*self.consumer, generation)

    def note(self, owned: bool, partitions: Any) -> None:
        pairs = [(tp.topic, tp.partition) for tp in partitions]
        self.ownership.note(*self.consumer, owned, pairs, generation=self.generation)


class Listener(ConsumerRebalanceListener):
    def __init__(self, assignor: Recording) -> None:
        self.assignor = assignor

    def on_partitions_assigned(self, assigned: Any) -> None:
        self.assignor.note(True, assigned)

    def on_partitions_revoked(self, revoked: Any) -> None:
        self.assignor.note(False, revoked)

    on_partitions_lost = on_partitions_revoked


def follower(
    bootstrap: str,
    group: str,
    name: str,
    topics: Sequence[str],
    ownership: Ownership,
    *,
    plan: object,
    static: bool,
    cooperative: bool,
    rack: str | None = None,
) -> Consumer:
    """A member by kafka-python that goes by a plan, and by its name in it."""
    assignor = Recording(ownership, name, str(plan), group, cooperative=cooperative, rack=rack)
    key = {"group_instance_id": name, "client_id": "one-for-all"} if static else {}
    return by_kafka_python(bootstrap, group, name, topics, assignor, Listener(assignor), **key)


def by_librdkafka(
    bootstrap: str,
    group: str,
    name: str,
    topics: Sequence[str],
    ownership: Ownership | None = None,
    **options: object,
) -> Consumer:
    """A member by confluent-kafka, which speaks the new protocol (KIP-848).

    In names of options `_` stands for `.`.
    """
    client = confluent_kafka.Consumer(
        {
            "bootstrap.servers": bootstrap,
            "group.id": group,
            "client.id": name,
            "group.protocol": "consumer",
            "enable.auto.commit": False,
            **{key.replace("_", "."): value for key, value in options.items()},
        }
    )

    def note(owned: bool) -> dict[str, Any]:
        def heard(_: Any, partitions: Any) -> None:
            pairs = [(tp.topic, tp.partition) for tp in partitions]
            if ownership:
                ownership.note(group, name, owned, pairs)

        return dict.fromkeys(["on_assign"] if owned else ["on_revoke", "on_lost"], heard)

    client.subscribe(list(topics), **note(True), **note(False))
    return Consumer(client, group, name, topics, lambda: client.poll(0.1), client.close)


def await_rest(bootstrap: str, groups: Mapping[str, Ownership]) -> None:
    """Until the coordinator says that no group rebalances, and none does so again for a while.

    Heartbeats that a rebalance overtakes make kafka-python ask for another one.
    """
    with KafkaAdminClient(bootstrap_servers=bootstrap) as admin:

        def seen() -> dict[str, tuple[str, int]]:
            described = admin.describe_groups([*groups])
            return {g: (described[g]["group_state"], o.generation(g)) for g, o in groups.items()}

        def resting() -> bool:
            looks = []
            try:
                for _ in range(10):
                    looks.append(seen())
                    time.sleep(0.3)
            except KafkaError:
                return False
            stable = {state for state, _ in looks[0].values()} == {"Stable"}
            return stable and all(look == looks[0] for look in looks)

        until(resting, "no group rebalances any more", seen)
