"""Layers of a network: what each node takes in at least and at most, and what its number costs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from optimizer.flow import Arcs, dearer_arcs
from optimizer.model import IntArray, distinct
from optimizer.solver.demand import Demand


class Bounds(NamedTuple):
    """How many partitions each member gets at least and at most, at most of a topic, or of a host.

    `of_host` has for each member how many it and all others of its host may have together.
    """

    least: int | IntArray
    most: IntArray
    of_topic: IntArray | None = None
    of_host: IntArray | None = None

    @staticmethod
    def within_one(demand: Demand) -> Bounds:
        """The mean load, rounded down, or one more."""
        base = demand.mean_load
        return Bounds(base, np.full(demand.member_count, base + 1))


@dataclass(frozen=True)
class Caps:
    """How many partitions each member may have, how many of a topic, and how many with its host.

    The last two only where that is capped.
    """

    of_member: IntArray
    of_topic: IntArray | None = None
    of_host: IntArray | None = None

    def bounds(self, demand: Demand) -> Bounds:
        """As the partitions to read allow."""
        supply = demand.supply[demand.kind_of_pair]
        readable = np.bincount(demand.members, supply, demand.member_count).astype(np.int64)
        return Bounds(0, np.minimum(readable, self.of_member), self.of_topic, self.of_host)


@dataclass(frozen=True)
class Layer:
    """Nodes that partitions pass one after the other: cells, members or hosts.

    Of each node, counted from `first`, `head` has the node that it leads to, `least` and `most` how
    many partitions pass. `of_pair` has the node of each pair, counted from 0. At the layer's level
    the n-th partition of a node costs 2n - 1: Σ over nodes of (partitions)² has to be low.
    """

    level: str
    first: int
    of_pair: IntArray
    head: IntArray
    least: IntArray
    most: IntArray

    def counts(self, shares: IntArray) -> IntArray:
        """How many partitions each node has."""
        return np.bincount(self.of_pair, shares, len(self.head)).astype(np.int64)

    def arcs(self, point: IntArray, weights: Mapping[str, int]) -> Arcs:
        """The arcs out of it, at their cost near some shares; without a weight they cost nothing.

        What each node has at least is there already, and doesn't go along them.
        """
        room = self.most - self.least
        if self.level not in weights:
            nodes = self.first + np.arange(len(self.head))
            return Arcs(nodes, self.head, room, np.zeros_like(room))
        above = np.minimum(self.counts(point), self.most) - self.least
        weight = weights[self.level]
        return dearer_arcs(self.first, self.head, above.clip(0), room, weight, self.least)[0]


def layers_of(demand: Demand, bounds: Bounds, levels: Sequence[str], sources: int) -> list[Layer]:
    """The layers, from the one that kinds lead to on; the last one leads to a sink behind it."""
    host = demand.hosts if bounds.of_host is not None or "hosts" in levels else None
    topics = demand.topics if bounds.of_topic is not None or "spread" in levels else None
    layers, first = [], sources
    if topics is not None:
        layers.append(_cells(demand, topics, bounds.of_topic, first))
        first += len(layers[0].head)
    behind = first + demand.member_count
    least = np.full(demand.member_count, bounds.least)
    head = np.full(demand.member_count, behind) if host is None else behind + host
    layers.append(Layer("balance", first, demand.members, head, least, bounds.most))
    if host is not None:
        hosts = int(host.max(initial=-1)) + 1
        of_hosts = (
            np.bincount(host, each, hosts).astype(np.int64) for each in (least, bounds.most)
        )
        fewest, most = of_hosts
        if bounds.of_host is not None:
            np.minimum.at(most, host, bounds.of_host)
        head = np.full(hosts, behind + hosts)
        layers.append(Layer("hosts", behind, host[demand.members], head, fewest, most))
    return layers


def _cells(demand: Demand, topics: IntArray, most_of_topic: IntArray | None, first: int) -> Layer:
    """A cell for each topic and member; what leads from there to members."""
    topic, members = topics[demand.kind_of_pair], demand.member_count
    keys = topic * members + demand.members
    cells, cell = distinct(keys, (int(topic.max(initial=-1)) + 1) * members)
    most = np.bincount(cell, demand.supply[demand.kind_of_pair], len(cells)).astype(np.int64)
    if most_of_topic is not None:
        most = np.minimum(most, most_of_topic[cells // members])
    head = first + len(cells) + cells % members
    return Layer("spread", first, cell, head, np.zeros_like(most), most)
