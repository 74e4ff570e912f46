"""The arcs by which an assignment can change, and the proof that no cycle of them improves it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.checker.negative_cycle import Arcs
from optimizer.model import IntArray

Flags = NDArray[np.bool_]
Costs = NDArray[np.signedinteger[Any]]

FAR = 2**62
"""Potential of a kind that nobody has a partition of: no step leads there."""


class ArcCosts(NamedTuple):
    """What each arc costs at one level; a single number stands for all of them.

    `gain` and `loss` are those of a pair's member getting or losing one of its kind, `more` and
    `less` those of a member's load rising or falling by one.
    """

    gain: Costs
    loss: Costs
    more: Costs
    less: Costs


class ReducedCosts(NamedTuple):
    """What is left of the costs of `ArcCosts`: of each pair's two arcs, and each member's two."""

    gain: IntArray
    loss: IntArray
    more: IntArray
    less: IntArray


class ViolatedArc(NamedTuple):
    """A step that potentials don't allow: of a pair, which gets one from another, or of a load."""

    giver: int | None
    taker: int


@dataclass(frozen=True)
class ResidualNetwork:
    """The residual network of an assignment: its arcs, and how to go round in it.

    Nodes are the kinds, the members and a pool of load. `gain` are arcs from a kind to a member,
    who gets one more partition of that kind, `loss` those back; `more` are arcs from a member to
    the pool, who thereby has one more, `less` those back. A cycle is a change of the assignment,
    and one of negative cost improves it: there is none if and only if nothing is better (Klein,
    Management Science 14, 1967).

    Potentials prove that there is none: one for each member, the pool's is 0, and a kind's is the
    least that its arcs allow. If no arc leads to a node by more than it costs, no cycle costs less
    than nothing. Arcs that lead there by just what they cost are tight; all cycles that cost
    nothing go along tight arcs, so that the next level has to look at no others.
    """

    member: IntArray
    offsets: IntArray
    gain: Flags
    loss: Flags
    more: Flags
    less: Flags

    def reduced_costs(self, costs: ArcCosts, potential: IntArray) -> ReducedCosts:
        """What is left of each arc's cost when its ends' potentials are taken off."""
        of_member = potential[self.member]
        left = np.where(self.loss, of_member + costs.loss, FAR)
        starts = self.offsets[:-1]
        of_kind = left
        if len(left):
            of_kind = np.minimum.reduceat(left, starts).repeat(self.offsets[1:] - starts)
        return ReducedCosts(
            gain=of_kind + costs.gain - of_member,
            loss=left - of_kind,
            more=potential + costs.more,
            less=costs.less - potential,
        )

    def violated_arc(self, reduced: ReducedCosts) -> ViolatedArc | None:
        """A step of less than no length, or None: then no cycle costs less than nothing."""
        wrong = self.gain & (reduced.gain < 0)
        if wrong.any():
            taker = int(wrong.argmax())
            kind = int(self.offsets.searchsorted(taker, "right")) - 1
            start, end = self.offsets[kind : kind + 2].tolist()
            return ViolatedArc(giver=start + int(reduced.loss[start:end].argmin()), taker=taker)
        wrong = (self.more & (reduced.more < 0)) | (self.less & (reduced.less < 0))
        return ViolatedArc(giver=None, taker=int(wrong.argmax())) if wrong.any() else None

    def tight(self, reduced: ReducedCosts) -> ResidualNetwork:
        """The arcs of no length only."""
        return ResidualNetwork(
            member=self.member,
            offsets=self.offsets,
            gain=self.gain & (reduced.gain == 0),
            loss=self.loss & (reduced.loss == 0),
            more=self.more & (reduced.more == 0),
            less=self.less & (reduced.less == 0),
        )

    def tight_loads(self, costs: ArcCosts, potential: IntArray) -> ResidualNetwork:
        """The tight arcs where `potential` is the same for all, and pairs cost nothing."""
        return replace(
            self,
            more=self.more & (potential == -costs.more),
            less=self.less & (potential == costs.less),
        )

    def arcs(self, costs: ArcCosts) -> Arcs:
        """The arcs and their costs, for a search; kinds come first, then members, then the pool."""
        kinds, members = len(self.offsets) - 1, len(self.more)
        kind = np.arange(kinds).repeat(np.diff(self.offsets))
        gain, loss, more, less = (
            np.flatnonzero(flags) for flags in (self.gain, self.loss, self.more, self.less)
        )
        cost = [
            np.broadcast_to(price, flags.shape)[arcs]
            for price, flags, arcs in zip(
                costs,
                (self.gain, self.loss, self.more, self.less),
                (gain, loss, more, less),
                strict=True,
            )
        ]
        pool = np.full(members, kinds + members)
        return Arcs(
            tail=np.concatenate((kind[gain], kinds + self.member[loss], kinds + more, pool[less])),
            head=np.concatenate((kinds + self.member[gain], kind[loss], pool[more], kinds + less)),
            cost=np.concatenate(cost),
            nodes=kinds + members + 1,
        )
