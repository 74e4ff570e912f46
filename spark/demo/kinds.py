"""The made-up fleet's groups that aren't consumer groups: a few of those that were drawn."""

from collections.abc import Sequence
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from spark.demo.clusters import DemoCluster, Topics
from spark.demo.groups import DemoGroup
from spark.fleet import CLASSIC, CONNECT, SHARE, STREAMS, connector_topic, table_of

Tables = dict[str, pa.Table]

LEAST = 50
"""Groups of a fleet from which on it has some of other kinds."""

STATEFUL = ("sticky", "cooperative-sticky")
"""Strategies whose owners could be those of Kafka Streams' tasks, or of Connect's."""


def with_other_kinds(
    fleet: Sequence[DemoGroup], clusters: Sequence[DemoCluster], topics: Topics
) -> list[DemoGroup]:
    """The same groups, of which one each is a share group, a streams group, Streams, and Connect.

    The first two have nobody: which member a broker has assigned what isn't in a snapshot. The
    legacy brokers are too old for them. The others are on the classic protocol and own their tasks.
    """
    if len(fleet) < LEAST:
        return list(fleet)
    idle = [g for g in fleet if _is_idle(g) and not clusters[g.cluster].is_legacy]
    steady = [g for g in fleet if _is_steady(g, topics)]
    kinds = zip(idle, (SHARE, STREAMS), strict=False)
    changed = {
        **{g.key: replace(g, type=kind, strategy=None) for g, kind in kinds},
        **{g.key: replace(g, type=CLASSIC, strategy="stream") for g in steady[:1]},
        **{
            g.key: replace(g, name=f"connect-{g.name}", type=CONNECT, strategy="sessioned")
            for g in steady[1:2]
        },
    }
    return [changed.get(group.key, group) for group in fleet]


def _is_idle(group: DemoGroup) -> bool:
    return group.kind == "empty" and not group.name.startswith("console-consumer")


def _is_steady(group: DemoGroup, topics: Topics) -> bool:
    """Whether it is one of those that nothing is planted in, and that know all partitions."""
    mask = topics.known_sizes[group.topics] == topics.sizes[group.topics]
    return group.kind == "ordinary" and group.strategy in STATEFUL and bool(mask.all())


def with_connectors(
    tables: Tables, clusters: Sequence[DemoCluster], fleet: Sequence[DemoGroup]
) -> Tables:
    """The tables in which each topic of a `connect` group is a connector of its own.

    It has as many tasks as the topic has partitions; no broker keeps them, and nothing is committed
    for them.
    """
    for group in fleet:
        if group.type == CONNECT:
            tables = _of_workers(tables, clusters[group.cluster].name, group.name)
    return tables


def _of_workers(tables: Tables, cluster: str, group: str) -> Tables:
    def own(name: str) -> pa.ChunkedArray:
        table = tables[name]
        return pc.and_(pc.equal(table["cluster"], cluster), pc.equal(table["group"], group))

    def connectors(topics: pa.ChunkedArray) -> pa.ChunkedArray:
        return pc.binary_join_element_wise(connector_topic(group, ""), topics, "")

    def renamed(name: str) -> pa.Table:
        """The table with the topics of the group as its connectors."""
        table, at = tables[name], tables[name].schema.get_field_index("topic")
        topics = pc.if_else(own(name), connectors(table["topic"]), table["topic"])
        return table.set_column(at, table.schema.field(at), topics)

    partitions, read = tables["partitions"], tables["subscriptions"].filter(own("subscriptions"))
    is_read = pc.is_in(partitions["topic"], value_set=pc.unique(read["topic"]))
    tasks = partitions.filter(pc.and_(is_read, pc.equal(partitions["cluster"], cluster)))
    columns = {name: tasks[name] for name in ("cluster", "partition")}
    tasks = table_of("partitions", columns | {"topic": connectors(tasks["topic"])})
    keys = [(column, "ascending") for column in ("cluster", "topic", "partition")]
    return tables | {
        "subscriptions": renamed("subscriptions"),
        "assignments": renamed("assignments"),
        "partitions": pa.concat_tables([partitions, tasks]).sort_by(keys),
        "offsets": tables["offsets"].filter(pc.invert(own("offsets"))),
    }
