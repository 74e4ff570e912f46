"""One group read without Spark: its row is the one that `spark.groups.encode` makes of it."""

from collections.abc import Iterable, Mapping
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray
from spark.errors import InputError
from spark.fleet import (
    TABLES,
    FleetFiles,
    FleetSnapshot,
    Rows,
    groups_like,
    names_wanted,
    near_miss,
    spelled,
)
from spark.groups.coordinators import OFFSETS_TOPIC, CoordinatorLocation, OffsetsTopic, location_of
from spark.groups.encode import ABSENT
from spark.groups.invalid_utf8 import NAMES, OF_GROUP, TEXT_COLUMNS
from spark.groups.one_groups_topics import objects, topics_of
from spark.store import NULL, ValueFilter, coded
from spark.text import did_you_mean

COLUMNS = {
    "groups": ("state", "strategy", "subscriptions_inferred", "type", "hidden_topics"),
    "members": ("member_id", "instance_id", "rack", "client_id", "host", "generation"),
    "subscriptions": ("member_id", "topic"),
    "assignments": ("topic", "partition", "member_id", "generation"),
}
"""What is read of the tables that name a group, beside its own name and its cluster's."""

WITH_CAPACITY = {"members": (*COLUMNS["members"], "capacity")}
"""The same where weights matter."""


def row_of_group(
    fleet: FleetFiles,
    group: str,
    cluster: str | None = None,
    racks: bool = False,
    weights: bool = False,
) -> Any:
    """The row of one group; a name that isn't UTF-8 is meant by how it is spelled.

    `weights` are those of the partitions' own column.
    Where `encode` has hashes these are numbers of this row's own. Raises InputError when there is
    no such group, when several clusters have one and none is chosen, and for null keys.
    """
    named = names_wanted([group])
    tables = {
        name: fleet.rows(name, ("cluster", "group", *columns), cluster, group=named)
        for name, columns in (COLUMNS | (WITH_CAPACITY if weights else {})).items()
    }
    topics = _topics_read(tables["subscriptions"])
    _check_keys(fleet, cluster, named, topics)
    of = sorted({spelled(item) for rows in tables.values() for item in _different(rows["cluster"])})
    if not of:
        raise InputError(no_such_group(fleet, group, cluster))
    if len(of) > 1:
        raise InputError(several_clusters(group, of))
    return _Row(fleet, tables, of[0], topics.get(of[0], []), racks, weights).whole()


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


def _topics_read(subscriptions: Rows) -> dict[str, list[bytes]]:
    """The topics that are subscribed to in each cluster, sorted."""
    (of, clusters), (codes, topics) = map(coded, map(subscriptions.get, ("cluster", "topic")))
    result: dict[str, set[bytes]] = {}
    for at, topic in {*zip(of.tolist(), codes.tolist(), strict=True)}:
        if clusters[at] is not None and topics[topic] is not None:
            result.setdefault(spelled(clusters[at]), set()).add(topics[topic])
    return {cluster: sorted(items) for cluster, items in result.items()}


def _check_keys(
    fleet: FleetFiles, cluster: str | None, named: ValueFilter, topics: Mapping[str, list[bytes]]
) -> None:
    """Raise InputError for null keys in the group's rows."""
    nulls = fleet.null_keys("brokers")
    for name, table in TABLES.items():
        if table.by_group:
            nulls += fleet.null_keys(name, cluster, group=named)
    for item, read in topics.items():
        nulls += fleet.null_keys("partitions", item, topic=ValueFilter(frozenset(read)))
    fleet.check_keys(nulls)


BESIDE = ("client_ids", "hosts")
"""Texts that are spelled somehow if they aren't valid: a group is sound without them."""


def _different(texts: Any) -> list[bytes]:
    return [item for item in coded(texts)[1] if item is not None]


