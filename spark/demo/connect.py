"""The made-up fleet's cluster of Connect workers: connectors in place of the topics of a group."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from spark.demo.clusters import DemoCluster
from spark.demo.groups import DemoGroup
from spark.fleet import CONNECT, connector_topic, table_of

Tables = dict[str, pa.Table]


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
    read = tables["subscriptions"].filter(_is_of(tables["subscriptions"], cluster, group))
    partitions = tables["partitions"]
    is_read = pc.is_in(partitions["topic"], value_set=pc.unique(read["topic"]))
    there = partitions.filter(pc.and_(is_read, pc.equal(partitions["cluster"], cluster)))
    tasks = table_of(
        "partitions",
        {
            "cluster": there["cluster"].to_pylist(),
            "topic": [connector_topic(group, topic) for topic in there["topic"].to_pylist()],
            "partition": there["partition"].to_pylist(),
        },
    )
    key = [(column, "ascending") for column in ("cluster", "topic", "partition")]
    offsets = tables["offsets"]
    return tables | {
        "subscriptions": _renamed(tables["subscriptions"], cluster, group),
        "assignments": _renamed(tables["assignments"], cluster, group),
        "partitions": pa.concat_tables([partitions, tasks]).sort_by(key),
        "offsets": offsets.filter(pc.invert(_is_of(offsets, cluster, group))),
    }


def _renamed(table: pa.Table, cluster: str, group: str) -> pa.Table:
    """The table with the topics of that group as its connectors."""
    connectors = pc.binary_join_element_wise(connector_topic(group, ""), table["topic"], "")
    topics = pc.if_else(_is_of(table, cluster, group), connectors, table["topic"])
    at = table.schema.get_field_index("topic")
    return table.set_column(at, table.schema.field(at), topics)


def _is_of(table: pa.Table, cluster: str, group: str) -> pa.ChunkedArray:
    return pc.and_(pc.equal(table["cluster"], cluster), pc.equal(table["group"], group))
