"""Racks of members and partitions, taken from a problem's bare facts for `verify` alone."""

from collections import defaultdict
from dataclasses import dataclass
from itertools import count

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Problem, once_a_problem


@dataclass(frozen=True)
class RackFacts:
    """Who is where.

    `rack_place_of` has a row of `remote` and `local` for each partition, `rack_of` a column for
    each member. They tell whether the member reads the partition across racks, or within its own;
    where either isn't known, neither is true.
    """

    rack_place_of: IntArray
    rack_of: IntArray
    remote: NDArray[np.bool_]
    local: NDArray[np.bool_]


@once_a_problem
def rack_facts_of(problem: Problem, rack: str | None) -> RackFacts | None:
    """Facts in the meaning of `Goals.rack`; None where no member or no partition has any."""
    stated = problem.leader_racks if rack == "leader" else problem.replica_racks
    if rack is None or stated is None or not any(problem.racks or ()):
        return None
    names = sorted({name or "" for name in problem.racks or ()})
    column = {name: index for index, name in enumerate(names)}
    distinct: defaultdict[str | tuple[str, ...] | None, int] = defaultdict(count().__next__)
    index = np.fromiter(map(distinct.__getitem__, stated), np.int64, len(stated))
    near = [{some} if isinstance(some, str) else set(some or ()) for some in distinct]
    tables = [[name in some and name != "" for name in names] for some in near]
    local = np.array(tables, np.bool_).reshape(len(near), len(names))
    known = [[any(some) and name != "" for name in names] for some in near]
    remote = np.array(known, np.bool_).reshape(local.shape) & ~local
    both, row = np.unique(np.hstack((remote, local)), axis=0, return_inverse=True)
    return RackFacts(
        rack_place_of=row.reshape(-1)[index],
        rack_of=np.array([column[name or ""] for name in problem.racks or ()], np.int64),
        remote=both[:, : len(names)],
        local=both[:, len(names) :],
    )
