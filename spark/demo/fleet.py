"""A made-up fleet that looks like a real one: its tables, and the group that needs a plan most."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from optimizer.model import Flags, IntArray
from spark.demo.clusters import CLUSTERS, TopicSet, brokers_table, make_topics, partitions_table
from spark.demo.groups import NONE, DemoGroup, GroupMaker, draw_kinds
from spark.fleet import CONNECT, table_of

Columns = dict[str, Any]


@dataclass(frozen=True)
class MadeFleet:
    """A made-up fleet: what its tables are made of; groups are sorted by cluster and name."""

    topics: TopicSet
    groups: Sequence[DemoGroup]
    partitions: pa.Table

    @cached_property
    def rows(self) -> Sequence[IntArray]:
        """The rows of the partitions that each group reads."""
        return [self.topics.rows(group.topics) for group in self.groups]

    def cluster_of(self, group: DemoGroup) -> str:
        """The name of a group's cluster."""
        return self.topics.clusters[group.cluster].name

    def tables_of(
        self, groups: Sequence[DemoGroup], end: IntArray, committed: IntArray, is_new: Flags
    ) -> dict[str, pa.Table]:
        """All tables, of these groups as they were when the fleet's became so.

        Where partitions end and what is committed there comes group after group, one for each
        partition that a group reads; where one `is_new` nothing is committed yet.
        """
        fields = ("state", "strategy", "generation", "type")
        by_group = {name: [getattr(group, name) for group in groups] for name in fields}
        offsets = self._partitions(_join(self.rows)) | {
            "committed_offset": pa.array(committed, mask=is_new),
            "end_offset": end,
            "lag": pa.array(end - committed, mask=is_new),
        }
        # those of Connect are in none of Kafka's groups
        kept = [g.type != CONNECT for g, rows in zip(groups, self.rows, strict=True) for _ in rows]
        return {
            "groups": self._table("groups", groups, [1] * len(groups), by_group),
            "members": self._members(groups),
            "subscriptions": self._subscriptions(groups),
            "partitions": self.partitions,
            "assignments": self._assignments(groups),
            "offsets": self._table("offsets", groups, map(len, self.rows), offsets).filter(kept),
            "brokers": brokers_table(self.topics.clusters),
        }

    def _table(
        self, name: str, groups: Sequence[DemoGroup], counts: Iterable[int], columns: Columns
    ) -> pa.Table:
        """A table in which each group has `counts` rows."""
        of = np.repeat(np.arange(len(groups)), [*counts])
        clusters = np.array([self.cluster_of(group) for group in groups], object)[of]
        names = np.array([group.name for group in groups], object)[of]
        return table_of(name, {"cluster": clusters, "group": names, **columns})

    def _members(self, groups: Sequence[DemoGroup]) -> pa.Table:
        present = [group.members.of(group.members.present) for group in groups]
        counts = [len(members.role) for members in present]
        names = ("member_id", "instance_id", "client_id", "host", "rack")
        columns = {name: _join(getattr(members, name) for members in present) for name in names}
        columns["generation"] = np.repeat([group.generation for group in groups], counts)
        return self._table("members", groups, counts, columns)

    def _subscriptions(self, groups: Sequence[DemoGroup]) -> pa.Table:
        counts, ids, topics = [], [], []
        for group in groups:
            present = group.members.present if group.subscriptions else NONE
            read = [group.topics[group.subscriptions[at]] for at in group.members.role[present]]
            counts.append(sum(map(len, read)))
            ids.append(np.repeat(group.members.member_id[present], [*map(len, read)]))
            topics += read
        columns = {"member_id": _join(ids), "topic": self.topics.names[_join(topics)]}
        return self._table("subscriptions", groups, counts, columns)

    def _assignments(self, groups: Sequence[DemoGroup]) -> pa.Table:
        rows = _join(self.topics.rows(group.topics)[group.claimed] for group in groups)
        # who has left has missed the last rebalance
        generations = [g.generation - ~g.members.is_present[g.claimants] for g in groups]
        columns = self._partitions(rows) | {
            "member_id": _join(group.members.member_id[group.claimants] for group in groups),
            "generation": _join(generations),
        }
        return self._table("assignments", groups, [len(g.claimed) for g in groups], columns)

    def _partitions(self, rows: IntArray) -> Columns:
        """The names and numbers of partitions, given as rows of their table."""
        topics = self.topics
        return {"topic": topics.names[topics.of_partition[rows]], "partition": topics.numbers[rows]}


def _join(arrays: Iterable[Any]) -> Any:
    return np.concatenate([*arrays, NONE])


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
    topics = make_topics(rng, names, kinds)
    fleet = []
    for index in range(len(names)):
        maker = GroupMaker(rng, index, topics)
        for at in np.flatnonzero(where == index):
            fleet.append(maker.group(drawn[at], drawn[:at].count(drawn[at])))
    fleet.sort(key=lambda group: (group.cluster, group.name))
    return MadeFleet(topics, fleet, partitions_table(rng, topics))


GROUP = ["cluster", "group"]

Tables = dict[str, pa.Table]


def most_uneven(tables: Tables) -> tuple[str, str]:
    """Cluster and name of the group whose largest load is farthest above the best possible.

    It is one of Range: there members read the same topics, so that a plan evens it out.
    """
    of_range = tables["groups"].filter(pc.equal(tables["groups"]["strategy"], "range"))
    owned = tables["assignments"].group_by([*GROUP, "member_id"]).aggregate([([], "count_all")])
    loads = owned.group_by(GROUP).aggregate([("count_all", "max"), ("count_all", "sum")])
    members = tables["members"].group_by(GROUP).aggregate([([], "count_all")])
    rows = loads.join(members, GROUP).join(of_range.select(GROUP), GROUP, join_type="inner")

    def over(row: dict[str, int]) -> tuple[float, int]:
        """The largest load ÷ the best possible one, and how many partitions there are."""
        partitions = row["count_all_sum"]
        return row["count_all_max"] / ceil(partitions / row["count_all"]), partitions

    worst = max(rows.to_pylist(), key=lambda row: (*over(row), row["cluster"], row["group"]))
    return worst["cluster"], worst["group"]


def drain_settings(tables: Tables, cluster: str, group: str) -> str:
    """Settings (TOML) that take all partitions from the members on one host of this group."""
    members = tables["members"]
    is_own = pc.and_(pc.equal(members["cluster"], cluster), pc.equal(members["group"], group))
    host = min(filter(None, members.filter(is_own)["host"].to_pylist())).lstrip("/")
    return (
        f"# Host {host} goes into maintenance: its members get nothing.\n"
        f'[goals]\nexclude = [{{ hosts = "{host}" }}]\n'
    )
