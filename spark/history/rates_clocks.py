"""Where a collector's clock may have jumped back."""

from __future__ import annotations

from pyspark.sql import DataFrame, functions as F

from spark.history.rates_pairs import Doubt
from spark.history.rates_window import AT, RateWindow, seconds_of

COUNTS = {
    "since": "max(before.at)",
    "rose": "count_if(end > before.value)",
    "written": "count_if(written)",
    "fell": "count_if(written and end < before.value)",
    "topics": "count(distinct topic) filter (where end < before.value)",
}
"""SQL text, over the partitions whose ends are known at an instant."""

JUMPED = "rose = 0 and fell >= 0.9 * written and topics > 1"


def doubts_of(ends: DataFrame, window: RateWindow) -> tuple[list[Doubt], list[str]]:
    """The instants between which all ends of a cluster fell, and a sentence on each two.

    That is: from one snapshot of it to the next no end rose, and nine tenths of those that are
    written at all fell, of more than one topic. Topics are made anew one by one, while the others
    go on; of a topic alone it can't be told.
    """
    fallen = (
        ends.where("end is not null")
        .groupBy("cluster", AT)
        .agg(*(F.expr(text).alias(name) for name, text in COUNTS.items()))
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
            "the clock of who collected them may have jumped back; no pair with one of the two "
            "counts"
        )
    return [Doubt(cluster, (*sorted(of),)) for cluster, of in result.items()], notes
