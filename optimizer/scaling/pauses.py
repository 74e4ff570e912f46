"""How long partitions are unread when a group changes its size, by the twin of its coordinator."""

from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from optimizer.coordinator import Parameters, rebalance_cost
from optimizer.model import Group, Member

LARGEST = 8
"""Members of the largest group that is simulated; larger ones pause as long in proportion."""

EACH = 3
"""Partitions of each member in the small group."""

DELAY_SECONDS = 3.0
"""group.initial.rebalance.delay.ms: an empty group waits so long for more members."""


class Pause(NamedTuple):
    """What one change of size costs.

    `stop` are the seconds in which nothing is read at all, `moved` those in which a partition is
    unread that goes to another member.
    """

    rebalances: int
    stop: float
    moved: float


@dataclass(frozen=True, eq=False)
class Pauses:
    """Pauses of a group whose members use `strategy`; `static`: they have instance ids.

    The protocol follows from the strategy: eager, cooperative or that of KIP-848. `parameters` are
    Kafka 4.3.1's defaults if None. Each pair of sizes is simulated once, in a small group.
    """

    strategy: str
    static: bool = False
    parameters: Parameters | None = None
    _of_sizes: dict[tuple[int, int], Pause] = field(default_factory=dict, repr=False)

    def between(self, before: int, after: int) -> Pause:
        """The pause of a change from one number of members to another."""
        if before == after or not after:
            return Pause(0, 0.0, 0.0)
        if not before:
            return Pause(1, DELAY_SECONDS, DELAY_SECONDS)
        small = _small(before, after)
        if small not in self._of_sizes:
            self._of_sizes[small] = _simulated(self.strategy, self.static, self.parameters, *small)
        return self._of_sizes[small]


def _small(before: int, after: int) -> tuple[int, int]:
    """Two sizes in the same proportion and direction, none above `LARGEST`."""
    most = max(before, after)
    if most <= LARGEST:
        return before, after
    low = max(1, min(LARGEST - 1, round(min(before, after) * LARGEST / most)))
    return (low, LARGEST) if before < after else (LARGEST, low)


@cache
def _simulated(
    strategy: str, static: bool, parameters: Parameters | None, before: int, after: int
) -> Pause:
    topic, partitions = "t", EACH * max(before, after)
    members = [
        Member(
            f"m{number}",
            [topic],
            owned=[(topic, item) for item in range(partitions) if item % before == number],
            instance_id=f"m{number}" if static else None,
        )
        for number in range(before)
    ]
    cost = rebalance_cost(
        Group({topic: partitions}, members), f"members={after}", strategy, parameters
    )
    stopped = [cost.pauses.get((topic, item), 0.0) for item in range(partitions)]
    return Pause(max(1, round(cost.rebalances)), min(stopped), max(stopped))
