"""Clusters with known answers: what a record states, and where a plan differs from it.

A record has `brokers` (id, rack, usable), `partitions` (topic, partition, replicas in order,
target_rf) and the optima: `optimal` and `optimal_with_topics` (rack_squares, replica_squares,
topic_squares, copies), `leaders_among_current_usable` (leaders_squared, changes, or None).
"""

from __future__ import annotations

from collections import Counter
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

Name = tuple[str, int]

GOALS = {
    "optimal": ReplicaGoals(),
    "optimal_with_topics": ReplicaGoals(levels=(BALANCE, TOPICS, COPIES)),
    "leaders_among_current_usable": ReplicaGoals(leaders_only=True),
}
"""With which goals a plan comes to what a record tells under each name."""


def cluster_of(record: dict[str, Any]) -> Cluster:
    """The cluster of a record. Brokers that aren't usable are left, and can be copied from."""
    return Cluster(
        brokers=[
            Broker(broker["id"], rack=broker["rack"], usable=broker["usable"])
            for broker in record["brokers"]
        ],
        partitions=[
            Partition(
                partition["topic"],
                partition["partition"],
                partition["replicas"],
                partition["target_rf"],
            )
            for partition in record["partitions"]
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
    result = list(_compared(record, own, plan))
    for name, goals in GOALS.items():
        if name != own and name in record:
            result += _compared(record, name, plan_replicas(cluster, goals))
    return result


def _compared(record: dict[str, Any], name: str, plan: ReplicaPlan) -> Iterator[str]:
    expected = record.get(name)
    if expected is None:
        if not plan.left_out:
            yield f"{name}: there is an answer for every partition, and the record has none"
        return
    faults = list(_faults(record, plan))
    if faults:
        yield from (f"{name}: {fault}" for fault in faults)
        return
    is_of_leaders = name == "leaders_among_current_usable"
    measured = _leaders(record, plan) if is_of_leaders else _replicas(record, plan)
    for key in expected:
        if expected[key] != measured.get(key):
            yield f"{name}: {key} is {measured.get(key)}, the record has {expected[key]}"
    if plan.optimal == "not proven":
        yield f"{name}: the plan isn't proven"


def _faults(record: dict[str, Any], plan: ReplicaPlan) -> Iterator[str]:
    """What no plan of the record's cluster may have."""
    settings = {
        (partition["topic"], partition["partition"]): partition
        for partition in record["partitions"]
    }
    if plan.replicas.keys() != settings.keys():
        names = sorted(plan.replicas.keys() ^ settings.keys())
        yield f"the plan and the record have different partitions: {names}"
        return
    usable = {broker["id"] for broker in record["brokers"] if broker["usable"]}
    left_out = {(item.topic, item.partition) for item in plan.left_out}
    moving = {(change.topic, change.partition): change.before for change in plan.changes}
    for name, replicas in plan.replicas.items():
        old = settings[name]["replicas"]
        if list(moving.get(name, replicas)) != list(old):
            yield f"{name} was on {moving.get(name, replicas)}, in the record on {old}"
        if len(set(replicas)) < len(replicas):
            yield f"{name} has a broker twice: {replicas}"
        if plan.goals.leaders_only:
            if set(replicas) != set(old):
                yield f"{name} has other replicas than before: {replicas}"
        elif name in left_out:
            yield f"{name} is left out"
        else:
            if len(replicas) != settings[name]["target_rf"]:
                yield f"{name} has {len(replicas)} replicas, not {settings[name]['target_rf']}"
            if set(replicas) - usable:
                yield f"{name} is on brokers that aren't usable: {replicas}"


def _replicas(record: dict[str, Any], plan: ReplicaPlan) -> dict[str, int]:
    rack = {broker["id"]: broker["rack"] for broker in record["brokers"]}
    if any(broker["usable"] and broker["rack"] is None for broker in record["brokers"]):
        rack = dict.fromkeys(rack)  # known of some only: one rack
    in_rack: Counter[tuple[Name, Any]] = Counter()
    of_broker: Counter[int] = Counter()
    of_topic: Counter[tuple[str, int]] = Counter()
    copies = 0
    before = {
        (partition["topic"], partition["partition"]): partition["replicas"]
        for partition in record["partitions"]
    }
    for name, replicas in plan.replicas.items():
        in_rack.update((name, rack[replica]) for replica in replicas)
        of_broker.update(replicas)
        of_topic.update((name[0], replica) for replica in replicas)
        copies += len(set(replicas) - set(before[name]))
    return {
        "rack_squares": _squares(in_rack),
        "replica_squares": _squares(of_broker),
        "topic_squares": _squares(of_topic),
        "copies": copies,
    }


def _leaders(record: dict[str, Any], plan: ReplicaPlan) -> dict[str, int]:
    usable = {broker["id"] for broker in record["brokers"] if broker["usable"]}
    before = {
        (partition["topic"], partition["partition"]): partition["replicas"]
        for partition in record["partitions"]
    }
    leaders = Counter(replicas[0] for replicas in plan.replicas.values())
    changes = sum(row[0] != before[name][0] for name, row in plan.replicas.items())
    if set(leaders) - usable:
        return {"leaders_squared": -1, "changes": changes}
    return {"leaders_squared": _squares(leaders), "changes": changes}


def _squares(counts: Counter[Any]) -> int:
    return sum(count**2 for count in counts.values())
