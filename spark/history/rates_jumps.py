"""Whether the clock of whoever collected a cluster's snapshots has jumped back."""

from typing import NamedTuple

from pyspark.sql import DataFrame, functions as F

from spark.history.rates_window import AT, RateWindow, seconds_of

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


class Doubt(NamedTuple):
    """Instants of a cluster at which its clock may have been wrong, in seconds since 1970."""

    cluster: str
    instants: tuple[int, ...]


def doubts_of(counts: DataFrame, window: RateWindow) -> tuple[list[Doubt], list[str]]:
    """The instants between which all ends of a cluster fell, and a sentence on each two.

    That is: from one snapshot of it to the next no end rose, and nine tenths of those that are
    written at all fell, of more than one topic. Topics are created again one by one, while the
    others go on; of a topic alone it cannot be told. `counts` are the rows of all tasks.
    """
    fallen = (
        counts.groupBy("cluster", AT)
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
