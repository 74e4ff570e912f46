"""A snapshot of live clusters, several at a time."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, UnreachableError
from spark.sources.live.read_cluster import read_cluster
from spark.sources.live.tables import tables_of

AT_A_TIME = 8


@dataclass(frozen=True)
class Collected:
    """The tables of one cluster, None when it can't be reached, and how it went.

    `missing` are sentences about what should be in the tables and isn't, `notes` about what to
    know of the rest, `statuses` a row for each group that something is out of order about.
    """

    cluster: str
    tables: dict[str, pa.Table] | None
    requests: int
    seconds: float
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()
    statuses: Sequence[dict[str, Any]] = ()


def collect_clusters(clusters: Sequence[Cluster]) -> list[Collected]:
    """Read clusters, at most AT_A_TIME at once. InputError when a secret isn't there."""
    with ThreadPoolExecutor(AT_A_TIME) as threads:
        return list(threads.map(collect_cluster, clusters))


def collect_cluster(cluster: Cluster) -> Collected:
    """Read one cluster; what can't be had is said in the result."""
    begun = time.monotonic()
    try:
        with Connection(cluster) as brokers:
            reading = read_cluster(cluster, brokers)
            requests = brokers.requests
    except UnreachableError as error:
        return Collected(cluster.name, None, error.requests, time.monotonic() - begun, [str(error)])
    tables = tables_of(cluster, reading)
    statuses = [
        {"cluster": cluster.name, "group": g.name, "status": g.status, "reason": g.reason}
        for g in reading.groups
        if g.reason
    ]
    seconds = time.monotonic() - begun
    return Collected(
        cluster.name, tables, requests, seconds, reading.missing, reading.notes, statuses
    )
