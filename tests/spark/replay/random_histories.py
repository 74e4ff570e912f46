"""Random groups in random histories, as plain rows and as a store."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from optimizer import Group, Member, assign
from spark.fleet.local_store import write_store
from tests.support.fleets import Fleet

START = datetime(2026, 11, 1, tzinfo=UTC)

RACKS = ("r1", "r2", "r3")

Partition = tuple[str, int]


@dataclass(frozen=True)
class Reader:
    """A member; `instance` is its instance id, if it has one."""

    instance: str | None
    topics: tuple[str, ...]
    rack: str | None = None


@dataclass(frozen=True, eq=False)
class Look:
    """A group in one snapshot: readers by member id, sizes of topics, and who owns what."""

    readers: dict[str, Reader] = field(default_factory=dict)
    topics: dict[str, int] = field(default_factory=dict)
    owners: dict[Partition, str] = field(default_factory=dict)
    state: str = "Stable"
    racks: bool = False

    @property
    def is_judged(self) -> bool:
        """Whether it has a plan: with claims and none of its topics it is `invalid`."""
        read = {topic for reader in self.readers.values() for topic in reader.topics}
        lost_all = bool(self.owners) and not read & self.topics.keys()
        return self.state == "Stable" and bool(self.readers) and not lost_all

    def who(self, member: str) -> str:
        return self.readers[member].instance or member

    def group(self, owners: dict[Partition, str]) -> Group:
        """What `assign` is asked, with these owners by member id."""
        owned: dict[str, list[Partition]] = {member: [] for member in self.readers}
        for partition in sorted(owners):
            if owners[partition] in owned:
                owned[owners[partition]].append(partition)
        return Group(
            topics=self.topics,
            members=[
                Member(
                    member,
                    topics=list(reader.topics),
                    owned=owned[member],
                    instance_id=reader.instance,
                    rack=reader.rack,
                )
                for member, reader in sorted(self.readers.items())
            ],
            leader_racks={
                topic: [leader_of(topic, p) for p in range(size)]
                for topic, size in self.topics.items()
                if self.racks
            },
            replica_racks={
                topic: [replicas_of(topic, p) for p in range(size)]
                for topic, size in self.topics.items()
                if self.racks
            },
        )


def leader_of(topic: str, partition: int) -> str:
    return RACKS[(len(topic) + ord(topic[-1]) + partition) % 3]


def replicas_of(topic: str, partition: int) -> list[str]:
    return sorted({leader_of(topic, partition), leader_of(topic, partition + 1)})


@dataclass(frozen=True)
class History:
    """Snapshot ids of a cluster of one group, and the group in each; None where it isn't there."""

    cluster: str
    ids: Sequence[str]
    looks: Sequence[Look | None]


def random_history(seed: int) -> History:
    """Up to a dozen snapshots of a group, some of which were left out."""
    rng = random.Random(seed)
    ids = [id_of(at) for at in range(12) if rng.random() < 0.85] or [id_of(0)]
    return History(f"c{seed:03d}", ids, [*_looks(rng, len(ids))])


def id_of(at: int) -> str:
    """Ten hours apart, and once two days."""
    hours = timedelta(hours=10 * at + 48 * (at > 7))
    return (START + hours).strftime("%Y%m%dT%H%M%SZ")


def _looks(rng: random.Random, count: int) -> list[Look | None]:
    group = _Random(rng)
    return [group.next() for _ in range(count)]


