"""The row of one group, of files without Spark or of DataFrames."""

import re
from base64 import b64decode
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame

from optimizer.figures import did_you_mean
from optimizer.model import IntArray
from spark.errors import InputError
from spark.fleet import (
    GROUP_KEYS,
    TABLES,
    TOPIC_KEYS,
    FleetFiles,
    FleetSnapshot,
    Rows,
    describe_null_keys,
    groups_like,
    is_named,
    names_wanted,
    near_miss,
    spell,
)
from spark.groups.cut import groups_of
from spark.groups.encode import GAPS, NEGATIVE, NO_ID, SHARED_ID, TWICE, TWO_IDS, encode
from spark.groups.rows import (
    ABSENT,
    CLAIM,
    GROUP,
    MEMBER,
    SUBSCRIPTION,
    TOPIC,
    Lists,
    parts_in,
    parts_of,
)
from spark.groups.weights import COLUMN, weight_tables
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
WEIGHT_COLUMNS = ("weight",)


def one_row(
    snapshot: FleetSnapshot | FleetFiles,
    group: str,
    cluster: str | None,
    racks: bool = False,
    weights: Collection[str] = (),
    rates: DataFrame | None = None,
) -> Any:
    """The row of one group; only this group's rows are collected.

    `weights` are where those come from that go along; all but those of the partitions' own column
    take DataFrames.

    InputError when there is no such group, or several clusters have one and none is chosen.
    """
    if isinstance(snapshot, FleetFiles):
        return row_of_group(snapshot, group, cluster, racks, COLUMN in weights)
    rows = rows_in_frames(snapshot, [group], cluster, racks, weights, rates)
    if not rows:
        raise InputError(no_such_group(snapshot, group, cluster))
    if len(rows) > 1:
        raise InputError(several_clusters(group, (row.cluster for row in rows)))
    return rows[0]


def rows_in_frames(
    snapshot: FleetSnapshot,
    groups: Sequence[str],
    cluster: str | None = None,
    racks: bool = False,
    sources: Collection[str] = (),
    rates: DataFrame | None = None,
) -> list[Any]:
    """The rows of groups of these names, of one cluster or of all, from DataFrames."""
    column = is_named("group", groups)
    if cluster is not None:
        column &= is_named("cluster", [cluster])
    tables = dict(snapshot.tables)
    tables |= {name: rows.where(column) for name, rows in tables.items() if TABLES[name].by_group}
    read = tables["subscriptions"].select("cluster", "topic").distinct()
    of_topics = tables["partitions"].join(read, ["cluster", "topic"], "left_semi")
    replace(snapshot, tables=tables | {"partitions": of_topics}).validate()
    # all topics of the cluster: another one may have the id of one that is read
    of_cluster = read.select("cluster").distinct()
    tables["partitions"] = tables["partitions"].join(of_cluster, "cluster", "left_semi")
    chosen_rows = FleetSnapshot(snapshot.id, tables)
    weights = weight_tables(chosen_rows, sources, rates)
    encoded = encode(chosen_rows, racks, weights=weights)
    return groups_of(parts_in(encoded.toArrow(), parts_of(encoded)))


def row_of_group(
    fleet: FleetFiles,
    group: str,
    cluster: str | None = None,
    racks: bool = False,
    weights: bool = False,
) -> Any:
    """The row of one group; a name that isn't UTF-8 is meant by how it is spelled.

    `weights` are those of the partitions' own column.
    Raises InputError when there is
    no such group, when several clusters have one and none is chosen, and for null keys.
    """
    named = names_wanted([group])
    tables = {
        name: fleet.rows(name, ("cluster", "group", *columns), cluster, group=named)
        for name, columns in COLUMNS.items()
    }
    topics = _topics_by_cluster(tables["subscriptions"])
    _check_keys(fleet, cluster, named, topics)
    texts = {
        key: [text for rows in tables.values() for text in _distinct_texts(rows[key])]
        for key in GROUP_KEYS
    }
    clusters = sorted({*map(spell, texts["cluster"])})
    if not clusters:
        raise InputError(no_such_group(fleet, group, cluster))
    if len(clusters) > 1:
        raise InputError(several_clusters(group, clusters))
    # of texts that are spelled alike one that isn't valid shows that
    names = {key: min(of_key, key=_is_valid) for key, of_key in texts.items()}
    parts = {}
    for part, rows in _parts(fleet, clusters[0], tables, topics, racks, weights):
        count = len(next(iter(rows.values())))
        parts[part] = rows | {key: [text] * count for key, text in names.items()}
    (row,) = groups_of(parts)
    return row


