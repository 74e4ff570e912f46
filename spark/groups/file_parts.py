"""The parts of rows, read from files without Spark: of one group, or of a fleet of few rows.

They are those that `spark.groups.encode` has of DataFrames. For Spark to plan its queries takes
longer than to read a small fleet here.
"""

import re
from base64 import b64decode
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from optimizer.model import IntArray
from spark.fleet import GROUP_KEYS, TOPIC_KEYS, FleetFiles, Rows
from spark.groups.rows import (
    ABSENT,
    CLAIM,
    COLUMN,
    GROUP,
    MEMBER,
    PLACE,
    SUBSCRIPTION,
    TOPIC,
    Fault,
    Lists,
    Parts,
)
from spark.store import NULL, ValueFilter, as_one, codes_of, is_there, take

NAMES = ("member_id", "topic")

COLUMNS = {
    "groups": (
        *("state", "strategy", "subscriptions_inferred", "type", "coordinator", "hidden_topics"),
    ),
    "members": (
        *("member_id", "instance_id", "rack", "client_id", "host", "generation", "capacity"),
    ),
    "subscriptions": NAMES,
    "assignments": ("topic", "partition", "member_id", "generation"),
}
"""Columns read of the tables that name a group, beside its own name and its cluster's."""

RACK_COLUMNS = ("leader_rack", "replica_racks")

Name = tuple[bytes | None, ...]


def parts_of_files(
    fleet: FleetFiles,
    racks: bool = False,
    weights: bool = False,
    cluster: str | None = None,
    group: ValueFilter | None = None,
) -> Parts:
    """The parts of all groups, or of those of a cluster or with such names.

    `weights` are those of the partitions' own column.
    """
    wanted = {"group": group} if group else {}
    groups, members, subscriptions, assignments = (
        fleet.rows(name, (*GROUP_KEYS, *columns), cluster, **wanted)
        for name, columns in COLUMNS.items()
    )
    claiming = _claiming(assignments)
    if {*codes_of(groups["cluster"])[1]} - claiming and group:  # other groups may claim something
        claiming = _claiming(fleet.rows("assignments", ("cluster", "member_id"), cluster))
    _, read = numbered(subscriptions, (*GROUP_KEYS, "topic"))
    topics = _Topics(fleet, cluster, read, (*RACK_COLUMNS * racks, *["weight"] * weights))
    parts: dict[str, dict[str, Any]] = {
        MEMBER: _members(members),
        TOPIC: topics.sizes() | (topics.weights() if weights else {}),
        SUBSCRIPTION: {name: subscriptions[name] for name in (*GROUP_KEYS, *NAMES)},
        CLAIM: _claims(assignments),
    }
    if len(groups["state"]):
        parts[GROUP] = _groups(groups, claiming)
    if racks:
        parts[PLACE] = topics.rack_sets()
    return parts


def numbered(rows: Rows, columns: Sequence[str]) -> tuple[IntArray, list[Name]]:
    """The number of each row's names in some columns, and the different ones by their numbers."""
    codes, texts = zip(*(codes_of(rows[name]) for name in columns), strict=True)
    shape = [max(len(of), 1) for of in texts]
    different, number = np.unique(np.ravel_multi_index(codes, shape), return_inverse=True)
    at = np.unravel_index(different, shape)
    names = ([of[i] for i in of_column.tolist()] for of, of_column in zip(texts, at, strict=True))
    return number, [*zip(*names, strict=True)]


def _groups(groups: Rows, claiming: set[bytes | None]) -> dict[str, Any]:
    hidden = groups["hidden_topics"]
    has_claims = [name in claiming for name in groups["cluster"].to_pylist()]
    return {
        **{key: groups[key] for key in (*GROUP_KEYS, "state", "type")},
        "group_strategy": groups["strategy"],
        "coordinator": _or_absent(groups["coordinator"]),
        "inferred": np.array(groups["subscriptions_inferred"], np.bool_),
        "cluster_has_claims": np.array(has_claims, np.bool_),
        "hides": np.array([of is not None for of in hidden], np.bool_),
        "hidden": Lists.of(of or () for of in hidden),
    }


def _members(members: Rows) -> dict[str, Any]:
    return {
        **{key: members[key] for key in (*GROUP_KEYS, "member_id")},
        **{f"{name}s": members[name] for name in ("instance_id", "rack", "client_id", "host")},
        "generations": _or_absent(members["generation"]),
        "capacities": np.array(members["capacity"], np.float64),
    }


def _claiming(assignments: Rows) -> set[bytes | None]:
    """The clusters in which somebody claims something."""
    codes, names = codes_of(assignments["cluster"])
    return {names[code] for code in {*codes[is_there(assignments["member_id"])].tolist()}}


def _claims(assignments: Rows) -> dict[str, Any]:
    owned = is_there(assignments["member_id"])
    texts = {name: cells for name, cells in assignments.items() if isinstance(cells, pa.Array)}
    names = take(pa.table(texts), owned)
    numbers = {"partition": assignments["partition"][owned]}
    numbers |= {"claim_generations": _or_absent(assignments["generation"])[owned]}
    return {name: as_one(names[name]) for name in texts} | numbers


def _or_absent(numbers: IntArray) -> IntArray:
    return np.where(numbers == NULL, ABSENT, numbers)


_BASE64 = re.compile(rb"[A-Za-z0-9_-]{22}")
_HEX = re.compile(rb"[0-9A-F]{32}")


