"""From hashes of names to their indexes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from optimizer.model import IntArray


class HashCollisionError(Exception):
    """Two names of one group have one 64-bit hash."""


@dataclass(frozen=True)
class Lookup:
    """Hashes in ascending order, and the index of each one's name."""

    hashes: IntArray
    order: IntArray

    @staticmethod
    def of(hashes: IntArray) -> Lookup:
        order = np.argsort(hashes, kind="stable")
        return Lookup(hashes[order], order)

    def find(self, wanted: IntArray) -> IntArray:
        """Index of each hash, -1 where it is unknown."""
        if not len(self.order):
            return np.full(len(wanted), -1)
        at = self.hashes.searchsorted(wanted)
        at[at == len(self.order)] = 0
        return np.where(self.hashes[at] == wanted, self.order[at], -1)

    @property
    def is_unambiguous(self) -> bool:
        """Whether no two have one hash."""
        return not (self.hashes[1:] == self.hashes[:-1]).any()

    def check_unambiguous(self, names: Sequence[str]) -> None:
        """Raise HashCollisionError when two of the names, all different, have one hash."""
        same = np.flatnonzero(self.hashes[1:] == self.hashes[:-1])
        if len(same):
            a, b = self.order[same[0] : same[0] + 2].tolist()
            raise HashCollisionError(
                f"{names[a]!r} and {names[b]!r} have one 64-bit hash: rename one of them"
            )
