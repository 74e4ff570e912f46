"""Members that nothing decides: those that the group had, or the same number all the time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optimizer.model import IntArray
from optimizer.scaling.policies.evenfleet import HEADROOM, UsefulSizes
from optimizer.scaling.policies.policy import Decider, PolicyError, Signals
from optimizer.scaling.process import Process


@dataclass(frozen=True)
class AsItWas:
    """Each interval has the members that were recorded at its beginning."""

    name: str = "as it was"
    every_seconds: ClassVar[float] = 60.0

    def first(self, processes: Sequence[Process]) -> IntArray:
        """The members of the first interval."""
        return np.asarray(_recorded_sizes(processes)[0])

    def decider(self, processes: Sequence[Process]) -> Decider:
        """A decider that follows the record."""
        return _Record(_recorded_sizes(processes))


def _recorded_sizes(processes: Sequence[Process]) -> IntArray:
    return np.stack([process.recorded for process in processes], axis=1)


@dataclass(frozen=True)
class _Record:
    members: IntArray

    def decide(self, seen: Signals) -> IntArray:
        return np.asarray(self.members[seen.interval])


@dataclass(frozen=True)
class Fixed:
    """`members` all the time; None: what the highest rate of all the time needs, in hindsight.

    That is the fewest members of which none has more to do than `headroom` × its peak rate, or
    somewhat more where heavy partitions would take many members for that (`UsefulSizes`).
    """

    members: int | None = None
    headroom: float = HEADROOM
    name: str = ""
    every_seconds: ClassVar[float] = 3600.0

    def __post_init__(self) -> None:
        if self.members is not None and self.members < 1:
            raise PolicyError(f"policy fixed needs 1 member or more, not {self.members}")
        number = "" if self.members is None else f" {self.members}"
        object.__setattr__(self, "name", self.name or f"fixed{number}")

    def first(self, processes: Sequence[Process]) -> IntArray:
        """The number of each group."""
        if self.members is not None:
            return np.full(len(processes), self.members)
        highest = np.array([process.total.max(initial=0.0) for process in processes])
        return UsefulSizes(processes, self.headroom).at_rates(highest)

    def decider(self, processes: Sequence[Process]) -> Decider | None:
        """Nothing is ever decided."""
        return None
