"""Whether an assignment is the best at each level: potentials prove it, or a cycle disproves it."""

from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.checker.certificate import MalformedCertificateError, decode, encode
from optimizer.checker.counts import Counts
from optimizer.checker.levels import CheckedLevel, are_settled, level_named, node_count
from optimizer.checker.residual_network import ReducedCosts, ResidualNetwork, ViolatedArc
from optimizer.model import BALANCE, LEVELS, IntArray


class Proof(NamedTuple):
    """The findings, level after level.

    `proven` has True for each level at which nothing is better, and False for the first at which
    something is, which `witness` tells; below that nothing can be said. `certificate` proves all
    levels, if they are. `fault` tells why the certificate that was given doesn't.
    """

    proven: dict[str, bool]
    witness: str | None
    certificate: bytes | None
    fault: str | None


def prove(
    counts: Counts, levels: Sequence[str], certificate: bytes | None, most: int | None = None
) -> Proof:
    """Judge the levels, one after the other; the first at which something is better ends it.

    Of plans in which nobody has more than `most`, if that is given.

    The certificate's numbers are tried first, or zeros, which do for most plans. Where they prove
    nothing, potentials or a cycle are searched for. The next level is then examined in those arcs
    alone by which this one stays as good, unless it and all after it are settled without.
    """
    proven: dict[str, bool] = {}
    by_level: list[IntArray] = []
    inputs, fault = _read_certificate(counts, len(levels), certificate)
    network = counts.residual_network(most)
    checked = [level_named(name, counts) for name in levels]
    is_settled = are_settled(checked, counts.stays)
    for number, name in enumerate(levels):
        level = _Level(counts, checked[number], network)
        numbers = inputs[number] if inputs else np.zeros(node_count(counts), np.int64)
        needs_no_proof = all(is_settled[number:]) and not any(
            of_level.any() for of_level in inputs[number:]
        )
        if not (needs_no_proof or level.is_proven_by(numbers)):
            fault = level.doubt if inputs else fault
            inputs = []
            numbers, witness = level.search()
            if witness is not None:
                return Proof({**proven, name: False}, witness, None, fault)
        if name != levels[-1]:
            network = level.tight_arcs()
        proven[name] = True
        by_level.append(numbers)
    proof = certificate if inputs else encode(by_level)
    return Proof(proven, None, proof, fault)


def _read_certificate(
    counts: Counts, levels: int, certificate: bytes | None
) -> tuple[list[IntArray], str | None]:
    """The certificate's numbers at each level, none without one; and why it can't be read."""
    if certificate is None:
        return [], None
    try:
        return decode(certificate, node_count(counts), levels), None
    except MalformedCertificateError as error:
        return [], f"the certificate can't be read: {error}"


class _Level:
    """One level of the goals, in the arcs that the levels above it leave."""

    def __init__(self, counts: Counts, level: CheckedLevel, network: ResidualNetwork) -> None:
        self._counts, self._level, self._name = counts, level, level.name
        self._network = network
        self._costs, self._start = level.arc_costs(), level.start()
        self._reduced: ReducedCosts | None = None
        self._violated: ViolatedArc | None = None

    def is_proven_by(self, numbers: IntArray) -> bool:
        """Whether a certificate's numbers prove the level."""
        if not numbers.any() and self._level.is_shown():
            return True
        self._violated = self._reduce(numbers)
        return self._violated is None and self._swap is None

    @property
    def doubt(self) -> str:
        """Why the numbers that were examined don't."""
        if self._violated:
            return _Sentences(self._counts).violated_arc(self._name, self._violated)
        return f"the certificate is one of another plan: {self._swap}"

    def search(self) -> tuple[IntArray, str | None]:
        """The numbers that prove the level, and what improves it, in words, if anything does."""
        counts, swap = self._counts, self._swap
        if swap is not None:
            return np.zeros_like(self._start), swap
        cycle, distance = self._network.search(self._costs)
        numbers = distance[counts.kinds.kind_count : -1] - distance[-1] - self._start
        # Whoever has nothing has nothing to give: 0 is as good as more. Less may be needed, where
        # the numbers given for a level above leave an idle member no arc to the pool.
        # (An idle member on a host may have to be above it: so it stands by what it got there.)
        of_members = numbers[: len(counts.loads)]
        if self._network.host is None:
            np.minimum(of_members, 0, out=of_members, where=counts.loads == 0)
        if cycle is not None:
            return numbers, _Sentences(counts).cycle(self._name, cycle)
        if self._reduce(numbers) is not None:
            raise AssertionError("a search that finds no cycle has to end in potentials")
        return numbers, None

    def tight_arcs(self) -> ResidualNetwork:
        """The arcs by which the level, now proven, stays as good."""
        if self._reduced is not None:
            return self._network.tight(self._reduced)
        if self._level.is_of_loads:
            return self._network.tight_loads(self._costs, self._start)
        return self._network

    def _reduce(self, numbers: IntArray) -> ViolatedArc | None:
        """Take potentials off the arcs' costs, and look for an arc that they don't allow."""
        self._reduced = self._network.reduced_costs(self._costs, self._start + numbers)
        return self._network.violated_arc(self._reduced)

    @cached_property
    def _swap(self) -> str | None:
        """A sentence on a swap, which counts hide: a partition given up for another like it."""
        return _Sentences(self._counts).swap() if self._name == "moves" else None


class _Sentences:
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
        """The part of the plan that a certificate doesn't prove."""
        names, counts = self._problem.member_ids, self._counts
        doubt = f"the certificate doesn't prove {LEVELS.get(level, BALANCE).doubt}"
        if violated_arc.giver is None:
            return f"{doubt}: its number for {names[violated_arc.taker]} doesn't fit"
        giver, taker = counts.kinds.member[violated_arc.giver], self._member(violated_arc.taker)
        partition = self._partitions_at(counts.kinds.kind_at(violated_arc.giver), int(giver))[0]
        name = self._problem.partition_name(int(partition))
        return f"{doubt}: by its numbers {name} should go from {names[giver]} to {names[taker]}"

    def _member(self, node: int) -> int:
        """The member that a node is or, if it is a cell, that is above it."""
        members = self._counts.kinds.member_count
        return node if node < members else int(self._counts.kinds.member_of_cell[node - members])

    def _transfer(self, kind: int, giver: int, taker: int) -> str:
        """Best names one that the taker owns, or that the giver does not; any of it will do."""
        problem = self._problem
        partitions = self._partitions_at(kind, giver)
        owner = problem.owner[partitions]
        best = partitions[np.argmax(2 * (owner == taker) + (owner != giver))]
        names = problem.member_ids
        return f"{problem.partition_name(int(best))} from {names[giver]} to {names[taker]}"

    def _partitions_at(self, kind: int, member: int) -> IntArray:
        kinds = self._counts.kinds
        return np.flatnonzero((kinds.kind_of == kind) & (self._counts.target == member))
