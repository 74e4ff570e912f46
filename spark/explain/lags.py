"""How far one group is behind: by partition, and by topic where it is a share group (KIP-932)."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from pyspark.sql import functions as F

from spark.errors import InputError
from spark.fleet import FleetFiles, FleetSnapshot, spelled
from spark.store import NULL

Fleet = FleetFiles | FleetSnapshot

OWNER, OFFSETS = ("partition", "member_id"), ("partition", "committed_offset", "lag")


def lags_of(fleet: Fleet, before: Fleet | None, cluster: str, group: str) -> list[dict[str, Any]]:
    """A row a partition with lag: its owner, how far it is, and what came in and was read since.

    The largest lag comes first. `read` and `written` are since the snapshot before; null without.
    """
    owners = {
        (topic, number): member
        for topic, (number, member) in _rows(fleet, "assignments", cluster, group, OWNER)
    }
    then = {}
    with suppress(InputError):  # of a file that can't be read nothing is told
        for topic, (number, *offsets) in _rows(before, "offsets", cluster, group, OFFSETS):
            then[topic, number] = offsets
    result = []
    for topic, (number, committed, lag) in _rows(fleet, "offsets", cluster, group, OFFSETS):
        if committed is None or not lag:
            continue
        old, old_lag = then.get((topic, number), (None, None))
        is_known = None not in (old, old_lag)
        result.append(
            {"partition": f"{topic}-{number}", "member": owners.get((topic, number))}
            | {"committed": committed, "lag": lag, "read": committed - old if is_known else None}
            | {"written": committed + lag - old - old_lag if is_known else None}
        )
    return sorted(result, key=lambda row: (-row["lag"], row["partition"]))


def stalled_in(lags: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Partitions of which nothing was read while records came in."""
    stalled = (row for row in lags if row["read"] == 0 and row["written"] > 0)
    return [{name: cell for name, cell in row.items() if name != "read"} for row in stalled]


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
    fleet: Fleet | None, table: str, cluster: str, group: str, columns: tuple[str, ...]
) -> Iterator[tuple[str, tuple[Any, ...]]]:
    """Topic and these columns of each row that a table has of a group."""
    names = ("group", "topic", *columns)
    if isinstance(fleet, FleetFiles):
        values = fleet.rows(table, names, cluster)
        rows = zip(*(_plain(values[name]) for name in names), strict=True)
    elif fleet and table in fleet.tables:
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
