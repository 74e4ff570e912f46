"""Clusters with known answers: what a record states, and where a plan differs from it.

A record has `brokers` (id, rack, usable), `partitions` (topic, partition, replicas in order,
target_rf) and the optima: `optimal` and `optimal_with_topics` (rack_squares, replica_squares,
topic_squares, copies), `leaders_among_current_usable` (leaders_squared, changes, or None).
"""

from collections.abc import Iterator
from typing import Any

from optimizer.replicas import (
    BALANCE,
    COPIES,
    TOPICS,
    Broker,
    Cluster,
    InvalidClusterError,
    Partition,
    ReplicaGoals,
    ReplicaPlan,
    plan_replicas,
)
from tests.optimizer.replicas.clusters import leaders_measured, measured, rack_squares, replicas_of

WITH_TOPICS = ReplicaGoals(levels=(BALANCE, TOPICS, COPIES))

GOALS = {
    "optimal": ReplicaGoals(),
    "optimal_with_topics": WITH_TOPICS,
    "leaders_among_current_usable": ReplicaGoals(leaders_only=True),
}
"""With which goals a plan comes to what a record tells under each name."""


def cluster_of(record: dict[str, Any]) -> Cluster:
    """The cluster of a record. Brokers that aren't usable are left, and can be copied from."""
    return Cluster(
        brokers=[Broker(one["id"], one["rack"], one["usable"]) for one in record["brokers"]],
        partitions=[
            Partition(one["topic"], one["partition"], one["replicas"], one["target_rf"])
            for one in record["partitions"]
        ],
    )


def differences(record: dict[str, Any], plan: ReplicaPlan) -> list[str]:
    """A sentence for each difference; none if the plan is as good as the record says.

    The plan is measured from its lists of replicas alone. What the record tells under goals other
    than the plan's is compared with plans that are made here, so nothing in it goes unread.
    """
    try:
        cluster = cluster_of(record)
        cluster.check()
    except (InvalidClusterError, KeyError, TypeError) as error:
        return [f"the record is of no cluster: {error!r}"]
    own = next((name for name, goals in GOALS.items() if goals == plan.goals), None)
    if own is None:
        return [f"no record tells what {plan.goals} come to"]
    result = list(_compared(record, cluster, own, plan))
    for name, goals in GOALS.items():
        if name != own and name in record:
            result += _compared(record, cluster, name, plan_replicas(cluster, goals))
    return result


def _compared(
    record: dict[str, Any], cluster: Cluster, name: str, plan: ReplicaPlan
) -> Iterator[str]:
    expected = record.get(name)
    if expected is None:
        if not plan.left_out:
            yield f"{name}: there is an answer for every partition, and the record has none"
        return
    faults = list(_faults(cluster, plan))
    if faults:
        yield from (f"{name}: {fault}" for fault in faults)
        return
    result = _measured(cluster, plan)
    for key in expected:
        if expected[key] != result.get(key):
            yield f"{name}: {key} is {result.get(key)}, the record has {expected[key]}"
    if plan.optimal == "not proven":
        yield f"{name}: the plan isn't proven"


def _faults(cluster: Cluster, plan: ReplicaPlan) -> Iterator[str]:
    """What no plan of the record's cluster may have."""
    before = replicas_of(cluster)
    if plan.replicas.keys() != before.keys():
        names = sorted(plan.replicas.keys() ^ before.keys())
        yield f"the plan and the record have different partitions: {names}"
        return
    wanted = {(one.topic, one.partition): one.replication_factor for one in cluster.partitions}
    usable = {broker.id for broker in cluster.brokers if broker.usable}
    left_out = {(item.topic, item.partition) for item in plan.left_out}
    moving = {(change.topic, change.partition): change.before for change in plan.changes}
    for name, replicas in plan.replicas.items():
        if tuple(moving.get(name, replicas)) != before[name]:
            yield f"{name} was on {moving.get(name, replicas)}, in the record on {before[name]}"
        if len(set(replicas)) < len(replicas):
            yield f"{name} has a broker twice: {replicas}"
        if plan.goals.leaders_only:
            if set(replicas) != set(before[name]):
                yield f"{name} has other replicas than before: {replicas}"
            if replicas[0] not in usable:
                yield f"{name} is led by a broker that isn't usable: {replicas[0]}"
        elif name in left_out:
            yield f"{name} is left out"
        else:
            if len(replicas) != wanted[name]:
                yield f"{name} has {len(replicas)} replicas, not {wanted[name]}"
            if set(replicas) - usable:
                yield f"{name} is on brokers that aren't usable: {replicas}"


def _measured(cluster: Cluster, plan: ReplicaPlan) -> dict[str, float]:
    """What a record has of a plan under its goals."""
    if plan.goals.leaders_only:
        leaders = {name: replicas[0] for name, replicas in plan.replicas.items()}
        squares, _, changes = leaders_measured(cluster, leaders, {})
        return {"leaders_squared": squares, "changes": changes}
    balance, topics, copies = measured(cluster, WITH_TOPICS, plan.replicas)
    return {
        "rack_squares": rack_squares(cluster, plan.replicas),
        "replica_squares": balance,
        "topic_squares": topics,
        "copies": copies,
    }
