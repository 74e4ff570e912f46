"""Which groups share topics, directly or through others: those are not restarted at one time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import DataFrame, functions as F

from spark.fleet import FleetSnapshot, escaped

if TYPE_CHECKING:
    import pandas as pd

HUB = 20
"""Topics that more groups read couple nobody: a log that all read would tie everybody together."""


def coupled_parts(fleet: FleetSnapshot) -> DataFrame:
    """A row a group that reads anything: cluster, group, component (its first group's name).

    Components are those of the graph of groups and topics, without topics of more than `HUB`
    groups; one task looks at each cluster.
    """
    names = [
        F.expr(f"{escaped(f'`{item}`')}").alias(item) for item in ("cluster", "group", "topic")
    ]
    read = fleet.tables["subscriptions"].select(*names).distinct()
    readers = F.count("*").alias("readers")
    hubs = read.groupBy("cluster", "topic").agg(readers).where(F.col("readers") > HUB)
    ties = read.join(hubs, ["cluster", "topic"], "left_anti")
    groups = read.select("cluster", "group", F.lit(None).cast("string").alias("topic")).distinct()
    schema = "cluster string, `group` string, component string"
    rows = ties.select(*groups.columns).unionAll(groups)
    return rows.groupBy("cluster").applyInPandas(_components, schema)


def _components(rows: pd.DataFrame) -> pd.DataFrame:
    """Each group's component: labels go down along ties until nothing changes."""
    import pandas as pd  # noqa: PLC0415

    names, group = np.unique(rows["group"].to_numpy(dtype=object).astype(str), return_inverse=True)
    tied = rows["topic"].notna().to_numpy()
    _, topic = np.unique(rows["topic"][tied].to_numpy().astype(str), return_inverse=True)
    member = group[tied]
    label = np.arange(len(names))
    while True:
        least = np.full(topic.max(initial=-1) + 1, len(names))
        np.minimum.at(least, topic, label[member])
        result = label.copy()
        np.minimum.at(result, member, least[topic])
        result = result[result]  # what its label has found counts as well
        if np.array_equal(result, label):
            break
        label = result
    cluster = rows["cluster"].iloc[0]
    return pd.DataFrame({"cluster": cluster, "group": names, "component": names[label]})
