"""Who reads which partition when: pauses, moves, and what is read twice."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from optimizer.coordinator.assignors import Parts

NEVER = -1
"""Reader of a partition that nobody has read yet."""


class Pause(NamedTuple):
    """A time in which nobody read a partition; readers are numbers of members, -1: none.

    `in_rebalance`: the reader gave it up because it was asked to.
    """

    partition: int
    start: float
    end: float
    before: int
    after: int
    in_rebalance: bool


class Reading(NamedTuple):
    """A time in which a member read a partition."""

    partition: int
    member: int
    start: float
    end: float


class Ledger:
    """Keeps account of every partition; members are known by numbers, times are milliseconds."""

    def __init__(self) -> None:
        self.readers: dict[int, tuple[int, float]] = {}
        self.stopped: dict[int, tuple[int, float]] = {}
        self.in_rebalance: set[int] = set()
        self.owner: dict[int, int] = {}
        self.pauses: list[Pause] = []
        self.readings: list[Reading] = []
        self.last: dict[tuple[int, int], Reading] = {}
        self.begun: dict[tuple[int, int], float] = {}
        self.moved: list[tuple[float, int, int, int]] = []
        self.taken_over: list[tuple[float, int, int, int]] = []
        self.read_twice: dict[int, float] = {}
        self.twice_at_once: list[tuple[float, int, int, int]] = []

    def appear(self, now: float, partitions: Iterable[int]) -> None:
        """Partitions that nobody has read so far."""
        for partition in partitions:
            if partition not in self.readers:
                self.stopped.setdefault(partition, (NEVER, now))

    def vanish(self, now: float, partitions: Iterable[int]) -> None:
        """Partitions that aren't there any more."""
        for partition in partitions:
            if partition in self.readers:
                self._close(now, partition)
            self.stopped.pop(partition, None)

    def start(self, now: float, member: int, partitions: Iterable[int]) -> None:
        """A member reads them from now on."""
        for partition in partitions:
            other = self.readers.get(partition)
            if other is not None:
                if other[0] == member:
                    continue
                self.twice_at_once.append((now, partition, other[0], member))
                self._close(now, partition)
            before, since = self.stopped.pop(partition, (NEVER, now))
            if other is None:
                asked = partition in self.in_rebalance
                self.in_rebalance.discard(partition)
                if now > since:
                    self.pauses.append(Pause(partition, since, now, before, member, asked))
            self.readers[partition] = member, now
            self.begun[partition, member] = since if other is None else now

    def stop(
        self, now: float, member: int, partitions: Iterable[int], *, in_rebalance: bool = False
    ) -> None:
        """A member doesn't read them any more; what others read by now isn't touched."""
        for partition in partitions:
            reader = self.readers.get(partition)
            if reader is not None and reader[0] == member:
                self._close(now, partition)
                self.stopped[partition] = member, now
                if in_rebalance:
                    self.in_rebalance.add(partition)

    def own(self, now: float, member: int, partitions: Parts, present: set[int]) -> None:
        """A member was given them; `present` are the members of the group."""
        for partition in partitions:
            before = self.owner.get(partition, NEVER)
            self.owner[partition] = member
            if before not in (NEVER, member):
                change = now, partition, before, member
                (self.moved if before in present else self.taken_over).append(change)

    def reread(self, now: float, member: int, partitions: Iterable[int], commit: float) -> None:
        """What a member read of them after a commit at that time will be read again.

        Its own reading counts, which may have ended before now: while it is blocked it reads
        nothing, and what others read meanwhile is theirs. Without a commit since it began to read,
        so does what had come in before: it read that first.
        """
        for partition in partitions:
            reader, since = self.readers.get(partition, (NEVER, now))
            reading = Reading(partition, reader, since, now)
            if reader != member:
                reading = self.last.get((partition, member), reading._replace(end=since))
            if commit <= reading.start:
                commit = self.begun.get((partition, member), reading.start)
            if reading.end > max(commit, reading.start):
                self.read_twice[partition] = (
                    self.read_twice.get(partition, 0) + reading.end - commit
                )

    def end(self, now: float) -> None:
        """Close the account."""
        for partition in [*self.readers]:
            self._close(now, partition)

    def _close(self, now: float, partition: int) -> None:
        member, since = self.readers.pop(partition)
        if now > since:
            reading = Reading(partition, member, since, now)
            self.readings.append(reading)
            self.last[partition, member] = reading