def no_such_group(fleet: FleetSnapshot | FleetFiles, group: str, cluster: str | None) -> str:
    """The sentence on a group that isn't there."""
    clusters = fleet.instants
    if clusters and cluster is not None and cluster not in clusters:
        near = did_you_mean(cluster, clusters)
        return f"snapshot {fleet.id} has no cluster {cluster!r}{near}"
    where = f" in cluster {cluster!r}" if cluster is not None else ""
    if "*" in group or "?" in group:
        return f"give the name of one group: {group!r} matches {groups_like(fleet, group, cluster)}"
    near = near_miss(fleet, "group", group, cluster)
    return f"snapshot {fleet.id} has no group {group!r}{where}{near}"


def several_clusters(group: str, clusters: Iterable[str]) -> str:
    """The sentence where several clusters have a group of this name."""
    among = ", ".join(sorted(clusters))
    return f"several clusters have a group {group!r}: choose its cluster of {among}"


def _topics_by_cluster(subscriptions: Rows) -> dict[str, set[bytes]]:
    """The topics that are subscribed to in each cluster."""
    topics: dict[str, set[bytes]] = {}
    for cluster, topic in {*zip(*(subscriptions[k].to_pylist() for k in TOPIC_KEYS), strict=True)}:
        if cluster is not None and topic is not None:
            topics.setdefault(spell(cluster), set()).add(topic)
    return topics


def _check_keys(
    fleet: FleetFiles, cluster: str | None, named: ValueFilter, topics: Mapping[str, set[bytes]]
) -> None:
    """Raise InputError for null keys in the group's rows."""
    nulls = fleet.null_keys("brokers")
    for name, table in TABLES.items():
        if table.by_group:
            nulls += fleet.null_keys(name, cluster, group=named)
    for name, read in topics.items():
        nulls += fleet.null_keys("partitions", name, topic=ValueFilter(frozenset(read)))
    if nulls:
        raise InputError(describe_null_keys(fleet.id, nulls))


def _distinct_texts(texts: Any) -> list[bytes]:
    return [text for text in codes_of(texts)[1] if text is not None]


def _parts(
    fleet: FleetFiles,
    cluster: str,
    tables: Mapping[str, Rows],
    topics: Mapping[str, set[bytes]],
    racks: bool,
    weights: bool,
) -> Iterator[tuple[str, dict[str, Any]]]:
    """The rows of each part, without the names of cluster and group."""
    groups, members, claims = (tables[name] for name in ("groups", "members", "assignments"))
    if count := len(groups["state"]):
        hidden = groups["hidden_topics"]
        has_claims = _cluster_has_claims(fleet, cluster, claims)
        yield (
            GROUP,
            {
                **{"state": groups["state"], "group_strategy": groups["strategy"]},
                **{"type": groups["type"], "coordinator": groups["coordinator"]},
                "inferred": np.array(groups["subscriptions_inferred"], np.bool_),
                "cluster_has_claims": np.full(count, has_claims),
                "hides": np.array([of is not None for of in hidden], np.bool_),
                "hidden": Lists.of(of or () for of in hidden),
            },
        )
    of_member = {f"{name}s": members[name] for name in ("instance_id", "rack", "client_id", "host")}
    of_member |= {"generations": _or_absent(members["generation"])}
    of_member |= {"capacities": np.array(members["capacity"], np.float64)}
    yield MEMBER, {"member_id": members["member_id"], **of_member}
    read = sorted(topics.get(cluster, ()))
    of_topics = TopicsRead(fleet, cluster, read, (*RACK_COLUMNS * racks, *WEIGHT_COLUMNS * weights))
    yield TOPIC, of_topics.sizes() | (of_topics.weights() if weights else {})
    yield SUBSCRIPTION, {name: tables["subscriptions"][name] for name in NAMES}
    owned = is_there(claims["member_id"])
    names = take(pa.Table.from_arrays([claims[name] for name in NAMES], NAMES), owned)
    numbers = {"partition": claims["partition"][owned]}
    numbers |= {"claim_generations": _or_absent(claims["generation"])[owned]}
    yield CLAIM, {name: as_one(names[name]) for name in NAMES} | numbers
    if racks:
        yield "place", of_topics.rack_sets()


def _cluster_has_claims(fleet: FleetFiles, cluster: str, claims: Rows) -> bool:
    """The group's own are read already: the others' matter only where it has none."""
    if not _distinct_texts(claims["member_id"]):
        claims = fleet.rows("assignments", ("cluster", "member_id"), cluster)
    return bool(_distinct_texts(claims["member_id"]))


def _or_absent(numbers: IntArray) -> IntArray:
    return np.where(numbers == NULL, ABSENT, numbers)


def _is_valid(text: bytes) -> bool:
    return spell(text).encode("utf-8") == text


_BASE64 = re.compile(rb"[A-Za-z0-9_-]{22}")
_HEX = re.compile(rb"[0-9A-F]{32}")


