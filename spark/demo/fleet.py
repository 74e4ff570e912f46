"""A made-up fleet that looks like a real one: the demo's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from spark.demo.clusters import (
    DemoCluster,
    IntArray,
    Placement,
    Topics,
    brokers_table,
    make_cluster,
    make_topics,
    partitions_table,
    place,
)
from spark.demo.connect import with_connectors
from spark.demo.groups import GIANTS, DemoGroup, draw_kinds, group_before, make_group
from spark.demo.kinds import with_other_kinds
from spark.demo.names import CLUSTERS
from spark.demo.offsets import Offsets, draw_offsets
from spark.fleet import table_of

NONE = np.empty(0, np.int64)


@dataclass(frozen=True)
class MadeFleet:
    """A made-up fleet: its tables now and an hour before, and what it was made of."""

    tables: dict[str, pa.Table]
    before: dict[str, pa.Table]
    clusters: list[DemoCluster]
    topics: Topics
    placed: Placement
    groups: list[DemoGroup]
    partitions: pa.Table
    offsets: Offsets

    def tables_of(
        self, groups: Sequence[DemoGroup], end: IntArray, committed: IntArray, never: np.ndarray
    ) -> dict[str, pa.Table]:
        """All tables, of these groups in place of the fleet's.

        Where partitions end and what is committed there is told group after group, one for each
        partition that a group knows; `never` marks where nothing is committed.
        """
        fixed = (self.clusters, self.topics, self.partitions)
        return _tables(*fixed, groups, end, committed, never)


def demo_fleet(groups: int, seed: int) -> dict[str, pa.Table]:
    """All tables of a snapshot of `groups` groups on a few clusters; the same for the same seed.

    ValueError if there is no group to make.
    """
    return make_fleet(groups, seed).tables


def make_fleet(groups: int, seed: int, healthy: bool = False) -> MadeFleet:
    """The same with an earlier snapshot and what it was made of; a healthy one has no trouble."""
    if groups < 1:
        raise ValueError(f"a fleet has at least one group, not {groups}")
    rng = np.random.default_rng(seed)
    clusters, topics, fleet = _draw(rng, groups, healthy)
    placed = place(rng, clusters, topics, healthy)
    partitions = partitions_table(rng, clusters, topics, placed)
    offsets = draw_offsets(rng, topics, fleet)
    earlier = [group_before(rng, group) for group in fleet]
    fixed = (clusters, topics, partitions)
    return MadeFleet(
        tables=_tables(*fixed, fleet, offsets.end, offsets.committed, offsets.never),
        before=_tables(*fixed, earlier, *offsets.before, offsets.never),
        clusters=clusters,
        topics=topics,
        placed=placed,
        groups=fleet,
        partitions=partitions,
        offsets=offsets,
    )


def _tables(
    clusters: Sequence[DemoCluster],
    topics: Topics,
    partitions: pa.Table,
    groups: Sequence[DemoGroup],
    end: IntArray,
    committed: IntArray,
    never: np.ndarray,
) -> dict[str, pa.Table]:
    of_consumers = {
        "groups": _groups_table(clusters, groups),
        "members": _members_table(clusters, groups),
        "subscriptions": _subscriptions_table(clusters, topics, groups),
        "partitions": partitions,
        "assignments": _assignments_table(clusters, topics, groups),
        "offsets": _offsets_table(clusters, topics, groups, end, committed, never),
        "brokers": brokers_table(clusters),
    }
    return with_connectors(of_consumers, clusters, groups)


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


def _groups_table(clusters: Sequence[DemoCluster], fleet: Sequence[DemoGroup]) -> pa.Table:
    return table_of(
        "groups",
        {
            "cluster": [clusters[group.cluster].name for group in fleet],
            "group": [group.name for group in fleet],
            "state": [group.state for group in fleet],
            "strategy": [group.strategy for group in fleet],
            "generation": [group.generation for group in fleet],
            "subscriptions_inferred": [group.inferred for group in fleet],
            "type": [group.type for group in fleet],
        },
    )


def _members_table(clusters: Sequence[DemoCluster], fleet: Sequence[DemoGroup]) -> pa.Table:
    present = [(group, group.cast, m) for group in fleet for m in group.cast.present.tolist()]
    return table_of(
        "members",
        {
            "cluster": [clusters[group.cluster].name for group, _, _ in present],
            "group": [group.name for group, _, _ in present],
            "member_id": [cast.member_ids[m] for _, cast, m in present],
            "instance_id": [cast.instance_ids[m] for _, cast, m in present],
            "client_id": [cast.client_ids[m] for _, cast, m in present],
            "host": [cast.hosts[m] for _, cast, m in present],
            "rack": [cast.racks[m] for _, cast, m in present],
            "generation": [int(cast.generations[m]) for _, cast, m in present],
            "capacity": [cast.capacities[m] for _, cast, m in present],
        },
    )


def _subscriptions_table(
    clusters: Sequence[DemoCluster], topics: Topics, fleet: Sequence[DemoGroup]
) -> pa.Table:
    counts, members, read = [], [], []
    for group in fleet:
        present = group.cast.present if len(group.subscriptions) else NONE
        subscriptions = [group.subscriptions[role] for role in group.cast.roles[present]]
        sizes = [len(subscription) for subscription in subscriptions]
        counts.append(sum(sizes))
        members.append(np.repeat(present, sizes))
        read.append(group.topics[_joined(subscriptions)])
    return table_of(
        "subscriptions",
        {
            **_group_columns(clusters, fleet, counts),
            "member_id": _member_column(fleet, members),
            "topic": pa.array(topics.names).take(pa.array(_joined(read))),
        },
    )


def _assignments_table(
    clusters: Sequence[DemoCluster], topics: Topics, fleet: Sequence[DemoGroup]
) -> pa.Table:
    claims = [group.claims for group in fleet]
    rows = _joined(topics.known_rows(g.topics)[g.claims.partitions] for g in fleet)
    generations = _joined(g.cast.generations[g.claims.members] for g in fleet)
    return table_of(
        "assignments",
        {
            **_group_columns(clusters, fleet, [len(claim.members) for claim in claims]),
            **_partition_columns(topics, rows),
            "member_id": _member_column(fleet, [claim.members for claim in claims]),
            "generation": pa.array(generations, pa.int32()),
        },
    )


def _offsets_table(
    clusters: Sequence[DemoCluster],
    topics: Topics,
    fleet: Sequence[DemoGroup],
    end: IntArray,
    committed: IntArray,
    never: np.ndarray,
) -> pa.Table:
    """Offsets of every partition that a group knows; `never` marks where nothing is committed."""
    counts = [int(topics.known_sizes[group.topics].sum()) for group in fleet]
    rows = _joined(topics.known_rows(group.topics) for group in fleet)
    return table_of(
        "offsets",
        {
            **_group_columns(clusters, fleet, counts),
            **_partition_columns(topics, rows),
            "committed_offset": pa.array(committed, mask=never),
            "end_offset": pa.array(end),
            "lag": pa.array(end - committed, mask=never),
        },
    )


def _joined(arrays: Iterable[IntArray]) -> IntArray:
    return np.concatenate([NONE, *arrays])


def _group_columns(
    clusters: Sequence[DemoCluster], fleet: Sequence[DemoGroup], counts: Sequence[int]
) -> dict[str, pa.Array]:
    """The names of each group and its cluster on so many rows."""
    of = pa.array(np.repeat(np.arange(len(fleet)), counts))
    names = pa.array([clusters[group.cluster].name for group in fleet])
    groups = pa.array([group.name for group in fleet])
    return {"cluster": names.take(of), "group": groups.take(of)}


def _partition_columns(topics: Topics, rows: IntArray) -> dict[str, pa.Array]:
    """The names and numbers of partitions, given as rows of their table."""
    return {
        "topic": pa.array(topics.names).take(pa.array(topics.of_partition[rows])),
        "partition": pa.array(topics.numbers[rows], pa.int32()),
    }


def _member_column(fleet: Sequence[DemoGroup], members: Sequence[IntArray]) -> pa.Array:
    """The ids of members, given group by group as indexes of its cast."""
    ids = pa.array([i for group in fleet for i in group.cast.member_ids], pa.string())
    first = np.cumsum([0, *(len(group.cast.member_ids) for group in fleet)])
    return ids.take(
        pa.array(_joined(member + at for member, at in zip(members, first, strict=False)))
    )
