"""A snapshot of live clusters, several at a time."""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from spark.fleet import SourceTables, why_hidden
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, UnreachableError
from spark.sources.live.read_cluster import Report, no_report, read_cluster
from spark.sources.live.tables import tables_of

AT_A_TIME = 8


@dataclass(frozen=True, kw_only=True)
class Collected(SourceTables):
    """The tables of one cluster, none when it can't be reached, and how it went.

    `statuses` has a row for each group that something is out of order about; `leaderless` is the
    number of topics some of whose partitions have no leader.
    """

    cluster: str
    requests: int
    seconds: float
    statuses: Sequence[dict[str, Any]] = ()
    leaderless: int = 0

    @property
    def state(self) -> str:
        """Whether the cluster was read, and wholly: without a leader nothing of a log is known."""
        if not self.tables:
            return "unreachable"
        return "incomplete" if self.left_out or self.leaderless else "whole"

    def row(self) -> dict[str, Any]:
        """The cluster with the sizes of its tables, and what reading took."""
        tables = ("brokers", "groups", "members", "partitions")
        return {
            "cluster": self.cluster,
            "state": self.state,
            **{name: len(self.tables[name]) if self.tables else None for name in tables},
            "requests": self.requests,
            "seconds": round(self.seconds, 2),
        }


def collect_clusters(clusters: Sequence[Cluster], report: Report = no_report) -> list[Collected]:
    """Read clusters, at most AT_A_TIME at once. InputError when a secret isn't there.

    `tell` hears of the groups of all of them together.
    """
    counts = dict.fromkeys((cluster.name for cluster in clusters), (0, 0))

    def read(cluster: Cluster) -> Collected:
        def count(done: int, of: int) -> None:
            counts[cluster.name] = done, of
            report(*map(sum, zip(*counts.values(), strict=True)))

        return collect_cluster(cluster, count)

    with ThreadPoolExecutor(AT_A_TIME) as threads:
        return list(threads.map(read, clusters))


def collect_cluster(cluster: Cluster, report: Report = no_report) -> Collected:
    """Read one cluster; the result says what can't be had."""
    begun = time.monotonic()
    try:
        with Connection(cluster) as brokers:
            reading = read_cluster(cluster, brokers, report)
            requests = brokers.requests
    except UnreachableError as error:
        return Collected(
            tables={},
            left_out=[str(error)],
            cluster=cluster.name,
            requests=error.requests,
            seconds=time.monotonic() - begun,
        )
    tables = tables_of(cluster, reading)
    statuses = [
        {"cluster": cluster.name, "group": group.name, "status": group.status, "reason": reason}
        for group in reading.groups
        if (reason := group.reason or group.why_unsupported or why_hidden(group.hidden_topics))
    ]
    return Collected(
        tables=tables,
        notes=reading.notes,
        left_out=reading.missing,
        cluster=cluster.name,
        requests=requests,
        seconds=time.monotonic() - begun,
        statuses=statuses,
        leaderless=len(reading.leaderless),
    )
