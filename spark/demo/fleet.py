"""A made-up fleet that looks like a real one: the demo's."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from optimizer.model import Flags, IntArray
from spark.demo.clusters import (
    DemoCluster,
    Topics,
    brokers_table,
    make_cluster,
    make_topics,
    partitions_table,
)
from spark.demo.groups import NONE, DemoGroup, draw_kinds, make_group
from spark.demo.names import CLUSTERS
from spark.fleet import CONNECT, table_of

OF_GROUP = {
    **{"state": "state", "strategy": "strategy", "generation": "generation", "type": "type"},
    "subscriptions_inferred": "inferred",
}
OF_MEMBER = {
    **{"member_id": "member_ids", "instance_id": "instance_ids", "client_id": "client_ids"},
    **{"host": "hosts", "rack": "racks", "capacity": "capacities"},
}
"""Columns of the tables, and what a `DemoGroup` and `Members` call them."""


@dataclass(frozen=True)
class MadeFleet:
    """A made-up fleet: what its tables are made of; groups are sorted by cluster and name."""

    clusters: Sequence[DemoCluster]
    topics: Topics
    groups: Sequence[DemoGroup]
    partitions: pa.Table

    @cached_property
    def rows(self) -> Sequence[IntArray]:
        """The rows of the partitions that each group reads."""
        return [self.topics.rows(group.topics) for group in self.groups]

    def cluster_of(self, group: DemoGroup) -> str:
        """The name of a group's cluster."""
        return self.clusters[group.cluster].name

    def tables_of(
        self, groups: Sequence[DemoGroup], end: IntArray, committed: IntArray, is_new: Flags
    ) -> dict[str, pa.Table]:
        """All tables, of these groups in place of the fleet's.

        Where partitions end and what is committed there comes group after group, one for each
        partition that a group reads; where one `is_new` nothing is committed yet.
        """
        return {
            "groups": self._groups(groups),
            "members": self._members(groups),
            "subscriptions": self._subscriptions(groups),
            "partitions": self.partitions,
            "assignments": self._assignments(groups),
            "offsets": self._offsets(end, committed, is_new),
            "brokers": brokers_table(self.clusters),
        }

    def _keys(self, groups: Sequence[DemoGroup], counts: Sequence[int]) -> dict[str, pa.Array]:
        """The key columns of a table in which each group has `counts` rows."""
        of = np.repeat(np.arange(len(groups)), counts)
        clusters = np.array([self.cluster_of(group) for group in groups], object)[of]
        names = np.array([group.name for group in groups], object)[of]
        return {"cluster": pa.array(clusters), "group": pa.array(names)}

    def _groups(self, groups: Sequence[DemoGroup]) -> pa.Table:
        columns = {name: [getattr(g, field) for g in groups] for name, field in OF_GROUP.items()}
        return table_of("groups", self._keys(groups, [1] * len(groups)) | columns)

    def _members(self, groups: Sequence[DemoGroup]) -> pa.Table:
        present = [group.members.of(group.members.present) for group in groups]
        counts = [len(members.roles) for members in present]
        columns = {
            name: np.concatenate([getattr(members, field) for members in present]).tolist()
            for name, field in OF_MEMBER.items()
        }
        columns["generation"] = np.repeat([group.generation for group in groups], counts).tolist()
        return table_of("members", self._keys(groups, counts) | columns)

    def _subscriptions(self, groups: Sequence[DemoGroup]) -> pa.Table:
        counts, ids, topics = [], [], [NONE]
        for group in groups:
            present = group.members.present if group.subscriptions else NONE
            read = [group.subscriptions[role] for role in group.members.roles[present]]
            sizes = [len(subscription) for subscription in read]
            counts.append(sum(sizes))
            ids.append(np.repeat(group.members.member_ids[present], sizes))
            topics.append(group.topics[_joined(read)])
        columns = {
            "member_id": pa.array(np.concatenate(ids), pa.string()),
            "topic": pa.array(self.topics.names[_joined(topics)], pa.string()),
        }
        return table_of("subscriptions", self._keys(groups, counts) | columns)

    def _assignments(self, groups: Sequence[DemoGroup]) -> pa.Table:
        rows = [self.topics.rows(group.topics)[group.claimed] for group in groups]
        ids = [group.members.member_ids[group.claimants] for group in groups]
        # who has left has missed the last rebalance
        generations = [g.generation - ~g.members.is_present[g.claimants] for g in groups]
        columns = self._of_partitions(_joined(rows)) | {
            "member_id": pa.array(np.concatenate(ids), pa.string()),
            "generation": pa.array(_joined(generations), pa.int32()),
        }
        counts = [len(group.claimed) for group in groups]
        return table_of("assignments", self._keys(groups, counts) | columns)

    def _offsets(self, end: IntArray, committed: IntArray, is_new: Flags) -> pa.Table:
        """Those of Connect are in none of Kafka's groups."""
        counts = [len(rows) for rows in self.rows]
        columns = self._of_partitions(_joined(self.rows)) | {
            "committed_offset": pa.array(committed, mask=is_new),
            "end_offset": pa.array(end),
            "lag": pa.array(end - committed, mask=is_new),
        }
        kept = np.repeat([group.type != CONNECT for group in self.groups], counts)
        return table_of("offsets", self._keys(self.groups, counts) | columns).filter(pa.array(kept))

    def _of_partitions(self, rows: IntArray) -> dict[str, pa.Array]:
        """The names and numbers of partitions, given as rows of their table."""
        topics = self.topics
        names = pa.array(topics.names[topics.of_partition[rows]], pa.string())
        return {"topic": names, "partition": pa.array(topics.numbers[rows], pa.int32())}


def _joined(arrays: Iterable[IntArray]) -> IntArray:
    return np.concatenate([NONE, *arrays])


def make_fleet(groups: int, seed: int) -> MadeFleet:
    """A fleet of `groups` groups on a few clusters; the same for the same seed.

    ValueError if there is no group to make.
    """
    if groups < 1:
        raise ValueError(f"a fleet has at least one group, not {groups}")
    rng = np.random.default_rng(seed)
    names = CLUSTERS[: 2 + int(groups**0.5 / 6)]
    share = (1.0 + np.arange(len(names))) ** -0.8
    where = np.sort(rng.choice(len(names), groups, p=share / share.sum()))
    drawn = draw_kinds(rng, groups)
    kinds = [[drawn[at] for at in np.flatnonzero(where == c)] for c in range(len(names))]
    clusters = [make_cluster(name, len(here)) for name, here in zip(names, kinds, strict=True)]
    topics = make_topics(rng, clusters, kinds)
    made: Counter[str] = Counter()
    fleet: list[DemoGroup] = []
    for index, cluster in enumerate(clusters):
        used: Counter[str] = Counter()
        for kind in kinds[index]:
            options = {"index": index, "cluster": cluster, "topics": topics, "used": used}
            fleet.append(make_group(rng, kind, **options, nth=made[kind]))
            made[kind] += 1
    partitions = partitions_table(rng, clusters, topics)
    return MadeFleet(clusters, topics, sorted(fleet, key=lambda group: group.key), partitions)
