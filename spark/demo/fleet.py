"""A made-up fleet that looks like a real one: the demo's."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from optimizer.model import Flags, IntArray
from spark.demo.clusters import (
    DemoCluster,
    Placement,
    Topics,
    brokers_table,
    make_cluster,
    make_topics,
    partitions_table,
    place,
)
from spark.demo.groups import GIANTS, DemoGroup, draw_kinds, make_group
from spark.demo.kinds import with_connectors, with_other_kinds
from spark.demo.names import CLUSTERS
from spark.demo.offsets import Offsets, draw_offsets
from spark.fleet import table_of

NONE = np.empty(0, np.int64)

OF_GROUP = {
    **{"state": "state", "strategy": "strategy", "generation": "generation", "type": "type"},
    "subscriptions_inferred": "inferred",
}
OF_MEMBER = {
    **{"member_id": "member_ids", "instance_id": "instance_ids", "client_id": "client_ids"},
    **{"host": "hosts", "rack": "racks", "generation": "generations", "capacity": "capacities"},
}
"""Columns of the tables, and what a `DemoGroup` and a `Cast` call them."""


@dataclass(frozen=True)
class MadeFleet:
    """A made-up fleet: what its tables are made of."""

    clusters: list[DemoCluster]
    topics: Topics
    placed: Placement
    groups: list[DemoGroup]
    partitions: pa.Table
    offsets: Offsets

    @cached_property
    def tables(self) -> dict[str, pa.Table]:
        """All tables of a snapshot."""
        return self.tables_of(self.groups, *self.offsets)

    def cluster_of(self, group: DemoGroup) -> str:
        """The name of a group's cluster."""
        return self.clusters[group.cluster].name

    def tables_of(
        self, groups: Sequence[DemoGroup], end: IntArray, committed: IntArray, never: Flags
    ) -> dict[str, pa.Table]:
        """All tables, of these groups in place of the fleet's.

        Where partitions end and what is committed there comes group after group, one for each
        partition that a group knows; `never` marks where nothing is committed.
        """
        tables = {
            "groups": self._groups(groups),
            "members": self._members(groups),
            "subscriptions": self._subscriptions(groups),
            "partitions": self.partitions,
            "assignments": self._assignments(groups),
            "offsets": self._offsets(groups, end, committed, never),
            "brokers": brokers_table(self.clusters),
        }
        return with_connectors(tables, self.clusters, groups)

    def _table(
        self, name: str, groups: Sequence[DemoGroup], counts: Sequence[int], columns: dict[str, Any]
    ) -> pa.Table:
        """A table in which each group has `counts` rows."""
        of = pa.array(np.repeat(np.arange(len(groups)), counts))
        clusters = pa.array([self.cluster_of(group) for group in groups]).take(of)
        names = pa.array([group.name for group in groups]).take(of)
        return table_of(name, {"cluster": clusters, "group": names, **columns})

    def _groups(self, groups: Sequence[DemoGroup]) -> pa.Table:
        columns = {name: [getattr(g, value) for g in groups] for name, value in OF_GROUP.items()}
        return self._table("groups", groups, [1] * len(groups), columns)

    def _members(self, groups: Sequence[DemoGroup]) -> pa.Table:
        present = [group.cast.of(group.cast.present) for group in groups]
        columns = {
            name: [item for cast in present for item in getattr(cast, value)]
            for name, value in OF_MEMBER.items()
        }
        return self._table("members", groups, [len(cast.roles) for cast in present], columns)

    def _subscriptions(self, groups: Sequence[DemoGroup]) -> pa.Table:
        counts, members, read = [], [], []
        for group in groups:
            present = group.cast.present if len(group.subscriptions) else NONE
            subscriptions = [group.subscriptions[role] for role in group.cast.roles[present]]
            sizes = [len(subscription) for subscription in subscriptions]
            counts.append(sum(sizes))
            members.append(np.repeat(present, sizes))
            read.append(group.topics[_joined(subscriptions)])
        topics = pa.array(self.topics.names).take(pa.array(_joined(read)))
        columns = {"member_id": _ids_of(groups, members), "topic": topics}
        return self._table("subscriptions", groups, counts, columns)

    def _assignments(self, groups: Sequence[DemoGroup]) -> pa.Table:
        topics, owners = self.topics, [group.claims.members for group in groups]
        rows = _joined(topics.known_rows(g.topics)[g.claims.partitions] for g in groups)
        generations = _joined(g.cast.generations[g.claims.members] for g in groups)
        columns = self._of_partitions(rows) | {
            "member_id": _ids_of(groups, owners),
            "generation": pa.array(generations, pa.int32()),
        }
        return self._table("assignments", groups, [len(members) for members in owners], columns)

    def _offsets(
        self, groups: Sequence[DemoGroup], end: IntArray, committed: IntArray, never: Flags
    ) -> pa.Table:
        rows = [self.topics.known_rows(group.topics) for group in groups]
        columns = self._of_partitions(_joined(rows)) | {
            "committed_offset": pa.array(committed, mask=never),
            "end_offset": pa.array(end),
            "lag": pa.array(end - committed, mask=never),
        }
        return self._table("offsets", groups, [len(of_group) for of_group in rows], columns)

    def _of_partitions(self, rows: IntArray) -> dict[str, pa.Array]:
        """The names and numbers of partitions, given as rows of their table."""
        topics = self.topics
        return {
            "topic": pa.array(topics.names).take(pa.array(topics.of_partition[rows])),
            "partition": pa.array(topics.numbers[rows], pa.int32()),
        }


