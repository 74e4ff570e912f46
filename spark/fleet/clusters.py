"""Which clusters the snapshots of a store have, and which snapshot is the newest of each.

Clusters are collected one by one as well as together, so that the newest snapshot of a store may
have one of them only. The fleet at an instant is the newest whole snapshot of each cluster, as far
as a greatest age reaches back from that instant.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import reduce
from typing import NamedTuple

from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from spark.fleet.store import ID_OF_FILE, is_not_there

MAX_AGE = timedelta(hours=24)
"""How much older than the newest snapshot of all that of a cluster may be."""

NAMING = ("groups", "members", "partitions", "brokers")
"""The smaller tables: what a cluster has at all, one of them names."""

Held = Mapping[str, Sequence[str]]
"""The clusters of snapshots, by id, oldest first."""


class Composition(NamedTuple):
    """What a fleet is read from: for each cluster the id of a snapshot; `id` is the newest.

    Without `instants` it is that one snapshot, whichever clusters it has. `left_out` has the
    clusters of the last snapshot beyond reach that aren't among them, with its id.
    """

    id: str
    instants: Mapping[str, str] = {}
    left_out: Mapping[str, str] = {}


def compositions(
    session: SparkSession, store: str, there: Sequence[str], max_age: timedelta
) -> tuple[Composition, Composition | None]:
    """The newest fleet of these whole snapshots, oldest first, and what there is of it before that.

    Before is, for each cluster, the last snapshot that has it before the one that is taken; where
    none within reach has it, the last one before all those, which may not have it either.
    """
    near = within_reach(there, max_age)
    beyond = [one for one in there if one < near[0]][-1:]
    if len(there) == 1:
        return Composition(near[0]), None
    held = clusters_in(session, store, [*beyond, *near])
    newest = newest_of_each({one: held[one] for one in near})
    left_out = {cluster: one for one in beyond for cluster in held[one] if cluster not in newest}
    if len(near) == 1:
        return Composition(near[0], newest, left_out), Composition(beyond[0])
    before = dict.fromkeys(newest, beyond[0]) if beyond else {}
    before |= ones_before({one: held[one] for one in near}, newest)
    earlier = Composition(max(before.values()), before) if before else None
    return Composition(near[-1], newest, left_out), earlier


def time_of(snapshot: str) -> datetime | None:
    """The time that an id like 20261121T060000Z tells; None for ids that tell none."""
    if not re.fullmatch(r"\d{8}T\d{6}Z", snapshot, re.ASCII):
        return None
    try:
        return datetime.strptime(snapshot, "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
    except ValueError:  # the 30th of February
        return None


def within_reach(snapshots: Sequence[str], max_age: timedelta) -> list[str]:
    """Those that are at most `max_age` older than the last, oldest first.

    An id that is no time has no age: such a snapshot reaches nothing, and nothing reaches it.
    """
    newest = snapshots[-1]
    end = time_of(newest)
    if end is None:
        return [newest]
    return [one for one in snapshots if (at := time_of(one)) and end - at <= max_age]


def clusters_in(session: SparkSession, store: str, snapshots: Sequence[str]) -> Held:
    """The clusters of each of these snapshots, sorted; none where no file of it can be read.

    One job that reads one column, of the tables of `NAMING`. A broken file is passed over: whether
    that matters shows when the snapshot is read.
    """
    found: dict[str, list[str]] = {one: [] for one in snapshots}
    folders = f"{{{','.join(NAMING)}}}/snapshot={{{','.join(snapshots)}}}"
    snapshot = F.regexp_extract("_metadata.file_path", ID_OF_FILE.pattern, 1).alias("snapshot")
    try:
        files = (
            session.read.schema("cluster string")
            .option("recursiveFileLookup", "true")
            .option("ignoreCorruptFiles", "true")
            .parquet(f"{store.rstrip('/')}/{folders}")
        )
        rows = files.select(snapshot, "cluster").dropna().distinct().collect()
    except AnalysisException as error:
        if not is_not_there(error):
            raise
        rows = []
    for row in rows:
        found[row.snapshot].append(row.cluster)
    return {one: sorted(clusters) for one, clusters in found.items()}


def clusters_of(tables: Mapping[str, DataFrame]) -> list[str]:
    """The clusters of one snapshot's tables, sorted."""
    named = (tables[name].select("cluster") for name in NAMING if name in tables)
    return sorted(
        row.cluster for row in reduce(DataFrame.unionAll, named).dropna().distinct().collect()
    )


def newest_of_each(held: Held) -> dict[str, str]:
    """For each cluster the newest snapshot that has it, in the order of their names."""
    newest = {cluster: one for one, clusters in held.items() for cluster in clusters}
    return dict(sorted(newest.items()))


def ones_before(held: Held, newest: Mapping[str, str]) -> dict[str, str]:
    """For each cluster the snapshot with it that comes before that one, where there is any."""
    older = {
        one: [cluster for cluster in clusters if one < newest.get(cluster, "")]
        for one, clusters in held.items()
    }
    return newest_of_each(older)
