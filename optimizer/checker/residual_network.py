"""The arcs by which an assignment can change, and the proof that no cycle of them improves it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.checker.kinds import Hubs
from optimizer.checker.negative_cycle import CostArcs, CycleSearch, search
from optimizer.model import NOTHING, Flags, IntArray

FREE: IntArray = np.zeros(1, np.int64)
"""Cost of arcs that cost nothing."""
Costs = NDArray[np.signedinteger[Any]]

NO_ARCS: Flags = np.zeros(0, np.bool_)

LOW = -(2**61)
"""Potential of a hub that leads nowhere."""

FAR = 2**62
"""Potential of a kind that nobody has a partition of: no step leads there."""


class ArcCosts(NamedTuple):
    """The cost of each arc at one level; a single number stands for all of them.

    `gain` and `loss` are those of a pair's member getting or losing one of its kind, `more` and
    `less` those of a member's load rising or falling by one, `host_more` and `host_less` those of
    its host's doing so, and `up` and `down` those of what it has of a topic. `everywhere` are those
    of a kind by the hub of all of its readers.
    """

    gain: Costs
    loss: Costs
    more: Costs = FREE
    less: Costs = FREE
    up: Costs = FREE
    down: Costs = FREE
    everywhere: Costs = FREE
    host_more: Costs = FREE
    host_less: Costs = FREE


class ReducedCosts(NamedTuple):
    """Reduced costs: of each pair's arcs, each member's, each host's, each cell's.

    The last four are those of hubs (`ResidualNetwork`).
    """

    gain: IntArray
    loss: IntArray
    more: IntArray
    less: IntArray
    host_more: IntArray
    host_less: IntArray
    up: IntArray
    down: IntArray
    everywhere: IntArray
    near: IntArray
    on: IntArray
    out: IntArray


class ViolatedArc(NamedTuple):
    """A step that potentials don't allow: a taker gets one of what a pair has, the giver.

    The taker is a member, or a cell, numbered after the members. Without a giver its own number is
    wrong.
    """

    giver: int | None
    taker: int


@dataclass(frozen=True)
class ResidualNetwork:
    """The residual network of an assignment: its arcs, and how to go round in it.

    Nodes are the kinds, the members and a pool of load. `gain` are arcs from a kind to a member,
    which gets one more partition of that kind, `loss` those back; `more` are arcs from a member to
    the pool, `less` those back. A cycle is a change of the assignment; one of negative cost
    improves it. There is none if and only if nothing is better (Klein, Management Science, 1967).

    Where several kinds are of one topic and topics are to be spread, a cell, which is a topic and a
    member, is a node between those kinds and that member: `up` are arcs from cells to their members
    and `down` those back. `taker` has the node of each pair, a member or a cell, cells numbered
    after the members, and `member_of_cell` the member of each cell.

    Where hosts matter, a host is a node between its members (`host` has that of each) and the pool:
    `host_more` are arcs from hosts to the pool and `host_less` those back.

    Potentials prove that there is none: one for each member, then for each cell; the pool's is 0,
    and a kind's or a host's the least that its arcs allow. If no arc leads to a node by more than
    it costs, no cycle has negative cost. Arcs that lead there by just their cost are tight: cycles
    of cost 0 go along these, and the next level looks at no others.

    Where kinds have `hubs`, `gain` are arcs to those alone who own or hold some of a kind.
    `everywhere` leads from a kind to the hub of its class, `on` from there to those of racks,
    `near` to such a hub at once, and `out` from hubs to takers. A hub has the highest potential of
    its takers: no arc out of it is violated, nor one into it that needn't be.
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
    everywhere: Flags = field(default_factory=NO_ARCS.copy)
    near: Flags = field(default_factory=NO_ARCS.copy)
    on: Flags = field(default_factory=NO_ARCS.copy)
    out: Flags = field(default_factory=NO_ARCS.copy)
    hubs: Hubs | None = None
    host: IntArray | None = None
    host_more: Flags = field(default_factory=NO_ARCS.copy)
    host_less: Flags = field(default_factory=NO_ARCS.copy)

    def reduced_costs(self, costs: ArcCosts, potential: IntArray) -> ReducedCosts:
        """The cost of each arc less the potentials of its ends."""
        of_taker = potential[self.taker]
        of_member, of_cell = potential[: len(self.more)], potential[len(self.more) :]
        above_cell = of_member[self.member_of_cell]
        left = np.where(self.loss, of_taker + costs.loss, FAR)
        starts = self.offsets[:-1]
        of_kind, by_kind = left, left[:0]
        if len(left):
            by_kind = np.minimum.reduceat(left, starts)
            of_kind = by_kind.repeat(self.offsets[1:] - starts)
        return ReducedCosts(
            gain=of_kind + costs.gain - of_taker,
            loss=left - of_kind,
            **self._reduced_by_hosts(costs, of_member),
            up=of_cell + costs.up - above_cell,
            down=above_cell + costs.down - of_cell,
            **self._reduced_by_hubs(costs, by_kind, potential),
        )

    def _reduced_by_hosts(self, costs: ArcCosts, of_member: IntArray) -> dict[str, IntArray]:
        more, less = of_member + costs.more, costs.less - of_member
        if self.host is None:
            return {"more": more, "less": less, "host_more": NOTHING, "host_less": NOTHING}
        of_host = np.where(self.host_less, costs.host_less, FAR)
        np.minimum.at(of_host, self.host[self.more], more[self.more])
        above = of_host[self.host]
        return {
            "more": more - above,
            "less": less + above,
            "host_more": of_host + costs.host_more,
            "host_less": costs.host_less - of_host,
        }

    def _reduced_by_hubs(
        self, costs: ArcCosts, of_kind: IntArray, potential: IntArray
    ) -> dict[str, IntArray]:
        hubs = self.hubs
        if hubs is None:
            return dict.fromkeys(("everywhere", "near", "on", "out"), NOTHING)
        of_taker = potential[self._hub_takers]
        of_hub = np.full(len(hubs.class_of_hub), LOW)
        np.maximum.at(of_hub, hubs.hub_of_reader[self.out], of_taker[self.out])
        of_class = np.full(int(hubs.class_of.max(initial=-1)) + 1, LOW)
        np.maximum.at(of_class, hubs.class_of_hub[self.on], of_hub[self.on])
        return {
            "everywhere": of_kind + costs.everywhere - of_class[hubs.class_of],
            "near": of_kind[hubs.near_kind] - of_hub[hubs.near_hub],
            "on": of_class[hubs.class_of_hub] - of_hub,
            "out": of_hub[hubs.hub_of_reader] - of_taker,
        }

    @property
    def _hub_takers(self) -> IntArray:
        """The node of each class and reader, a member or a cell."""
        hubs = self.hubs
        if hubs is None:
            return NOTHING
        return hubs.reader if hubs.cell is None else hubs.cell + len(self.more)

    def violated_arc(self, reduced: ReducedCosts) -> ViolatedArc | None:
        """A step of less than no length, or None: then no cycle costs less than nothing."""
        wrong = self.gain & (reduced.gain < 0)
        if wrong.any():
            pair = int(wrong.argmax())
            kind = int(self.offsets.searchsorted(pair, "right")) - 1
            return ViolatedArc(self._giver(reduced, kind), int(self.taker[pair]))
        wrong = (self.more & (reduced.more < 0)) | (self.less & (reduced.less < 0))
        if wrong.any():
            return ViolatedArc(giver=None, taker=int(wrong.argmax()))
        wrong = self.host_more & (reduced.host_more < 0)
        if wrong.any() and self.host is not None:
            return ViolatedArc(giver=None, taker=int((self.host == wrong.argmax()).argmax()))
        wrong = (self.up & (reduced.up < 0)) | (self.down & (reduced.down < 0))
        if wrong.any():
            return ViolatedArc(giver=None, taker=int(self.member_of_cell[wrong.argmax()]))
        return self._violated_by_hubs(reduced)

    def _giver(self, reduced: ReducedCosts, kind: int) -> int:
        start, end = self.offsets[kind : kind + 2].tolist()
        least = int(reduced.loss[start:end].argmin())
        return int(start) + least

    def _violated_by_hubs(self, reduced: ReducedCosts) -> ViolatedArc | None:
        hubs = self.hubs
        if hubs is None:
            return None
        wrong = self.near & (reduced.near < 0)
        if wrong.any():
            at = int(wrong.argmax())
            kind, hub = int(hubs.near_kind[at]), int(hubs.near_hub[at])
        elif (wrong := self.everywhere & (reduced.everywhere < 0)).any():
            kind = int(wrong.argmax())
            of_class = self.on & (hubs.class_of_hub == hubs.class_of[kind])
            hub = int((of_class & (reduced.on == 0)).argmax())
        else:
            return None
        out = self.out & (hubs.hub_of_reader == hub) & (reduced.out == 0)
        return ViolatedArc(self._giver(reduced, kind), int(self._hub_takers[out.argmax()]))

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

    def search(self, costs: ArcCosts) -> CycleSearch:
        """Look for a cycle of negative cost.

        Kinds come first, then members, then cells, then the pool, then hosts.
        """
        kinds, members, cells = len(self.offsets) - 1, len(self.more), len(self.member_of_cell)
        kind = np.arange(kinds).repeat(self.offsets[1:] - self.offsets[:-1])
        taker, member = kinds + self.taker, kinds + np.arange(members)
        cell, above_cell = kinds + members + np.arange(cells), kinds + self.member_of_cell
        nodes, hosts = kinds + members + cells + 1, len(self.host_more)
        above = np.full(members, nodes - 1) if self.host is None else nodes + self.host
        of_host, pool = nodes + np.arange(hosts), np.full(hosts, nodes - 1)
        ends = {
            "host_less": (pool, of_host),
            "less": (above, member),
            "down": (above_cell, cell),
            "loss": (taker, kind),
            "gain": (kind, taker),
            "up": (cell, above_cell),
            "more": (member, above),
            "host_more": (of_host, pool),
        }
        ends |= self._ends_of_hubs(kinds, nodes + hosts)
        parts = [
            CostArcs(tail[flags], head[flags], np.broadcast_to(cost, len(flags))[flags])
            for arcs, (tail, head) in ends.items()
            for flags, cost in [(getattr(self, arcs), getattr(costs, arcs, FREE))]
        ]
        hubs = 0 if self.hubs is None else len(self.on) + int(self.hubs.class_of.max()) + 1
        whole = search(parts, nodes + hosts + hubs)
        cycle = whole.cycle and [node for node in whole.cycle if node < nodes]
        return CycleSearch(cycle, whole.potential[:nodes])

    def _ends_of_hubs(self, kinds: int, first: int) -> dict[str, tuple[IntArray, IntArray]]:
        """Where the arcs of hubs lead from and to; hubs are numbered from `first` on."""
        hubs = self.hubs
        if hubs is None:
            return {}
        of_rack = first + np.arange(len(hubs.class_of_hub))
        of_class = first + len(of_rack)
        return {
            "everywhere": (np.arange(kinds), of_class + hubs.class_of),
            "on": (of_class + hubs.class_of_hub, of_rack),
            "near": (hubs.near_kind, of_rack[hubs.near_hub]),
            "out": (of_rack[hubs.hub_of_reader], kinds + self._hub_takers),
        }
