"""Real consumers of kafka-python that are polled throughout, and what each one owned when."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from kafka import ConsumerRebalanceListener, KafkaAdminClient, KafkaConsumer
from kafka.errors import KafkaError

from optimizer.assignor.plan_assignor import PlanAssignor, rejoin
from tests.live.waiting import WITHIN, until

TopicPartition = tuple[str, int]


class Event(NamedTuple):
    """A consumer got a partition, or gave it up, in a generation of its group."""

    consumer: str
    partition: TopicPartition
    owned: bool
    generation: int


class Diary:
    """What happened to the consumers of a group, in the order in which it did."""

    def __init__(self, consumers: Iterable[str]) -> None:
        self.consumers = set(consumers)
        self.events: list[Event] = []
        self._assigned: dict[int, set[str]] = defaultdict(set)
        self._lock = threading.Lock()

    def note(self, consumer: str, partitions: Iterable[Any], owned: bool, generation: int) -> None:
        with self._lock:
            self.events += [
                Event(consumer, (tp.topic, tp.partition), owned, generation) for tp in partitions
            ]

    def note_assignment(self, consumer: str, generation: int) -> None:
        with self._lock:
            self._assigned[generation].add(consumer)

    @property
    def generation(self) -> int:
        """The newest that a consumer got an assignment in."""
        return max(self._assigned, default=-1)

    def owners(self) -> dict[TopicPartition, set[str]]:
        """Who has each partition now."""
        *_, owners = self._states()
        return {partition: set(names) for partition, names in owners.items() if names}

    def owned_twice(self) -> list[TopicPartition]:
        """Partitions that two consumers had at a time."""
        return [p for owners in self._states() for p, names in owners.items() if len(names) > 1]

    def unowned_for_long(self, since: int) -> list[tuple[TopicPartition, int, int]]:
        """Partitions that nobody had for longer than one rebalance, and from when to when.

        They were given up for one generation and got an owner in a later one, though between the
        two another was complete: all consumers had got their assignments.
        """
        complete = {g for g, names in self._assigned.items() if names == self.consumers}
        given_up: dict[TopicPartition, int] = {}
        result = []
        for _, partition, owned, generation in self.events:
            if not owned:
                given_up[partition] = generation
                continue
            start = given_up.pop(partition, generation)
            if start >= since and complete & set(range(start + 1, generation)):
                result.append((partition, start, generation))
        return result

    def _states(self) -> Iterator[dict[TopicPartition, set[str]]]:
        """Owners after each event."""
        owners: dict[TopicPartition, set[str]] = defaultdict(set)
        yield owners
        for name, partition, owned, _ in list(self.events):
            if owned:
                owners[partition].add(name)
            else:
                owners[partition].discard(name)
            yield owners


def await_rest(bootstrap: str, diaries: dict[str, Diary]) -> None:
    """Until the coordinator says that no group rebalances, and none does so again for a while.

    Heartbeats that a rebalance overtakes make kafka-python ask for another one.
    """
    with KafkaAdminClient(bootstrap_servers=bootstrap) as admin:

        def seen() -> dict[str, tuple[str, int]]:
            described = admin.describe_groups(list(diaries))
            return {g: (described[g]["group_state"], d.generation) for g, d in diaries.items()}

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

        assert until(resting), seen()


class Recording(PlanAssignor):
    """A PlanAssignor that notes its consumer's generations."""

    def __init__(self, name: str, diary: Diary, plan: str, group: str, **options: Any) -> None:
        super().__init__(plan, group, **options)
        self.consumer, self.diary, self.generation = name, diary, -1

    def on_assignment(self, assignment: Any, generation: int) -> None:
        super().on_assignment(assignment, generation)
        self.generation = generation
        self.diary.note_assignment(self.consumer, generation)


class Listener(ConsumerRebalanceListener):
    def __init__(self, assignor: Recording) -> None:
        self.assignor = assignor

    def on_partitions_revoked(self, revoked: Any) -> None:
        self._note(revoked, False)

    def on_partitions_assigned(self, assigned: Any) -> None:
        self._note(assigned, True)

    def on_partitions_lost(self, lost: Any) -> None:
        self._note(lost, False)

    def _note(self, partitions: Any, owned: bool) -> None:
        assignor = self.assignor
        assignor.diary.note(assignor.consumer, partitions, owned, assignor.generation)


class Consumer:
    """A consumer that polls in a thread of its own until it is closed."""

    def __init__(
        self,
        name: str,
        bootstrap: str,
        group: str,
        topics: Sequence[str],
        diary: Diary,
        *,
        plan: str,
        static: bool,
        cooperative: bool,
        rack: str | None = None,
    ) -> None:
        self.name = name
        self.assignor = Recording(name, diary, plan, group, cooperative=cooperative, rack=rack)
        self.failure: Exception | None = None
        self._consumer = KafkaConsumer(
            bootstrap_servers=bootstrap,
            group_id=group,
            client_id="one-for-all" if static else name,
            group_instance_id=name if static else None,
            partition_assignment_strategy=[self.assignor],
            session_timeout_ms=20_000,
            heartbeat_interval_ms=300,
            max_poll_interval_ms=60_000,
            metadata_max_age_ms=1000,
            enable_auto_commit=False,
            auto_offset_reset="earliest",
        )
        self._consumer.subscribe(topics, listener=Listener(self.assignor))
        self._ended = threading.Event()
        self._rejoins = threading.Event()
        self._thread = threading.Thread(target=self._poll, name=name, daemon=True)
        self._thread.start()

    def rejoin(self) -> None:
        self._rejoins.set()

    def end(self) -> None:
        """Let it stop and leave; `close` waits until it has."""
        self._ended.set()

    def close(self) -> None:
        self.end()
        self._thread.join(WITHIN)

    def _poll(self) -> None:
        try:
            while not self._ended.is_set():
                if self._rejoins.is_set():
                    self._rejoins.clear()
                    rejoin(self._consumer)
                self._consumer.poll(timeout_ms=200)
        except Exception as error:
            self.failure = error
        finally:
            self._consumer.close(timeout_ms=1000)


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
