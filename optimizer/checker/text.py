"""What the check found, in words, for `verify` alone."""

from __future__ import annotations

import numpy as np

from optimizer.checker.counts import Counts
from optimizer.checker.residual_network import ViolatedArc
from optimizer.model import BALANCE, LEVELS, IntArray


class Sentences:
    """Sentences about an assignment."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._problem = counts.problem

    def cycle(self, level: str, nodes: list[int]) -> str:
        """The nodes of a cycle: each kind on it passes a partition from member to member."""
        kinds = self._counts.kinds.kind_count
        around = zip(nodes[-1:] + nodes, nodes, nodes[1:] + nodes[:1], strict=False)
        transfers = ", ".join(
            self._transfer(kind, self._member(giver - kinds), self._member(taker - kinds))
            for giver, kind, taker in around
            if kind < kinds
        )
        return f"{LEVELS.get(level, BALANCE).better}: {transfers}"

    def swap(self) -> str | None:
        """A member that gave up a partition and got another of the same kind, if there is one."""
        counts, problem, target = self._counts, self._problem, self._counts.target
        given_up = np.flatnonzero(counts.kept < np.minimum(counts.owned, counts.held))
        if not len(given_up):
            return None
        pair = int(given_up[0])
        of_kind = counts.kinds.kind_of == counts.kinds.kind_at(pair)
        member = counts.kinds.member[pair]
        lost = int(np.argmax(of_kind & (problem.owner == member) & (target != member)))
        instead = int(np.argmax(of_kind & (problem.owner != member) & (target == member)))
        names, better = problem.member_ids, LEVELS["moves"].better
        return (
            f"{better}: {names[member]} owns {problem.partition_name(lost)} and is given "
            f"{problem.partition_name(instead)}; {names[target[lost]]} could have that one"
        )

    def violated_arc(self, level: str, violated_arc: ViolatedArc) -> str:
        """What a certificate doesn't prove, and where."""
        names, counts = self._problem.member_ids, self._counts
        doubt = f"the certificate doesn't prove {LEVELS.get(level, BALANCE).doubt}"
        if violated_arc.giver is None:
            return f"{doubt}: its number for {names[violated_arc.taker]} doesn't fit"
        giver, taker = counts.kinds.member[violated_arc.giver], self._member(violated_arc.taker)
        partition = self._held(counts.kinds.kind_at(violated_arc.giver), int(giver))[0]
        name = self._problem.partition_name(int(partition))
        return f"{doubt}: by its numbers {name} should go from {names[giver]} to {names[taker]}"

    def _member(self, node: int) -> int:
        """The member that a node is or, if it is a cell, that is above it."""
        members = self._counts.kinds.member_count
        return node if node < members else int(self._counts.kinds.member_of_cell[node - members])

    def _transfer(self, kind: int, giver: int, taker: int) -> str:
        """Best names one that the taker owns, or that the giver does not; any of it will do."""
        problem = self._problem
        partitions = self._held(kind, giver)
        owner = problem.owner[partitions]
        best = partitions[np.argmax(2 * (owner == taker) + (owner != giver))]
        names = problem.member_ids
        return f"{problem.partition_name(int(best))} from {names[giver]} to {names[taker]}"

    def _held(self, kind: int, member: int) -> IntArray:
        kinds = self._counts.kinds
        return np.flatnonzero((kinds.kind_of == kind) & (self._counts.target == member))
