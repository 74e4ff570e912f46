"""The members that the group had."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optimizer.model import IntArray
from optimizer.scaling.policies.policy import Decider, Seen, recorded_first
from optimizer.scaling.process import Process

MANY = 1_000_000


@dataclass(frozen=True)
class AsItWas:
    """Each interval has the members that were recorded at its beginning."""

    name: str = "as it was"
    every_seconds: ClassVar[float] = 60.0

    def first(self, processes: Sequence[Process]) -> IntArray:
        """The members of the first interval."""
        return recorded_first(processes, 0, MANY)

    def decider(self, processes: Sequence[Process]) -> Decider:
        """What follows the record."""
        return _Record(np.array([process.recorded for process in processes], np.int64).T)


@dataclass(frozen=True)
class _Record:
    members: IntArray

    def decide(self, seen: Seen) -> IntArray:
        return np.asarray(self.members[seen.interval])
