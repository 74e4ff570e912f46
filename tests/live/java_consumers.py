"""Real consumers of Java's, and the log of who owns what that all consumers of a test share."""

from __future__ import annotations

import subprocess
import threading
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from tests.live.waiting import WITHIN
from tests.support.assignor_jar import assignor_jar, java

TopicPartition = tuple[str, int]


class Event(NamedTuple):
    """At a time (seconds) a member of a group got a partition, or gave it up before that."""

    time: float
    owned: bool
    group: str
    member: str
    partition: TopicPartition


class Ownership:
    """Who owns what in many groups, from what their members say when."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.failures: list[str] = []
        self._lock = threading.Lock()

    def note(
        self,
        group: str,
        member: str,
        owned: bool,
        partitions: Iterable[TopicPartition],
        when: float | None = None,
    ) -> None:
        now = time.time() if when is None else when
        with self._lock:
            self.events += [
                Event(now, owned, group, member, topic_partition) for topic_partition in partitions
            ]

    def note_death(self, member: str) -> None:
        """In all groups it has nothing any more."""
        for group in {event.group for event in self.events}:
            self.note(group, member, False, self.of(group).get(member, []))

    def of(self, group: str) -> dict[str, list[TopicPartition]]:
        """Partitions of each member that has any."""
        owned: dict[str, set[TopicPartition]] = defaultdict(set)
        for event in self._sorted(group):
            if event.owned:
                owned[event.member].add(event.partition)
            else:
                owned[event.member].discard(event.partition)
        return {member: sorted(parts) for member, parts in owned.items() if parts}

    def owned_twice(self, group: str) -> list[Event]:
        """When a member got what another still had."""
        owners: dict[TopicPartition, set[str]] = defaultdict(set)
        result = []
        for event in self._sorted(group):
            if event.owned:
                owners[event.partition].add(event.member)
                if len(owners[event.partition]) > 1:
                    result.append(event)
            else:
                owners[event.partition].discard(event.member)
        return result

    def _sorted(self, group: str) -> list[Event]:
        with self._lock:
            return sorted(event for event in self.events if event.group == group)


class JavaConsumers:
    """A process of Java with consumers in it; `member` is the part of their names behind `/`."""

    def __init__(self, ownership: Ownership) -> None:
        options = ["-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xshare:auto"]
        self._process = subprocess.Popen(
            [java(), *options, "-cp", assignor_jar().tests, "io.evenfleet.Consumers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self._ownership = ownership
        self._members: set[str] = set()
        self._closed: dict[str, threading.Event] = defaultdict(threading.Event)
        threading.Thread(target=self._read, daemon=True).start()

    def start(
        self, group: str, member: str, topics: Iterable[str], settings: Mapping[str, object]
    ) -> None:
        self._members.add(member)
        self._closed.pop(f"{group}/{member}", None)
        spec = [f"{key}={value}" for key, value in ({"group.id": group} | settings).items()]
        self._say("start", f"{group}/{member}", ",".join(topics), *spec)

    def rejoin(self, group: str, member: str) -> None:
        self._say("rejoin", f"{group}/{member}")

    def close(self, group: str, member: str) -> None:
        self._say("close", f"{group}/{member}")
        assert self._closed[f"{group}/{member}"].wait(WITHIN)

    def kill(self) -> None:
        """All its consumers are gone, and say good-bye to nobody."""
        self._process.kill()
        self._process.wait()
        for member in self._members:
            self._ownership.note_death(member)

    def _say(self, *words: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write("\t".join(words) + "\n")
        self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            stamp, name, what, more = line.rstrip("\n").split("\t")
            group, _, member = name.partition("/")
            match what:
                case "!":
                    self._ownership.failures.append(f"{name}: {more}")
                case ".":
                    self._closed[name].set()
                case _:
                    pairs = [item.rpartition(":") for item in more.split(",") if item]
                    partitions = [(topic, int(number)) for topic, _, number in pairs]
                    self._ownership.note(group, member, what == "+", partitions, int(stamp) / 1000)
