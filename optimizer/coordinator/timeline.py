"""What a run came to: its account, and the figures that people decide by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.ledger import Pause, Reading
from optimizer.coordinator.world import Generation, Happening, MemberState, Target

Partition = tuple[str, int]


@dataclass(frozen=True)
class Timeline:
    """One run of a scenario; times are milliseconds from its start, figures in seconds.

    Partitions are numbers into `partitions`, readers are numbers into `lives`: the member's name of
    each life of a process. `generations` are those of the classic protocol, `epochs` and `targets`
    those of KIP-848, whose members' states are in `member_states`. `final` is what the
    members of the group have at the end by the coordinator's account; `stable` tells whether the
    group was at rest then.
    """

    partitions: Sequence[Partition]
    lives: Sequence[str]
    start: float
    end: float
    stable: bool
    happenings: Sequence[Happening]
    generations: Sequence[Generation]
    epochs: Sequence[tuple[float, int]]
    targets: Sequence[Target]
    member_states: Sequence[MemberState]
    pauses: Sequence[Pause]
    unread_at_end: Mapping[int, float]
    readings: Sequence[Reading]
    moves: Sequence[tuple[float, int, int, int]]
    takeovers: Sequence[tuple[float, int, int, int]]
    overlaps: Sequence[tuple[float, int, int, int]]
    reread: Mapping[int, float]
    rates: Mapping[int, float]
    final: Mapping[str, Parts]

    @property
    def rebalances(self) -> int:
        """Generations, or target assignments under KIP-848."""
        return len(self.generations) + len(self.targets)

    @cached_property
    def unread(self) -> dict[Partition, float]:
        """Seconds in which nobody read a partition, of those that were unread at all."""
        seconds: dict[int, float] = defaultdict(float)
        for pause in self.pauses:
            seconds[pause.partition] += (pause.end - pause.start) / 1000
        for partition, since in self.unread_at_end.items():
            seconds[partition] += (self.end - since) / 1000
        return {self.partitions[one]: seconds[one] for one in sorted(seconds) if seconds[one] > 0}

    @cached_property
    def unread_seconds(self) -> float:
        """Partition-seconds in which partitions were unread."""
        return sum(self.unread.values())

    @cached_property
    def longest_pause(self) -> float:
        """Seconds of the longest time in which one partition was unread."""
        pauses = [(pause.end - pause.start) / 1000 for pause in self.pauses]
        return max(
            [*pauses, *((self.end - t) / 1000 for t in self.unread_at_end.values())], default=0
        )

    @property
    def stopped_needlessly(self) -> int:
        """How often a partition stopped for a rebalance and went on with the same member."""
        return sum(pause.in_rebalance and pause.before == pause.after for pause in self.pauses)

    @property
    def moved(self) -> int:
        """How often a partition changed hands whose owner was in the group still."""
        return len(self.moves)

    @property
    def taken_over(self) -> int:
        """How often a partition changed hands whose owner had left."""
        return len(self.takeovers)

    @property
    def seconds_read_twice(self) -> float:
        """Partition-seconds that are read again, since they weren't committed."""
        return sum(self.reread.values()) / 1000

    @property
    def records_read_twice(self) -> float | None:
        """The same in records; None where no rates are known."""
        if not self.rates:
            return None
        return sum(self.rates.get(one, 0) * ms / 1000 for one, ms in self.reread.items())

    @property
    def records_waited(self) -> float | None:
        """Records that came in while their partition was unread; None where no rates are known."""
        if not self.rates:
            return None
        number = {name: at for at, name in enumerate(self.partitions)}
        return sum(self.rates.get(number[one], 0) * s for one, s in self.unread.items())
