"""A policy that is written down."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.model import IntArray
from optimizer.scaling import Process
from optimizer.scaling.policies import Decider, Seen


@dataclass(frozen=True)
class Scripted:
    """A size for each step of `every_seconds`."""

    sizes: tuple[int, ...]
    every_seconds: float = 60.0

    @property
    def name(self) -> str:
        return str(self.sizes)

    def first(self, processes: Sequence[Process]) -> IntArray:
        return np.full(len(processes), self.sizes[0])

    def decider(self, processes: Sequence[Process]) -> Decider:
        return _Script(self)


@dataclass(frozen=True)
class _Script:
    policy: Scripted

    def decide(self, seen: Seen) -> IntArray:
        sizes = self.policy.sizes
        at = min(round(seen.times[-1] / self.policy.every_seconds), len(sizes) - 1)
        return np.full(len(seen.members), sizes[at])
