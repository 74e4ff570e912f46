"""The members that the group had."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from optimizer.model import IntArray
from optimizer.scaling.policies.policy import Decider, Seen
from optimizer.scaling.process import Process


@dataclass(frozen=True)
class AsItWas:
    """Each interval has the members that were recorded at its beginning."""

    name: str = "as it was"
    every_seconds: ClassVar[float] = 60.0

    def first(self, processes: Sequence[Process]) -> IntArray:
        """The members of the first interval."""
        return np.asarray(_recorded(processes)[0])

    def decider(self, processes: Sequence[Process]) -> Decider:
        """What follows the record."""
        return _Record(_recorded(processes))


def _recorded(processes: Sequence[Process]) -> IntArray:
    return np.stack([process.recorded for process in processes], axis=1)


@dataclass(frozen=True)
class _Record:
    members: IntArray

    def decide(self, seen: Seen) -> IntArray:
        return np.asarray(self.members[seen.interval])