class _Topics:
    """Facts of topics, a row for each group that reads one; `columns` are read for them as well."""

    def __init__(
        self, fleet: FleetFiles, cluster: str | None, read: Sequence[Name], columns: Sequence[str]
    ) -> None:
        self.fleet, self.cluster, self.read = fleet, cluster, read
        wanted = ValueFilter(frozenset(topic for *_, topic in read if topic is not None))
        columns = (*TOPIC_KEYS, "partition", "topic_id", *columns)
        self.rows = fleet.rows("partitions", columns, cluster, topic=wanted)
        numbers, names = numbered(self.rows, TOPIC_KEYS)
        ends = np.bincount(numbers, minlength=len(names)).cumsum()
        rows = np.split(numbers.argsort(kind="stable"), ends[:-1])
        rows_of = dict(zip(names, rows, strict=False))
        topics = [(name, topic) for name, _, topic in read]
        self.topics = [*dict.fromkeys(topics)]
        self.rows_by_topic = [rows_of.get(topic, np.empty(0, np.int64)) for topic in self.topics]
        number = {topic: at for at, topic in enumerate(self.topics)}
        self.at = [number[topic] for topic in topics]
        """Of each row the number of its topic."""

    def sizes(self) -> dict[str, Any]:
        """Partitions of each topic, or what is wrong with it; and its id."""
        codes, texts = codes_of(self.rows["topic_id"])
        ids = [
            {_in_hex(texts[code]) for code in {*codes[rows].tolist()} if texts[code] is not None}
            for rows in self.rows_by_topic
        ]
        shared = _shared_ids(self.fleet, self.cluster, {text for of in ids for text in of if text})
        numbers = (self.rows["partition"][rows] for rows in self.rows_by_topic)
        of_cluster = (shared.get(cluster, set()) for cluster, _ in self.topics)
        sizes = [*map(_size, numbers, ids, of_cluster)]
        least = [min(filter(None, of), default=None) for of in ids]
        return _keys(self.read) | {
            "topic_sizes": np.array([sizes[at] for at in self.at], np.int64),
            "topic_ids": [least[at] for at in self.at],
        }

    def rack_sets(self) -> dict[str, Any]:
        """The partitions of each topic with the same racks: of leader and replicas."""
        leaders, replicas = self.rows["leader_rack"].to_pylist(), self.rows["replica_racks"]
        alike: list[dict[tuple[bytes | None, ...], list[int]]] = []
        for rows in self.rows_by_topic:
            alike.append({})
            for row in rows.tolist():
                if leaders[row] is not None or replicas[row] is not None:
                    racks = sorted(rack for rack in replicas[row] or () if rack is not None)
                    numbers = alike[-1].setdefault((leaders[row], *racks), [])
                    numbers.append(int(self.rows["partition"][row]))
        sets = [
            (name, numbers, racks)
            for name, at in zip(self.read, self.at, strict=True)
            for racks, numbers in alike[at].items()
        ]
        return _keys([name for name, *_ in sets]) | {
            "place_partitions": Lists.of(numbers for _, numbers, _ in sets).as_numbers(),
            "place_racks": Lists.of(racks for *_, racks in sets),
        }

    def weights(self) -> dict[str, Any]:
        """The partitions of each topic that have a weight, and the weight of each."""
        weights = np.array(self.rows["weight"], np.float64)
        weighted = [rows[~np.isnan(weights[rows])] for rows in self.rows_by_topic]
        rows = Lists.of(weighted[at] for at in self.at).as_numbers()
        numbers = self.rows["partition"][rows.values]
        return {
            f"{COLUMN}_partitions": rows._replace(values=numbers),
            f"{COLUMN}_values": rows._replace(values=weights[rows.values]),
        }


def _keys(read: Sequence[Name]) -> dict[str, Any]:
    names = zip(*read, strict=True) if read else ((), (), ())
    return dict(zip((*GROUP_KEYS, "topic"), map(list, names), strict=True))


def _size(numbers: IntArray, ids: set[bytes | None], shared: set[bytes]) -> int:
    """Partitions of a topic, or what is wrong with it."""
    if not len(numbers):
        return ABSENT
    faults = {
        Fault.NEGATIVE: numbers.min() < 0,
        Fault.TWICE: len(np.unique(numbers)) < len(numbers),
        Fault.GAPS: numbers.max() >= len(numbers),
        Fault.NO_ID: None in ids,
        Fault.TWO_IDS: len(ids) > 1,
        Fault.SHARED_ID: bool(ids & shared),
    }
    return next((fault for fault, applies in faults.items() if applies), len(numbers))


def _in_hex(text: bytes) -> bytes | None:
    """A topic id in 32 hex digits; None if it is neither that nor Kafka's 22 characters."""
    if _BASE64.fullmatch(text):
        return b64decode(text + b"==", b"-_").hex().upper().encode()
    digits = text.replace(b"-", b"").upper()
    return digits if _HEX.fullmatch(digits) else None


def _shared_ids(
    fleet: FleetFiles, cluster: str | None, ids: set[bytes]
) -> dict[bytes | None, set[bytes]]:
    """By cluster the ids, among these, that several of its topics have."""
    if not ids:
        return {}
    alike = ValueFilter(frozenset(), lambda text: _in_hex(text) in ids)
    rows = fleet.rows("partitions", (*TOPIC_KEYS, "topic_id"), cluster, topic_id=alike)
    users: dict[tuple[bytes | None, bytes], set[bytes | None]] = {}
    for of, topic, text in numbered(rows, (*TOPIC_KEYS, "topic_id"))[1]:
        users.setdefault((of, _in_hex(text or b"") or b""), set()).add(topic)
    shared: dict[bytes | None, set[bytes]] = {}
    for (of, text), topics in users.items():
        if len(topics) > 1:
            shared.setdefault(of, set()).add(text)
    return shared
