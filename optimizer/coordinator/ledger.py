"""Readers of partitions over time: pauses, moves, and what is read twice."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from math import inf
from types import MappingProxyType
from typing import Any, NamedTuple

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.lag import Backlog, Lag

NEVER = -1
"""Reader of a partition that nobody has read yet."""

NOBODY_READS = NEVER, 0.0, 0.0

LONG_AGO = -inf
"""Since when a member at rest has read its partitions: its last commit was before the account."""

NOTHING: Mapping[Any, Any] = MappingProxyType({})


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
    """Keeps account of every partition; members are known by numbers, times are milliseconds.

    The sums are always kept: seconds in which each partition was `unread`, the `longest_pause` in
    seconds, how often one stopped needlessly, was moved or taken over. `details` are what they are
    sums of, one by one: in a large group they take gigabytes.

    With a `backlog` it knows as well how far partitions are behind.

    A partition is in `readers` with its member, since when that reads it, and since when it was
    unread before; or in `stopped` with its last member, since when, and whether it was asked to.
    """

    def __init__(self, details: bool = True, backlog: Backlog | None = None) -> None:
        self.details = details
        self.backlog = backlog
        self.unread: dict[int, float] = defaultdict(float)
        self.longest_pause = 0.0
        self.stopped_needlessly = self.moved = self.taken_over = 0
        self.readers: dict[int, tuple[int, float, float]] = {}
        self.stopped: dict[int, tuple[int, float, bool]] = {}
        self.owner: dict[int, int] = {}
        self.pauses: list[Pause] = []
        self.readings: list[Reading] = []
        self.last: dict[tuple[int, int], tuple[float, float, float]] = {}
        self.moves: list[tuple[float, int, int, int]] = []
        self.takeovers: list[tuple[float, int, int, int]] = []
        self.read_twice: dict[int, float] = {}
        self.twice_at_once: list[tuple[float, int, int, int]] = []

    def appear(self, now: float, partitions: Iterable[int]) -> None:
        """Partitions that nobody has read so far."""
        for partition in partitions:
            if partition not in self.readers:
                self.stopped.setdefault(partition, (NEVER, now, False))

    def vanish(self, now: float, partitions: Iterable[int]) -> None:
        """Partitions that aren't there any more."""
        for partition in partitions:
            if partition in self.readers:
                self._stop(now, self.readers[partition][0], [partition])
            self.stopped.pop(partition, None)
            if self.backlog:
                self.backlog.vanish(now, partition)

    def at_rest(self, member: int, partitions: Iterable[int]) -> None:
        """A member has owned and read them since long before the account begins."""
        for partition in partitions:
            self.owner[partition] = member
            self.stopped.pop(partition, None)
            self.readers[partition] = member, LONG_AGO, LONG_AGO
        if self.backlog:
            self.backlog.start(0.0, member, dict.fromkeys(partitions, 0.0))

    def start(self, now: float, member: int, partitions: Iterable[int]) -> None:
        """A member reads them from now on."""
        readers, stopped, nobody = self.readers, self.stopped, (NEVER, now, False)
        earliest, unread_since = now, dict[int, float]()
        for partition in partitions:
            since, other = now, readers.get(partition)
            if other is None:
                before, since, asked = stopped.pop(partition, nobody)
                if since < now:
                    self.unread[partition] += (now - since) / 1000
                    earliest = min(earliest, since)
                    self.stopped_needlessly += asked and before == member
                    if self.details:
                        self.pauses.append(Pause(partition, since, now, before, member, asked))
            elif other[0] != member:
                self.twice_at_once.append((now, partition, other[0], member))
                self._stop(now, other[0], [partition])
            else:
                continue
            readers[partition] = member, now, since
            unread_since[partition] = since
        self.longest_pause = max(self.longest_pause, (now - earliest) / 1000)
        if self.backlog:
            self.backlog.start(now, member, unread_since)

    def stop(
        self,
        now: float,
        member: int,
        partitions: Iterable[int],
        *,
        in_rebalance: bool = False,
        committed: bool = False,
    ) -> None:
        """A member doesn't read them any more; what others read by now isn't touched.

        `committed`: it has just committed what it read of them, so that none is read again.
        """
        own = [
            partition
            for partition in partitions
            if self.readers.get(partition, NOBODY_READS)[0] == member
        ]
        self._stop(now, member, own, committed)
        self.stopped.update(dict.fromkeys(own, (member, now, in_rebalance)))

    def own(self, now: float, member: int, partitions: Parts, present: set[int]) -> None:
        """A member was given them; `present` are the members of the group."""
        for partition in partitions:
            before = self.owner.get(partition, NEVER)
            self.owner[partition] = member
            if before not in (NEVER, member):
                is_move = before in present
                self.moved += is_move
                self.taken_over += not is_move
                if self.details:
                    changes = self.moves if is_move else self.takeovers
                    changes.append((now, partition, before, member))

    def reread(self, now: float, member: int, partitions: Iterable[int], commit: float) -> None:
        """Count as read twice what a member read of partitions after a commit at that time.

        Its own reading counts, which may have ended before now: while it is blocked it reads
        nothing, and what others read meanwhile is theirs. Without a commit since it began to read,
        so does what had come in before: it read that first.
        """
        for partition in partitions:
            reader, start, unread_since = self.readers.get(partition, (NEVER, now, now))
            end = now
            if reader != member:
                nothing = start, start, start
                start, end, unread_since = self.last.get((partition, member), nothing)
            since = commit if commit > start else unread_since
            if end > max(since, start):
                self.read_twice[partition] = self.read_twice.get(partition, 0) + end - since
                if self.backlog:
                    reads = reader if reader != NEVER else None
                    self.backlog.read_again(now, reads, partition, (end - since) / 1000)

    def end(self, now: float, unread: Mapping[int, float] = NOTHING) -> Lag | None:
        """Close the account; these are unread since then. How far partitions were behind."""
        lag = self.backlog.end(now, unread) if self.backlog else None
        self._close(now, [*self.readers])
        return lag

    def _stop(
        self, now: float, member: int, partitions: Sequence[int], committed: bool = False
    ) -> None:
        self._close(now, partitions, committed)
        if self.backlog and partitions:
            self.backlog.stop(now, member, partitions)

    def _close(self, now: float, partitions: Sequence[int], committed: bool = False) -> None:
        forget = committed and bool(self.last)
        for partition in partitions:
            member, since, unread_since = self.readers.pop(partition)
            if forget:
                self.last.pop((partition, member), None)
            elif not committed and now > since:
                self.last[partition, member] = since, now, unread_since
            if self.details and now > (start := max(since, 0.0)):
                self.readings.append(Reading(partition, member, start, now))
