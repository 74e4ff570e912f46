"""The row of one group, of files without Spark or of DataFrames."""

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
    FleetFiles,
    FleetSnapshot,
    Rows,
    groups_like,
    is_named,
    names_wanted,
    near_miss,
    spelled,
)
from spark.groups.coordinators import (
    OFFSETS_TOPIC,
    CoordinatorLocation,
    OffsetsTopic,
    location_of,
    offsets_topics,
)
from spark.groups.cut import groups_of
from spark.groups.encode import encode
from spark.groups.encoded_row import EncodedRow
from spark.groups.one_groups_topics import TopicsRead
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
from spark.store import NULL, ValueFilter, as_one, coded, is_there, taken

COLUMNS = {
    "groups": (
        *("state", "strategy", "subscriptions_inferred", "type", "coordinator", "hidden_topics"),
    ),
    "members": (
        *("member_id", "instance_id", "rack", "client_id", "host", "generation", "capacity"),
    ),
    "subscriptions": ("member_id", "topic"),
    "assignments": ("topic", "partition", "member_id", "generation"),
}
"""What is read of the tables that name a group, beside its own name and its cluster's."""

NAMES = ("member_id", "topic")
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
    topics = _topics_read(tables["subscriptions"])
    _check_keys(fleet, cluster, named, topics)
    of = sorted({spelled(item) for rows in tables.values() for item in _different(rows["cluster"])})
    if not of:
        raise InputError(no_such_group(fleet, group, cluster))
    if len(of) > 1:
        raise InputError(several_clusters(group, of))
    texts = {
        key: [t for rows in tables.values() for t in _different(rows[key])] for key in GROUP_KEYS
    }
    name = {
        key: next((t for t in items if not _is_valid(t)), items[0]) for key, items in texts.items()
    }
    parts = {}
    for part, rows in _parts(fleet, of[0], tables, topics.get(of[0], []), racks, weights):
        count = len(next(iter(rows.values())))
        parts[part] = rows | {key: [text] * count for key, text in name.items()}
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


def _topics_read(subscriptions: Rows) -> dict[str, list[bytes]]:
    """The topics that are subscribed to in each cluster, sorted."""
    pairs = zip(*(subscriptions[name].to_pylist() for name in ("cluster", "topic")), strict=True)
    result: dict[str, set[bytes]] = {}
    for cluster, topic in {*pairs}:
        if cluster is not None and topic is not None:
            result.setdefault(spelled(cluster), set()).add(topic)
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


def _different(texts: Any) -> list[bytes]:
    return [item for item in coded(texts)[1] if item is not None]


def _parts(
    fleet: FleetFiles,
    cluster: str,
    tables: Mapping[str, Rows],
    topics: Sequence[bytes],
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
    read = TopicsRead(fleet, cluster, topics, (*RACK_COLUMNS * racks, *WEIGHT_COLUMNS * weights))
    yield TOPIC, read.sizes()
    yield SUBSCRIPTION, {name: tables["subscriptions"][name] for name in NAMES}
    owned = is_there(claims["member_id"])
    names = taken(pa.Table.from_arrays([claims[name] for name in NAMES], NAMES), owned)
    numbers = {"partition": claims["partition"][owned]}
    numbers |= {"claim_generations": _or_absent(claims["generation"])[owned]}
    yield CLAIM, {name: as_one(names[name]) for name in NAMES} | numbers
    if racks:
        yield "place", read.rack_sets()
    if weights:
        yield COLUMN, read.weights()


def _cluster_has_claims(fleet: FleetFiles, cluster: str, claims: Rows) -> bool:
    """The group's own are read already: the others' matter only where it has none."""
    if not _different(claims["member_id"]):
        claims = fleet.rows("assignments", ("cluster", "member_id"), cluster)
    return bool(_different(claims["member_id"]))


def _or_absent(numbers: IntArray) -> IntArray:
    return np.where(numbers == NULL, ABSENT, numbers)


def seat_of(fleet: FleetSnapshot | FleetFiles, row: EncodedRow) -> CoordinatorLocation:
    """What a snapshot's tables tell of the coordinator of a group."""
    if isinstance(fleet, FleetFiles):
        columns, topic = ("partition", "leader"), names_wanted([OFFSETS_TOPIC])
        led = fleet.rows("partitions", columns, row.cluster, topic=topic)
        pairs = [*zip(*(led[name].tolist() for name in columns), strict=True)]
        offsets = OffsetsTopic.of(pairs) if pairs else None
    else:
        partitions = fleet.tables["partitions"].where(is_named("cluster", [row.cluster]))
        offsets = offsets_topics(partitions).get(row.cluster)
    return location_of(row.group, row.coordinator, offsets)


def _is_valid(text: bytes) -> bool:
    return spelled(text).encode("utf-8") == text
