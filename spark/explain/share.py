"""What a share group reads (KIP-932): it is shown, and never planned."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

from pyspark.sql import functions as F

from spark.fleet import FleetFiles, FleetSnapshot, spelled
from spark.store import NULL

Fleet = FleetFiles | FleetSnapshot


def share_topics(fleet: Fleet, cluster: str, group: str) -> list[dict[str, Any]]:
    """A row a topic: members that subscribe, partitions with a start offset, the sum of lags.

    `start_offset` is the lowest: before it all records are done with. Null where none is known.
    """
    members = Counter(topic for topic, _ in _rows(fleet, "subscriptions", cluster, group, ()))
    starts: defaultdict[str, list[int]] = defaultdict(list)
    lags: defaultdict[str, list[int]] = defaultdict(list)
    for topic, (start, lag) in _rows(fleet, "offsets", cluster, group, ("committed_offset", "lag")):
        starts[topic] += [] if start is None else [start]
        lags[topic] += [] if lag is None else [lag]
    return [
        {
            "topic": topic,
            "members": members[topic],
            "partitions": len(starts[topic]),
            "start_offset": min(starts[topic], default=None),
            "lag": sum(lags[topic]) if lags[topic] else None,
        }
        for topic in sorted({*members, *starts})
    ]


def _rows(
    fleet: Fleet, table: str, cluster: str, group: str, columns: tuple[str, ...]
) -> Iterator[tuple[str, tuple[int | None, ...]]]:
    """Topic and numbers of each row that a table has of a group."""
    names = ("group", "topic", *columns)
    if isinstance(fleet, FleetFiles):
        values = fleet.rows(table, names, cluster)
        rows = zip(*(_plain(values[name]) for name in names), strict=True)
    elif table in fleet.tables:
        of_cluster = fleet.tables[table].where(F.col("cluster") == cluster)
        rows = map(tuple, of_cluster.select(*names).collect())  # type: ignore[assignment]
    else:
        return
    yield from ((topic, (*numbers,)) for name, topic, *numbers in rows if name == group)


def _plain(column: Any) -> list[Any]:
    """A column of `FleetFiles.rows` as texts, numbers and None."""
    if hasattr(column, "to_pylist"):
        return [None if item is None else spelled(item) for item in column.to_pylist()]
    return [None if item == NULL else item for item in column.tolist()]
