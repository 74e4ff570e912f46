"""Whether the clock of whoever collected a cluster's snapshots has jumped back."""

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, functions as F

from spark.history.rates_ends import Ends
from spark.history.rates_pairs import Doubt, grouped
from spark.history.rates_window import AT, RateWindow, seconds_of
from spark.history.series_arrow import UNKNOWN, Coded, array_of

COUNTS = (
    f"cluster string, {AT} bigint, since bigint, rose bigint, written bigint, fell bigint, "
    "topic string, other_topic string"
)
"""Columns of what a task counts in a cluster at an instant, of partitions whose ends are known.

`since` is the latest neighbour. `written` is how many partitions ever rose, `fell` how many of
these did fall. `topic` and `other_topic` are two topics with an end that fell, where there are two.
"""

SUMS = {
    "since": "max(since)",
    **{name: f"sum({name})" for name in ("rose", "written", "fell")},
    "topic": "min(least(topic, other_topic))",
    "other_topic": "max(greatest(topic, other_topic))",
}
"""SQL text: the same of all tasks."""

JUMPED = "rose = 0 and fell >= 0.9 * written and topic != other_topic"


def jump_counts(ends: Ends) -> pa.RecordBatch:
    """The rows of `COUNTS` of some partitions."""
    pairs = ends.pairs(())
    order, runs = grouped(np.flatnonzero(ends.end >= 0), ends.cluster.codes, ends.at)
    before = pairs.before[order]
    rose = (before >= 0) & (ends.end[order] > ends.end[before])
    fell, written = pairs.fell[order], ends.written[order]
    since = np.where(before >= 0, ends.at[before], np.iinfo(np.int64).min)
    topic = ends.topic.codes[order]
    lowest = runs.lowest(np.where(fell, topic, np.iinfo(np.int64).max))
    highest = runs.highest(np.where(fell, topic, UNKNOWN))
    first = order[runs.starts]
    latest = runs.highest(since)
    columns = {
        "cluster": ends.cluster.at(first).array(),
        AT: array_of(ends.at[first], pa.int64()),
        "since": array_of(latest, pa.int64(), latest > np.iinfo(np.int64).min),
        "rose": array_of(runs.count(rose), pa.int64()),
        "written": array_of(runs.count(written), pa.int64()),
        "fell": array_of(runs.count(written & fell), pa.int64()),
        "topic": Coded(np.where(highest < 0, UNKNOWN, lowest), ends.topic.names).array(),
        "other_topic": Coded(highest, ends.topic.names).array(),
    }
    return pa.RecordBatch.from_pydict(columns)


def doubts_of(counts: DataFrame, window: RateWindow) -> tuple[list[Doubt], list[str]]:
    """The instants between which all ends of a cluster fell, and a sentence on each two.

    That is: from one snapshot of it to the next no end rose, and nine tenths of those that are
    written at all fell, of more than one topic. Topics are created again one by one, while the
    others go on; of a topic alone it cannot be told. `counts` are the rows of all tasks.
    """
    fallen = (
        counts.where("cluster is not null")
        .groupBy("cluster", AT)
        .agg(*(F.expr(text).alias(name) for name, text in SUMS.items()))
        .where(JUMPED)
        .select("cluster", "since", AT)
    )
    result: dict[str, set[int]] = {}
    notes = []
    for cluster, since, at in sorted(map(tuple, fallen.collect())):
        names = {seconds_of(item): item for item in window.snapshots[cluster]}
        result.setdefault(cluster, set()).update((since, at))
        notes.append(
            f"cluster {cluster}: all end offsets fell from snapshot {names[since]} to {names[at]}: "
            "the clock of the collecting machine may have jumped back; no pair with one of the two "
            "counts"
        )
    return [Doubt(cluster, (*sorted(of),)) for cluster, of in result.items()], notes