class _Random:
    """A group to which something happens between two snapshots, or nothing."""

    def __init__(self, rng: random.Random) -> None:
        self._rng = rng
        self._static = rng.random() < 0.4
        self._mixed = rng.random() < 0.5
        self._born = 0
        self._there = rng.random() < 0.9
        topics = {f"t{n}": rng.randint(1, 9) for n in range(rng.randint(1, 4))}
        self._look = Look(topics=topics, racks=rng.random() < 0.3)
        for _ in range(rng.randint(0, 5)):
            self._join()
        self._own()

    def next(self) -> Look | None:
        rng = self._rng
        state = "PreparingRebalance" if rng.random() < 0.06 else "Stable"
        result = replace(self._look, state=state) if self._there else None
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
            self._happen()
        return result

    def _happen(self) -> None:
        happenings = (
            *(self._join, self._join, self._leave, self._restart, self._restart, self._grow),
            *(self._new_topic, self._lose_topic, self._resubscribe, self._own, self._vanish),
            *(self._empty,),
        )
        self._rng.choice(happenings)()
        if self._rng.random() < 0.7:
            self._own()

    def _member(self, instance: str | None) -> None:
        self._born += 1
        look, rng = self._look, self._rng
        items = [*look.topics, *(["unknown"] if rng.random() < 0.05 else [])]
        if self._mixed:
            items = rng.sample(items, rng.randint(0 if rng.random() < 0.1 else 1, len(items)))
        reader = Reader(instance, tuple(sorted(items)), rng.choice(RACKS) if look.racks else None)
        readers = look.readers | {f"m{rng.randint(0, 99):02d}-{self._born}": reader}
        self._look = replace(look, readers=readers)

    def _join(self) -> None:
        self._member(f"i{self._born}" if self._static else None)

    def _leave(self) -> None:
        readers = dict(self._look.readers)
        if readers:
            del readers[self._rng.choice(sorted(readers))]
        self._look = replace(self._look, readers=readers)

    def _restart(self) -> None:
        """A member is back by another member id, and by its instance id if it has one."""
        readers = dict(self._look.readers)
        if not readers:
            return
        reader = readers.pop(self._rng.choice(sorted(readers)))
        self._born += 1
        readers[f"m{self._rng.randint(0, 99):02d}-{self._born}"] = reader
        self._look = replace(self._look, readers=readers)

    def _grow(self) -> None:
        topic = self._rng.choice(sorted(self._look.topics))
        topics = self._look.topics | {topic: self._look.topics[topic] + self._rng.randint(1, 4)}
        self._look = replace(self._look, topics=topics)

    def _new_topic(self) -> None:
        topics = self._look.topics | {f"n{self._born}{len(self._look.topics)}": 3}
        self._look = replace(self._look, topics=topics)

    def _lose_topic(self) -> None:
        topics = dict(self._look.topics)
        if len(topics) > 1:
            del topics[self._rng.choice(sorted(topics))]
        self._look = replace(self._look, topics=topics)

    def _resubscribe(self) -> None:
        look = self._look
        readers = {
            member: replace(reader, topics=tuple(sorted(look.topics)))
            for member, reader in look.readers.items()
            if not self._mixed or self._rng.random() < 0.5
        }
        self._look = replace(look, readers=look.readers | readers)

    def _vanish(self) -> None:
        self._there = not self._there

    def _empty(self) -> None:
        if self._rng.random() < 0.5:
            self._look = replace(self._look, readers={})

    def _own(self) -> None:
        """Whoever assigns this group does it anew, and now and then not well."""
        look, rng = self._look, self._rng
        if not look.readers or not look.topics:
            self._look = replace(look, owners={})
            return
        plan = assign(look.group(look.owners), rng.choice(("range", "cooperative-sticky")))
        owners = {p: member for member, owned in plan.assignment.items() for p in owned}
        for partition in owners:
            if rng.random() < 0.2:
                readers = [m for m, r in look.readers.items() if partition[0] in r.topics]
                owners[partition] = rng.choice(sorted(readers))
        self._look = replace(look, owners=owners)


def write_histories(histories: Sequence[History], store: Path) -> None:
    """All of them as one store; a cluster isn't in the snapshots that it lacks."""
    for item in sorted({id_ for history in histories for id_ in history.ids}):
        fleet = Fleet()
        for history in histories:
            if item in history.ids:
                _add(fleet, history.cluster, history.looks[history.ids.index(item)])
        write_store(fleet.tables(), store, item)


def _add(fleet: Fleet, cluster: str, look: Look | None) -> None:
    """A cluster that has a group, or nothing but a topic that nobody reads."""
    fleet.topic("unread", 1, cluster)
    if look is None:
        return
    state = look.state if look.readers else "Empty"
    fleet.group(
        "g",
        {member: reader.topics for member, reader in look.readers.items()},
        [(*partition, member) for partition, member in look.owners.items()],
        cluster,
        state=state,
        strategy="range",
    )
    for row in fleet.rows["members"]:
        if row["cluster"] == cluster:
            reader = look.readers[row["member_id"]]
            row |= {"instance_id": reader.instance, "rack": reader.rack}
    for topic, size in look.topics.items():
        fleet.rows["partitions"] += [
            {
                "cluster": cluster,
                "topic": topic,
                "partition": p,
                "leader_rack": leader_of(topic, p) if look.racks else None,
                "replica_racks": replicas_of(topic, p) if look.racks else None,
            }
            for p in range(size)
        ]
