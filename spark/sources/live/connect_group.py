"""Clusters of Kafka Connect's workers, from what DescribeGroups answers."""

from typing import Any

from spark.fleet import CONNECT, REBALANCING_STATES, connector_topic
from spark.sources.live.cluster import Cluster
from spark.sources.live.connect_metadata import (
    INSTANCE,
    Orders,
    Task,
    read_worker_assignment,
    read_worker_metadata,
)
from spark.sources.live.group import DescribedGroup, DescribedMember, unknown


def read_connect_group(described: Any, cluster: Cluster) -> DescribedGroup:
    """A group of DescribeGroupsResponse whose members are workers.

    Connectors are its topics, which every worker may run, and their tasks partitions. What a worker
    runs is what it ran when it joined, without what its leader stopped, and what it was given since
    (WorkerCoordinator.onJoinComplete). Connectors themselves, which do next to no work, are left
    out; and so are those without tasks. While workers rebalance, nothing tells what they run.
    """
    name, state = described.group_id, described.group_state
    if state in REBALANCING_STATES:
        members = tuple(_worker(member, cluster) for member in described.members)
        reason = (
            f"the workers are rebalancing (state {state}): Connect doesn't report their tasks "
            "meanwhile"
        )
        return DescribedGroup(name, state, members=members, reason=reason, type=CONNECT)
    read = [_read(member) for member in described.members]
    running = [item for item in read if item is not None]
    if len(running) < len(read):
        return unknown(name, "what a worker runs can't be decoded", CONNECT)
    entries = {
        (connector_topic(name, connector), number)
        for before, orders in running
        for connector, number in (*before, *orders.run, *orders.stop)
        if number != INSTANCE
    }
    tasks: dict[str, int] = {}
    for topic, number in sorted(entries):
        tasks[topic] = number + 1
    return DescribedGroup(
        name,
        state,
        described.protocol_data or None,
        members=tuple(
            _worker(
                member,
                cluster,
                topics=tuple(tasks),
                owned=tuple(
                    (connector_topic(name, connector), number)
                    for connector, number in _runs(*item)
                    if number != INSTANCE
                ),
            )
            for member, item in zip(described.members, running, strict=True)
        ),
        type=CONNECT,
        tasks=tasks,
    )


def _read(described: Any) -> tuple[tuple[Task, ...], Orders] | None:
    """What a worker ran when it joined, and its orders since. No bytes at all: there are none."""
    before = read_worker_metadata(described.member_metadata)
    member_assignment = described.member_assignment
    orders = read_worker_assignment(member_assignment) if member_assignment else Orders()
    return None if before is None or orders is None else (before, orders)


def _runs(before: tuple[Task, ...], orders: Orders) -> list[Task]:
    stopped = set(orders.stop)
    return sorted({task for task in before if task not in stopped}.union(orders.run))


def _worker(described: Any, cluster: Cluster, **values: Any) -> DescribedMember:
    return DescribedMember(
        member_id=described.member_id,
        client_id=described.client_id,
        host=described.client_host,
        rack=cluster.rack_in(described.client_id),
        **{"topics": (), **values},
    )
