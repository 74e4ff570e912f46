"""The arcs by which an assignment can change, and the proof that no cycle of them improves it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.checker.negative_cycle import Arcs, Search, search
from optimizer.model import IntArray

Flags = NDArray[np.bool_]

FREE: NDArray[np.int64] = np.zeros(1, np.int64)
"""Cost of arcs that cost nothing."""
Costs = NDArray[np.signedinteger[Any]]

FAR = 2**62
"""Potential of a kind that nobody has a partition of: no step leads there."""


class ArcCosts(NamedTuple):
    """What each arc costs at one level; a single number stands for all of them.

    `gain` and `loss` are those of a pair's member getting or losing one of its kind, `more` and
    `less` those of a member's load rising or falling by one, and `up` and `down` those of what it
    has of a topic doing so.
    """

    gain: Costs
    loss: Costs
    more: Costs = FREE
    less: Costs = FREE
    up: Costs = FREE
    down: Costs = FREE


class ReducedCosts(NamedTuple):
    """What is left of the costs of `ArcCosts`: of each pair's arcs, each member's, each cell's."""

    gain: IntArray
    loss: IntArray
    more: IntArray
    less: IntArray
    up: IntArray
    down: IntArray


class ViolatedArc(NamedTuple):
    """A step that potentials don't allow: of a pair, which gets one from another, or of a member.

    Without a giver, the taker is a member: its own number is wrong, or that of one of its cells.
    """

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

    Where several kinds are of one topic and topics are to be spread, a cell, which is a topic and a
    member, is a node between those kinds and that member: `up` are arcs from cells to their members
    and `down` those back. `taker` has the node of each pair, a member or a cell, cells numbered
    after the members, and `member_of_cell` the member of each cell.

    Potentials prove that there is none: one for each member, and then for each cell; the pool's is
    0, and a kind's is the least that its arcs allow. If no arc leads to a node by more than it
    costs, no cycle costs less than nothing. Arcs that lead there by just what they cost are tight;
    all cycles that cost nothing go along tight arcs, so that the next level has to look at no
    others.
    """

    taker: IntArray
    offsets: IntArray
    member_of_cell: IntArray
    gain: Flags
    loss: Flags
    more: Flags
    less: Flags
    up: Flags
    down: Flags

    def reduced_costs(self, costs: ArcCosts, potential: IntArray) -> ReducedCosts:
        """What is left of each arc's cost when its ends' potentials are taken off."""
        of_taker = potential[self.taker]
        of_member, of_cell = potential[: len(self.more)], potential[len(self.more) :]
        above_cell = of_member[self.member_of_cell]
        left = np.where(self.loss, of_taker + costs.loss, FAR)
        starts = self.offsets[:-1]
        of_kind = left
        if len(left):
            of_kind = np.minimum.reduceat(left, starts).repeat(self.offsets[1:] - starts)
        return ReducedCosts(
            gain=of_kind + costs.gain - of_taker,
            loss=left - of_kind,
            more=of_member + costs.more,
            less=costs.less - of_member,
            up=of_cell + costs.up - above_cell,
            down=above_cell + costs.down - of_cell,
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
        if wrong.any():
            return ViolatedArc(giver=None, taker=int(wrong.argmax()))
        wrong = (self.up & (reduced.up < 0)) | (self.down & (reduced.down < 0))
        if wrong.any():
            return ViolatedArc(giver=None, taker=int(self.member_of_cell[wrong.argmax()]))
        return None

    def tight(self, reduced: ReducedCosts) -> ResidualNetwork:
        """The arcs of no length only."""
        return replace(
            self,
            **{
                arcs: getattr(self, arcs) & (getattr(reduced, arcs) == 0)
                for arcs in ReducedCosts._fields
            },
        )

    def tight_loads(self, costs: ArcCosts, potential: IntArray) -> ResidualNetwork:
        """The tight arcs where `potential` is the same for all, and loads alone cost anything."""
        potential = potential[: len(self.more)]
        return replace(
            self,
            more=self.more & (potential == -costs.more),
            less=self.less & (potential == costs.less),
        )

    def search(self, costs: ArcCosts) -> Search:
        """Look for a cycle of negative cost.

        Kinds come first, then members, then cells, then the pool.
        """
        kinds, members, cells = len(self.offsets) - 1, len(self.more), len(self.member_of_cell)
        kind = np.arange(kinds).repeat(self.offsets[1:] - self.offsets[:-1])
        taker, member = kinds + self.taker, kinds + np.arange(members)
        cell, above_cell = kinds + members + np.arange(cells), kinds + self.member_of_cell
        pool = np.full(members, kinds + members + cells)
        ends = {
            "less": (pool, member),
            "down": (above_cell, cell),
            "loss": (taker, kind),
            "gain": (kind, taker),
            "up": (cell, above_cell),
            "more": (member, pool),
        }
        parts = [
            Arcs(tail[flags], head[flags], np.broadcast_to(cost, len(flags))[flags])
            for arcs, (tail, head) in ends.items()
            for flags, cost in [(getattr(self, arcs), getattr(costs, arcs))]
        ]
        return search(parts, nodes=kinds + members + cells + 1)
