"""Racks of members and partitions, taken from a problem's bare facts for the checker alone."""

from __future__ import annotations

from collections import defaultdict
from itertools import count

import numpy as np

from optimizer.checker.pair_facts import PairFacts
from optimizer.model import Problem, once_a_problem


@once_a_problem
def rack_facts_of(problem: Problem, rack: str | None) -> PairFacts | None:
    """Who reads across racks, and who within one, in the meaning of `Goals.rack`.

    Where a member's rack or a partition's isn't known, neither "racks" nor "local" is true. None
    where no member or no partition has any.
    """
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
    return PairFacts(
        row_of=row.reshape(-1)[index],
        column_of=np.array([column[name or ""] for name in problem.racks or ()], np.int64),
        flags={"racks": both[:, : len(names)], "local": both[:, len(names) :]},
    )
