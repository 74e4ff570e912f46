"""How far one group is behind: by partition, and by topic where it is a share group (KIP-932)."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from spark.errors import InputError
from spark.fleet import FleetFiles, FleetSnapshot, plain_rows

Fleet = FleetFiles | FleetSnapshot

OWNER = ("topic", "partition", "member_id")
OFFSETS = ("topic", "partition", "committed_offset", "lag")


def lags_of(fleet: Fleet, before: Fleet | None, cluster: str, group: str) -> list[dict[str, Any]]:
    """A row a partition with lag: its owner, how far it is, and what came in and was read since.

    The largest lag comes first. `read` and `written` are since the snapshot before; null without.
    """
    owners = {
        (topic, number): member
        for topic, number, member in plain_rows(fleet, "assignments", OWNER, cluster, group)
    }
    then = {}
    with suppress(InputError):  # of a file that can't be read nothing is told
        rows = plain_rows(before, "offsets", OFFSETS, cluster, group) if before else ()
        then = {(topic, number): offsets for topic, number, *offsets in rows}
    lags = []
    for topic, number, committed, lag in plain_rows(fleet, "offsets", OFFSETS, cluster, group):
        if committed is None or not lag:
            continue
        old, old_lag = then.get((topic, number), (None, None))
        is_known = None not in (old, old_lag)
        lags.append(
            {"partition": f"{topic}-{number}", "member": owners.get((topic, number))}
            | {"committed": committed, "lag": lag, "read": committed - old if is_known else None}
            | {"written": committed + lag - old - old_lag if is_known else None}
        )
    return sorted(lags, key=lambda row: (-row["lag"], row["partition"]))


def stalled_in(lags: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Partitions of which nothing was read while records came in."""
    stalled = (row for row in lags if row["read"] == 0 and row["written"] > 0)
    return [{name: cell for name, cell in row.items() if name != "read"} for row in stalled]


def share_topics(fleet: Fleet, cluster: str, group: str) -> list[dict[str, Any]]:
    """A row a topic: members that subscribe, partitions with a start offset, the sum of lags.

    `start_offset` is the lowest: before it all records are done with. Null where none is known.
    """
    subscribed = plain_rows(fleet, "subscriptions", ("topic",), cluster, group)
    members = Counter(topic for (topic,) in subscribed)
    starts: defaultdict[str, list[int]] = defaultdict(list)
    lags: defaultdict[str, list[int]] = defaultdict(list)
    for topic, _, start, lag in plain_rows(fleet, "offsets", OFFSETS, cluster, group):
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