class _Row:
    """A row in the making: of each column the names as bytes, as which they are sorted."""

    def __init__(
        self,
        fleet: FleetFiles,
        tables: Mapping[str, Rows],
        cluster: str,
        topics: list[bytes],
        racks: bool,
        weights: bool,
    ) -> None:
        self.fleet, self.tables, self.cluster = fleet, tables, cluster
        self.topics, self.racks, self.weights = topics, racks, weights
        self.members: dict[bytes, int] = {}
        self.numbers: dict[bytes, int] = {topic: number for number, topic in enumerate(topics)}

    def whole(self) -> Any:
        """All of its columns."""
        columns = self._group_columns() | self._members() | self._subscriptions() | self._claims()
        columns["invalid_utf8"] = self._invalid_utf8(columns)
        texts = {name: objects(map(_spelled, columns[name])) for name in (*NAMES, *BESIDE)}
        group_texts = {name: _spelled(columns[name]) for name in TEXT_COLUMNS}
        group_texts["type"] = group_texts["type"] and group_texts["type"].lower()
        topics = topics_of(self.fleet, self.cluster, self.topics, self.racks, self.weights)
        return SimpleNamespace(cluster=self.cluster, **columns | texts | group_texts | topics)

    def _group_columns(self) -> dict[str, Any]:
        """A value of the group as a whole; of several rows the least."""
        rows = self.tables["groups"]
        (name, *_) = [item for table in self.tables.values() for item in _different(table["group"])]
        return {
            "group": spelled(name),
            "listed": max(len(rows["group"]), 1),
            "state": min(_different(rows["state"]), default=None),
            "group_strategy": min(_different(rows["strategy"]), default=None),
            "type": min(_different(rows["type"]), default=None),
            "inferred": any(rows["subscriptions_inferred"]),
            "cluster_has_claims": self._cluster_has_claims(),
            "hidden": _hidden(rows["hidden_topics"]),
        }

    def _cluster_has_claims(self) -> bool:
        """The group's own are read already: the others' matter only where it has none."""
        if _different(self.tables["assignments"]["member_id"]):
            return True
        claims = self.fleet.rows("assignments", ("cluster", "member_id"), self.cluster)
        return bool(_different(claims["member_id"]))

    def _members(self) -> dict[str, Any]:
        """In the order of their ids; those of one id by what else there is of them."""
        rows = self.tables["members"]
        names = ("member_id", "instance_id", "rack", "client_id", "host")
        texts = [rows[name].to_pylist() for name in names]
        generations = _or_absent(rows["generation"]).tolist()
        capacities = rows["capacity"] if self.weights else [None] * len(generations)
        members = sorted(zip(*texts, generations, capacities, strict=True), key=_nulls_first)
        columns = zip(*members, strict=True) if members else ((),) * 7
        ids, instances, racks, clients, hosts, numbers, capacities = columns
        of_weights = {"capacities": np.array(capacities, np.float64)} if self.weights else {}
        return of_weights | {
            "member_ids": ids,
            "member_hashes": self._numbered(self.members, ids),
            "instance_ids": instances,
            "racks": racks,
            "client_ids": clients,
            "hosts": hosts,
            "generations": np.array(numbers, np.int32),
        }

    def _subscriptions(self) -> dict[str, Any]:
        rows = self.tables["subscriptions"]
        members = self._codes(self.members, rows["member_id"])
        topics = self._codes(self.numbers, rows["topic"])
        return {
            "topics": self.topics,
            "topic_hashes": self._numbered(self.numbers, self.topics),
            "subscriber_counts": np.bincount(topics, minlength=len(self.topics)).astype(np.int32),
            "subscribers": members[np.argsort(topics, kind="stable")],
        }

    def _claims(self) -> dict[str, Any]:
        rows = self.tables["assignments"]
        codes, claimants = coded(rows["member_id"])
        values = np.array([claimant is not None for claimant in claimants], np.bool_)[codes]
        (of_topic, topics), partitions = coded(rows["topic"]), rows["partition"]
        claimed = [topics[code] for code in np.unique(of_topic[values]).tolist()]
        owners = [claimant for claimant in claimants if claimant is not None]
        return {
            "claim_topics": self._codes(self.numbers, rows["topic"])[values],
            "claim_partitions": partitions[values].astype(np.int32),
            "claim_members": self._codes(self.members, rows["member_id"])[values],
            "claim_generations": _or_absent(rows["generation"])[values],
            "claimed_topics": sorted(claimed),
            "claimed_topic_hashes": self._numbered(self.numbers, sorted(claimed)),
            "claimants": sorted(owners),
            "claimant_hashes": self._numbered(self.members, sorted(owners)),
        }

    def _numbered(self, entries: dict[bytes, int], names: Iterable[bytes]) -> IntArray:
        """The number of each name; one that isn't known gets the next."""
        return np.array([entries.setdefault(name, len(entries)) for name in names], np.int64)

    def _codes(self, entries: dict[bytes, int], texts: Any) -> IntArray:
        """The same of a column, in which names come many times; a null has a number as well."""
        codes, names = coded(texts)
        return self._numbered(entries, names)[codes]

    def _invalid_utf8(self, columns: Mapping[str, Any]) -> bytes | None:
        """Texts that aren't valid, as `spark.groups.invalid_utf8` has them."""
        keys = (
            item
            for rows in self.tables.values()
            for key in ("cluster", "group")
            for item in _different(rows[key])
        )
        report = [] if all(map(_is_valid, keys)) else [OF_GROUP.encode()]
        texts = {name: columns[name] for name in NAMES} | {
            name: (columns[name],) for name in TEXT_COLUMNS
        }
        report += [
            f"{(NAMES | TEXT_COLUMNS)[name]} ".encode() + text
            for name, of_name in texts.items()
            for text in of_name
            if not _is_valid(text)
        ]
        return b"\0".join(report) if report else None


def _hidden(lists: list[list[bytes] | None]) -> Any:
    topics = min((item for item in lists if item is not None), default=None)
    return None if topics is None else objects(map(spelled, topics))


def _is_valid(text: bytes | None) -> bool:
    return text is None or spelled(text).encode("utf-8") == text


def _spelled(text: bytes | None) -> str | None:
    return None if text is None else spelled(text)


def _or_absent(numbers: IntArray) -> NDArray[np.int32]:
    return np.where(numbers == NULL, ABSENT, numbers).astype(np.int32)


def _nulls_first(values: tuple[Any, ...]) -> tuple[tuple[bool, Any], ...]:
    return tuple((value is not None, value) for value in values)


def seat_of_group(fleet: FleetFiles, cluster: str, group: str) -> CoordinatorLocation:
    """What a snapshot's tables tell of a group's coordinator."""
    columns, topic = ("partition", "leader"), names_wanted([OFFSETS_TOPIC])
    kept_in = fleet.rows("partitions", columns, cluster, topic=topic)
    named = names_wanted([group])
    coordinator = fleet.rows("groups", ("coordinator",), cluster, group=named)["coordinator"]
    broker = min(coordinator[coordinator >= 0].tolist(), default=None)
    pairs = [*zip(kept_in["partition"].tolist(), kept_in["leader"].tolist(), strict=True)]
    return location_of(group, broker, OffsetsTopic.of(pairs) if pairs else None)
