"""Looks at groups of a live cluster until their plans take effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce.evaluate_group import Status, Verdict, evaluate_group
from spark.enforce.guest_connection import GuestConnection
from spark.enforce.rebalance import RebalanceError, make_rebalance
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, UnreachableError
from spark.sources.live.describe_groups import GroupReader
from spark.sources.live.group import DescribedGroup


class _Live(NamedTuple):
    """What is open while the brokers answer."""

    brokers: Connection
    reader: GroupReader
    guests: GuestConnection


class GroupWatcher:
    """A connection to a cluster that is made again when a broker has stopped to answer.

    `with GroupWatcher(cluster, plans) as watcher:`; plans are by group. To begin
    with the cluster has to be there: UnreachableError. Later it may be away.
    """

    def __init__(self, cluster: Cluster, plans: Mapping[str, GroupPlan]) -> None:
        self.groups: dict[str, DescribedGroup] = {}
        self._cluster, self._plans = cluster, plans
        self._live: _Live | None = None

    def __enter__(self) -> GroupWatcher:
        self._open()
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def look(self, names: frozenset[str]) -> dict[str, Verdict]:
        """What is to be said of these groups now; what they are like is then in `groups`."""
        try:
            brokers, reader, _ = self._live or self._open()
            groups = reader.read(names)
        except UnreachableError as error:
            return dict.fromkeys(names, Verdict(Status.UNKNOWN, str(error), 0, False))
        self.groups |= groups
        counts = {topic.name: len(topic.partitions) for topic in brokers.metadata.topics}
        result = {name: evaluate_group(self._plans[name], groups[name], counts) for name in names}
        if any(verdict.status is Status.UNKNOWN for verdict in result.values()):
            self._close()  # who didn't answer isn't asked again over a connection
        return result

    def make_rebalance(self, name: str) -> str | None:
        """Let a group that was examined assign again; returns why it couldn't be made to."""
        try:
            brokers, reader, guests = self._live or self._open()
            make_rebalance(brokers, guests, reader, self.groups[name], self._cluster.timeout)
        except (RebalanceError, UnreachableError) as error:
            return str(error)
        return None

    def _open(self) -> _Live:
        brokers = Connection(self._cluster)
        reader = GroupReader(brokers, self._cluster, self._plans)
        guests = GuestConnection(self._cluster, brokers.metadata)
        self._live = _Live(brokers, reader, guests)
        return self._live

    def _close(self) -> None:
        if self._live is not None:
            self._live.guests.close()
            self._live.brokers.__exit__()
            self._live = None
