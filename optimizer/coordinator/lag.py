"""How far partitions fall behind: records come in all the time, and members read what they can.

Lag is a fluid: a partition's records come in at a steady rate, and the member that reads it takes
them as fast as it can. Between changes of who reads what it is linear, so that nothing is sampled.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from math import inf
from types import MappingProxyType
from typing import NamedTuple

from optimizer.model import Group

NOTHING: Mapping[int, float] = MappingProxyType({})

NONE_LEFT = 1e-9
"""Fewer records than this are none."""

LONGEST_CATCH_UP = 365 * 24 * 3_600.0
"""Seconds. What needs longer never catches up: a member that reads just what comes in would take
as long as the rounding of its rate allows."""


class PartitionLag(NamedTuple):
    """The most that a partition was behind, in records and in seconds of what comes in (if any).

    `catch_up` are the most seconds from when a member, the `reader`, read it again until nothing
    was left; None: that never happens, or takes more than a year.
    """

    records: float
    seconds: float
    catch_up: float | None
    reader: int | None


class Lag(NamedTuple):
    """Lag of a run's group: `course` are times (ms) and records, with lines between.

    The course goes on after the run until all is read that ever will be.
    """

    partitions: Mapping[int, PartitionLag]
    course: Sequence[tuple[float, float]]

    @property
    def records(self) -> float:
        """The most that the group was behind at one time."""
        return max((records for _, records in self.course), default=0.0)

    @property
    def seconds(self) -> float:
        """The most that one partition was behind."""
        return max((partition.seconds for partition in self.partitions.values()), default=0.0)

    @property
    def catch_up(self) -> float | None:
        """The longest time that a partition takes to catch up; None if one never does."""
        times = [partition.catch_up for partition in self.partitions.values()]
        return None if None in times else max((time for time in times if time), default=0.0)

    @property
    def never(self) -> int:
        """Partitions that never catch up."""
        return sum(partition.catch_up is None for partition in self.partitions.values())


def catch_up_seconds(records: float, spare: float) -> float | None:
    """How long a lag lasts if `spare` records a second more are read than come in.

    None: for ever, or more than a year.
    """
    seconds = records / spare if spare > 0 else inf
    return seconds if seconds < LONGEST_CATCH_UP else None


def peak_rate_of(
    group: Group, rates: Mapping[str, Sequence[float]], seen: float | None
) -> float | None:
    """Rate that a member can read, if all that is known is the most that one was `seen` to.

    That says so only where the busiest member of the group has less to read now; None elsewhere.
    """
    if seen is None:
        return None
    loads = (
        sum(rates[topic][number] for topic, number in member.owned if topic in rates)
        for member in group.members
    )
    return seen if seen > max(loads, default=0.0) else None


@dataclass
class _LagReader:
    """Partitions of a member; `behind`: since when it has been catching up with which of them.

    Its lag is known up to the time `at`.
    """

    at: float
    partitions: set[int] = field(default_factory=set)
    behind: dict[int, float] = field(default_factory=dict)


class Backlog:
    """The lag of every partition; times are milliseconds, rates records a second.

    `rate_of` is what comes in to a partition, `peak_rate` what a member can read of all that it
    has: those of its partitions that are behind share equally what the others leave of it
    (max-min fair, as fetched records are handed out in turn). `lag` are records behind at time 0.
    """

    def __init__(
        self, rate_of: Callable[[int], float], peak_rate: float, lag: Mapping[int, float] = NOTHING
    ) -> None:
        self.rate_of, self.peak_rate = rate_of, peak_rate
        self.records: dict[int, float] = defaultdict(float)
        self.readers: dict[int, _LagReader] = {}
        self.largest: dict[int, float] = {}
        self.slowest: dict[int, tuple[float, int]] = {}
        self.slopes: dict[float, float] = defaultdict(float)
        self.jumps: dict[float, float] = defaultdict(float)
        for partition, records in lag.items():
            self._add(0.0, partition, records)

    def start(self, now: float, member: int, unread_since: Mapping[int, float]) -> None:
        """A member reads these, each of them unread since then."""
        reader = self.readers.setdefault(member, _LagReader(now))
        self._advance(reader, member, now)
        for partition, since in unread_since.items():
            self._grow(partition, since, now, self.rate_of(partition))
            reader.partitions.add(partition)
            if self.records[partition] > NONE_LEFT:
                reader.behind[partition] = now

    def stop(self, now: float, member: int, partitions: Iterable[int]) -> None:
        """A member doesn't read these any more."""
        reader = self.readers[member]
        self._advance(reader, member, now)
        for partition in partitions:
            reader.partitions.discard(partition)
            reader.behind.pop(partition, None)

    def read_again(self, now: float, member: int | None, partition: int, seconds: float) -> None:
        """Count the records of `seconds` as unread: they weren't committed.

        `member` reads it at present, None if nobody does.
        """
        more = self.rate_of(partition) * seconds
        if member is not None and more:
            self._advance(self.readers[member], member, now)
            self.readers[member].behind.setdefault(partition, now)
        self._add(now, partition, more)

    def vanish(self, now: float, partition: int) -> None:
        """Take out a partition that is gone, with its unread records: nobody reads it any more."""
        self._add(now, partition, -self.records[partition])

    def end(self, now: float, unread_since: Mapping[int, float]) -> Lag:
        """Close the account: these are unread since then, and the members go on as they are.

        What else nobody reads belongs to topics that are gone, or that nobody subscribes to.
        """
        late: set[int] = set()
        read: set[int] = set()
        for member, reader in self.readers.items():
            self._advance(reader, member, inf)
            late.update(reader.behind)
            read |= reader.partitions
        for partition in self.records.keys() - read - unread_since.keys():
            self.vanish(now, partition)
        for partition, since in unread_since.items():
            self._grow(partition, since, now, self.rate_of(partition))
            late.add(partition)
        return Lag(
            {
                partition: self._of_partition(partition, partition in late)
                for partition in sorted(self.largest)
            },
            self._course(),
        )

    def _of_partition(self, partition: int, late: bool) -> PartitionLag:
        records, rate = self.largest[partition], self.rate_of(partition)
        catch_up, reader = self.slowest.get(partition, (0.0, None))
        seconds = records / rate if rate else 0.0
        return PartitionLag(records, seconds, None if late else catch_up, reader)

    def _course(self) -> list[tuple[float, float]]:
        course, records, slope, before = [(0.0, 0.0)], 0.0, 0.0, 0.0
        for time in sorted({*self.slopes, *self.jumps}):
            records += slope * (time - before) / 1000
            course.append((time, max(records, 0.0)))
            if time in self.jumps:
                records += self.jumps[time]
                course.append((time, max(records, 0.0)))
            slope, before = slope + self.slopes.get(time, 0.0), time
        return course

    def _advance(self, reader: _LagReader, member: int, until: float) -> None:
        """Let a member read up to a time; for good, as far as its lag shrinks to nothing."""
        while reader.at < until:
            share = self._share(reader)
            for partition in reader.partitions - reader.behind.keys():
                if self.rate_of(partition) > share:
                    reader.behind[partition] = reader.at
            spare = {partition: share - self.rate_of(partition) for partition in reader.behind}
            ends = {
                partition: reader.at + needed * 1000
                for partition, more in spare.items()
                if (needed := catch_up_seconds(self.records[partition], more)) is not None
            }
            then = min([until, *ends.values()])
            if then == inf:
                return
            for partition, more in spare.items():
                self._grow(partition, reader.at, then, -more)
            for partition, end in ends.items():
                if end <= then:
                    self._caught_up(reader, member, partition, then)
            reader.at = then

    def _caught_up(self, reader: _LagReader, member: int, partition: int, now: float) -> None:
        seconds = (now - reader.behind.pop(partition)) / 1000
        self.slowest[partition] = max(self.slowest.get(partition, (0.0, member)), (seconds, member))
        self.records[partition] = 0.0

    def _share(self, reader: _LagReader) -> float:
        """Records a second that each partition can get that is behind."""
        left, behind = self.peak_rate, len(reader.behind)
        others = sorted(
            self.rate_of(partition) for partition in reader.partitions - reader.behind.keys()
        )
        for done, (rate, total) in enumerate(zip(others, accumulate(others), strict=True)):
            share = left / (behind + len(others) - done)
            if rate > share:
                return share
            left = self.peak_rate - total
        return left / behind if behind else inf

    def _grow(self, partition: int, start: float, end: float, slope: float) -> None:
        """A partition's lag grows, or shrinks, by this number of records a second."""
        if end > start and slope:
            self.slopes[start] += slope
            self.slopes[end] -= slope
            self._set(partition, self.records[partition] + slope * (end - start) / 1000)

    def _add(self, now: float, partition: int, records: float) -> None:
        if records:
            self.jumps[now] += records
            self._set(partition, self.records[partition] + records)

    def _set(self, partition: int, records: float) -> None:
        self.records[partition] = max(records, 0.0)
        self.largest[partition] = max(self.largest.get(partition, 0.0), records)