class TopicsRead:
    """Facts of topics of a cluster; `columns` of partitions are read beside the usual ones."""

    def __init__(
        self, fleet: FleetFiles, cluster: str, topics: Sequence[bytes], columns: Sequence[str]
    ) -> None:
        self.fleet, self.cluster, self.topics = fleet, cluster, topics
        columns = ("topic", "partition", "topic_id", *columns)
        wanted = ValueFilter(frozenset(topics))
        self.rows = fleet.rows("partitions", columns, cluster, topic=wanted)
        codes, names = codes_of(self.rows["topic"])
        ends = np.bincount(codes, minlength=len(names)).cumsum()
        rows_of = dict(zip(names, np.split(codes.argsort(kind="stable"), ends[:-1]), strict=False))
        self.rows_by_topic = [rows_of.get(topic, np.empty(0, np.int64)) for topic in topics]

    def sizes(self) -> dict[str, Any]:
        """Partitions of each topic, or what is wrong with it; and its id."""
        codes, texts = codes_of(self.rows["topic_id"])
        ids = [
            {_in_hex(texts[code]) for code in {*codes[rows].tolist()} if texts[code] is not None}
            for rows in self.rows_by_topic
        ]
        shared = _shared_ids(self.fleet, self.cluster, {text for of in ids for text in of if text})
        numbers = (self.rows["partition"][rows] for rows in self.rows_by_topic)
        sizes = [_size(of, own, shared) for of, own in zip(numbers, ids, strict=True)]
        least = [min(filter(None, of), default=None) for of in ids]
        return {"topic": self.topics, "topic_sizes": np.array(sizes, np.int64), "topic_ids": least}

    def rack_sets(self) -> dict[str, Any]:
        """The partitions of each topic with the same racks: of leader and replicas."""
        leaders, replicas = self.rows["leader_rack"].to_pylist(), self.rows["replica_racks"]
        alike: dict[Any, list[int]] = {}
        for topic, rows in zip(self.topics, self.rows_by_topic, strict=True):
            for row in rows.tolist():
                if leaders[row] is not None or replicas[row] is not None:
                    racks = sorted(rack for rack in replicas[row] or () if rack is not None)
                    numbers = alike.setdefault((topic, leaders[row], *racks), [])
                    numbers.append(int(self.rows["partition"][row]))
        return {
            "topic": [topic for topic, *_ in alike],
            "place_partitions": Lists.of(alike.values()).as_numbers(),
            "place_racks": Lists.of(racks for _, *racks in alike),
        }

    def weights(self) -> dict[str, Any]:
        """The partitions of each topic that have a weight, and the weight of each."""
        weights = np.array(self.rows["weight"], np.float64)
        weighted = [rows[~np.isnan(weights[rows])] for rows in self.rows_by_topic]
        rows = Lists.of(weighted).as_numbers()
        numbers = self.rows["partition"][rows.values]
        return {
            f"{COLUMN}_partitions": rows._replace(values=numbers),
            f"{COLUMN}_values": rows._replace(values=weights[rows.values]),
        }


def _size(numbers: IntArray, ids: set[bytes | None], shared: set[bytes]) -> int:
    """Partitions of a topic, or what is wrong with it: see `spark.groups.encode`."""
    if not len(numbers):
        return ABSENT
    faults = {
        NEGATIVE: numbers.min() < 0,
        TWICE: len(np.unique(numbers)) < len(numbers),
        GAPS: numbers.max() >= len(numbers),
        NO_ID: None in ids,
        TWO_IDS: len(ids) > 1,
        SHARED_ID: bool(ids & shared),
    }
    return next((fault for fault, applies in faults.items() if applies), len(numbers))


def _in_hex(text: bytes) -> bytes | None:
    """A topic id in 32 hex digits; None if it is neither that nor Kafka's 22 characters."""
    if _BASE64.fullmatch(text):
        return b64decode(text + b"==", b"-_").hex().upper().encode()
    digits = text.replace(b"-", b"").upper()
    return digits if _HEX.fullmatch(digits) else None


def _shared_ids(fleet: FleetFiles, cluster: str, ids: set[bytes]) -> set[bytes]:
    """The ids, among these, that several topics of the cluster have."""
    if not ids:
        return set()
    alike = ValueFilter(frozenset(), lambda text: _in_hex(text) in ids)
    rows = fleet.rows("partitions", ("topic", "topic_id"), cluster, topic_id=alike)
    users: dict[bytes | None, set[bytes]] = {}
    for topic, text in {*zip(*(rows[name].to_pylist() for name in rows), strict=True)}:
        users.setdefault(_in_hex(text), set()).add(topic)
    return {text for text, topics in users.items() if text and len(topics) > 1}
