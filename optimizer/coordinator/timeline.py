"""What a run came to: its account, and the figures that people decide by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.context import Generation, LogEntry, MemberState, Target
from optimizer.coordinator.lag import Lag
from optimizer.coordinator.ledger import Pause, Reading

Partition = tuple[str, int]


@dataclass(frozen=True)
class Timeline:
    """One run of a scenario; times are milliseconds from its start, figures in seconds.

    Partitions are numbers into `partitions`, readers are numbers into `lives`: the member's name of
    each life of a process. `generations` are those of the classic protocol, `epochs` and `targets`
    those of KIP-848, whose members' states are in `member_states`. `final` is what the
    members of the group have at the end by the coordinator's account; `stable` tells whether the
    group was at rest then. Partitions `stopped_needlessly` for a rebalance went on with the same
    member, so often; `moved` ones changed hands although their owner was in the group still, and
    `taken_over` ones because it had left. `rebalances` are generations, or target assignments under
    KIP-848. `lag` is None unless rates and what a member can read are known. Without details the
    sequences are empty, but for `happenings` that are errors.
    """

    partitions: Sequence[Partition]
    lives: Sequence[str]
    start: float
    end: float
    stable: bool
    happenings: Sequence[LogEntry]
    generations: Sequence[Generation]
    epochs: Sequence[tuple[float, int]]
    targets: Sequence[Target]
    member_states: Sequence[MemberState]
    rebalances: int
    unread_before_end: Mapping[int, float]
    longest_pause_before_end: float
    stopped_needlessly: int
    moved: int
    taken_over: int
    pauses: Sequence[Pause]
    unread_at_end: Mapping[int, float]
    readings: Sequence[Reading]
    moves: Sequence[tuple[float, int, int, int]]
    takeovers: Sequence[tuple[float, int, int, int]]
    overlaps: Sequence[tuple[float, int, int, int]]
    reread: Mapping[int, float]
    rates: Mapping[int, float]
    lag: Lag | None
    final: Mapping[str, Parts]

    @cached_property
    def unread(self) -> dict[Partition, float]:
        """Seconds in which nobody read a partition, of those that were unread at all."""
        seconds = defaultdict(float, self.unread_before_end)
        for partition, since in self.unread_at_end.items():
            seconds[partition] += (self.end - since) / 1000
        return {
            self.partitions[item]: seconds[item] for item in sorted(seconds) if seconds[item] > 0
        }

    @cached_property
    def unread_seconds(self) -> float:
        """Partition-seconds in which partitions were unread."""
        return sum(self.unread.values())

    @cached_property
    def longest_pause(self) -> float:
        """Seconds of the longest time in which one partition was unread."""
        at_end = ((self.end - since) / 1000 for since in self.unread_at_end.values())
        return max([self.longest_pause_before_end, *at_end])

    @property
    def seconds_read_twice(self) -> float:
        """Partition-seconds that are read again, since they weren't committed."""
        return sum(self.reread.values()) / 1000

    @property
    def records_read_twice(self) -> float | None:
        """The same in records; None where no rates are known."""
        if not self.rates:
            return None
        return sum(self.rates.get(item, 0) * ms / 1000 for item, ms in self.reread.items())

    @property
    def records_waited(self) -> float | None:
        """Records that came in while their partition was unread; None where no rates are known."""
        if not self.rates:
            return None
        number = {name: at for at, name in enumerate(self.partitions)}
        return sum(self.rates.get(number[item], 0) * s for item, s in self.unread.items())
