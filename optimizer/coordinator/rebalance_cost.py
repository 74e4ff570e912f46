"""What pause one rebalance costs a group, under each strategy and so each protocol."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import fmean

from optimizer.coordinator.simulate_events import simulate_events
from optimizer.model import Group
from optimizer.scenarios import Event, event_of
from optimizer.settings import Parameters

SEEDS = 5
"""Runs that are averaged by default: phases of heartbeats are random."""


@dataclass(frozen=True)
class RebalanceCost:
    """Means over several runs of one event; times are seconds.

    `pauses` are how long each partition went unread, of those that did at all; `settled` is how
    long it takes from the event until the group is at rest.
    """

    rebalances: float
    moved: float
    longest_pause: float
    settled: float
    pauses: Mapping[tuple[str, int], float]

    @property
    def unread_seconds(self) -> float:
        """Partition-seconds in which partitions were unread."""
        return sum(self.pauses.values())


def rebalance_cost(
    group: Group,
    event: Event | str,
    strategy: str,
    parameters: Parameters | None = None,
    seeds: int = SEEDS,
) -> RebalanceCost:
    """What one event, such as `members=6`, costs a group at rest whose members use `strategy`.

    The strategy says which protocol they speak: eager (`range`), cooperative
    (`cooperative-sticky`) or that of KIP-848 (`uniform`). Members with an instance id are static.
    `parameters` are how members and broker are configured, Kafka 4.3.1's defaults if None.

    Raises EventError for an event that makes no sense, NotApplicableError (one of these) for one
    that the group can't have, StrategyError for a strategy that refuses the group.
    """
    happening = event_of(event) if isinstance(event, str) else event
    configured = (parameters or Parameters()).using(strategy, own=False)
    runs = [
        simulate_events(group, [happening], configured, f"seed {seed}").timeline
        for seed in range(seeds)
    ]
    unread: Counter[tuple[str, int]] = Counter()
    for run in runs:
        unread.update(run.unread)
    return RebalanceCost(
        rebalances=fmean(run.rebalances for run in runs),
        moved=fmean(run.moved for run in runs),
        longest_pause=fmean(run.longest_pause for run in runs),
        settled=fmean(run.end / 1000 for run in runs),
        pauses={partition: seconds / seeds for partition, seconds in sorted(unread.items())},
    )
