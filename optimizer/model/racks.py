"""Who reads which partition within a rack, and who across racks, for the solver."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model.arrays import IntArray
from optimizer.model.measures import Reads
from optimizer.model.problem import Problem, once_a_problem

NO_RACK = -1
"""Rack of a member that names none."""


class RackTable(NamedTuple):
    """Partitions with the same rack facts have a place in common.

    `rack_place_of` has the place of each partition, `rack_of` a rack or NO_RACK for each member;
    `remote[place, rack]` tells whether a member of that rack reads there across racks. Its last
    column, which NO_RACK points to, says no; so does the row of the place that isn't known, which
    is no place in `known`.
    """

    rack_place_of: IntArray
    rack_of: IntArray
    remote: NDArray[np.bool_]
    known: NDArray[np.bool_]

    def reads(self, target: IntArray) -> Reads:
        """Count the reads of an assignment."""
        read = target >= 0
        place, rack = self.rack_place_of[read], self.rack_of[target[read]]
        remote = int(np.count_nonzero(self.remote[place, rack]))
        known = int(np.count_nonzero(self.known[place] & (rack != NO_RACK)))
        return Reads(local=known - remote, remote=remote)


@once_a_problem
def rack_table_of(problem: Problem, rack: str | None) -> RackTable | None:
    """The rack facts of a problem in the meaning of `Goals.rack`; None where there are none."""
    if rack is None:
        return None
    stated = problem.leader_racks if rack == "leader" else problem.replica_racks
    if stated is None or problem.racks is None or not any(problem.racks):
        return None
    number: dict[str, int] = {}
    rack_of = [number.setdefault(r, len(number)) if r else NO_RACK for r in problem.racks]
    place: defaultdict[str | tuple[str, ...] | None, int] = defaultdict(count().__next__)
    rack_place_of = np.fromiter(map(place.__getitem__, stated), np.int64, len(stated))
    remote = np.zeros((len(place), len(number) + 1), np.bool_)
    for row, facts in zip(remote, place, strict=True):
        racks = [r for r in _racks(facts) if r]
        row[:-1] = bool(racks)
        row[[number[r] for r in racks if r in number]] = False
    known = np.array([any(_racks(facts)) for facts in place], np.bool_)
    return RackTable(rack_place_of, np.array(rack_of, np.int64), remote, known)


def _racks(facts: str | tuple[str, ...] | None) -> Sequence[str | None]:
    return facts if isinstance(facts, tuple) else (facts,)
