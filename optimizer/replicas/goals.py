"""What is wanted of a plan of replicas, in which order."""

from collections.abc import Mapping
from dataclasses import dataclass, field

BALANCE, TOPICS, COPIES, BYTES = "balance", "topics", "copies", "bytes"
LEVELS = (BALANCE, TOPICS, COPIES, BYTES)


class ReplicaGoalsError(ValueError):
    """Goals that contradict themselves."""


@dataclass(frozen=True)
class ReplicaGoals:
    """Racks always come first; then these levels, each kept at its best while the next improves.

    `balance`, `topics`, `copies` and `bytes` are the levels of this module; one of the last two is
    there. After the replicas, leaders: least Σ leaders² of brokers (where `topics` comes before
    `balance`, of each topic first), then leaders in the rack that `leader_racks` names for a
    partition, then the fewest changes of preferred leaders. `leaders_only` leaves replicas where
    they are. `most_copies`: the largest number, for which balance gives way.
    """

    levels: tuple[str, ...] = (BALANCE, COPIES)
    leaders_only: bool = False
    leader_racks: Mapping[tuple[str, int], str] = field(default_factory=dict)
    most_copies: int | None = None

    def __post_init__(self) -> None:
        unknown = [level for level in self.levels if level not in LEVELS]
        if unknown:
            raise ReplicaGoalsError(
                f"unknown level {unknown[0]!r}: choose one of {', '.join(LEVELS)}"
            )
        if len(set(self.levels)) < len(self.levels):
            raise ReplicaGoalsError(f"a level is there twice: {', '.join(self.levels)}")
        if BALANCE not in self.levels:
            raise ReplicaGoalsError(f"the levels lack {BALANCE!r}")
        if (COPIES in self.levels) + (BYTES in self.levels) != 1:
            raise ReplicaGoalsError(f"the levels have either {COPIES!r} or {BYTES!r}")
        if self.most_copies is None:
            return
        if self.most_copies < 0:
            raise ReplicaGoalsError(
                f"the limit of copies is {self.most_copies} and must be 0 or more"
            )
        if self.levels != (BALANCE, COPIES):
            raise ReplicaGoalsError(
                f"a limit of copies is for the levels {BALANCE}, {COPIES}, not for "
                f"{', '.join(self.levels)}"
            )

    @property
    def spreads_topics_first(self) -> bool:
        """Whether each topic is even over brokers before the cluster is."""
        return TOPICS in self.levels[: self.levels.index(BALANCE)]