def _ids_of(groups: Sequence[DemoGroup], members: Sequence[IntArray]) -> pa.Array:
    """The ids of members, given group by group as indexes of its cast."""
    ids = [np.array(g.cast.member_ids, object)[own] for g, own in zip(groups, members, strict=True)]
    return pa.array(np.concatenate(ids), pa.string())


def _joined(arrays: Iterable[IntArray]) -> IntArray:
    return np.concatenate([NONE, *arrays])


def demo_fleet(groups: int, seed: int) -> dict[str, pa.Table]:
    """All tables of a snapshot of `groups` groups on a few clusters; the same for the same seed.

    ValueError if there is no group to make.
    """
    return make_fleet(groups, seed).tables


def make_fleet(groups: int, seed: int, healthy: bool = False) -> MadeFleet:
    """The same with what it was made of; a healthy one has no trouble."""
    if groups < 1:
        raise ValueError(f"a fleet has at least one group, not {groups}")
    rng = np.random.default_rng(seed)
    clusters, topics, fleet = _draw(rng, groups, healthy)
    placed = place(rng, clusters, topics, healthy)
    partitions = partitions_table(rng, clusters, topics, placed)
    offsets = draw_offsets(rng, topics, fleet)
    return MadeFleet(clusters, topics, placed, fleet, partitions, offsets)


def _draw(
    rng: np.random.Generator, groups: int, healthy: bool
) -> tuple[list[DemoCluster], Topics, list[DemoGroup]]:
    """The clusters of a fleet, their topics, and the groups, cluster after cluster and by name."""
    names = CLUSTERS[: 2 + int(groups**0.5 / 6)]
    share = (1.0 + np.arange(len(names))) ** -0.8
    where = np.sort(rng.choice(len(names), groups, p=share / share.sum()))
    kinds = draw_kinds(rng, groups, healthy)
    sizes = np.bincount(where, minlength=len(names)).tolist()
    giants = np.bincount(where[np.isin(kinds, GIANTS)], minlength=len(names)).tolist()
    clusters = [make_cluster(name, size) for name, size in zip(names, sizes, strict=True)]
    topics = make_topics(rng, clusters, sizes, giants, healthy)
    used: list[Counter[str]] = [Counter() for _ in names]
    fleet = [
        make_group(rng, kind, index=c, cluster=clusters[c], topics=topics, used=used[c])
        for c, kind in zip(where.tolist(), kinds, strict=True)
    ]
    fleet = with_other_kinds(sorted(fleet, key=lambda group: group.key), clusters, topics)
    return clusters, topics, sorted(fleet, key=lambda group: group.key)
