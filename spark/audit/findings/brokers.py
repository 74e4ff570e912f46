"""Work that a single broker carries."""

from collections.abc import Iterator

import numpy as np

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.facts import GroupFacts
from spark.audit.finding import (
    ALL_GROUPS,
    ClusterFinding,
    FindingRow,
    GroupFinding,
    Measures,
    Settings,
    about,
)


@GroupFinding(
    tells="all partitions of a member are led by one broker",
    measure="partitions of the member",
    advice="One broker's trouble is all of this member's: a number of members that shares no "
    "factor with the number of brokers spreads them.",
    needs=("partitions.leader",),
    levels={"info": 4},
)
def one_leader(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    plan = group.plan
    if plan is None or not group.several_brokers or not len(group.led.owner):
        return
    owner, leader, _ = group.led
    of_owner = np.full(group.members, -1)
    of_owner[owner] = leader
    other = (leader != of_owner[owner]) | (leader < 0)
    owned = np.bincount(owner, minlength=group.members)
    owned[owner[other]] = 0
    for at in np.flatnonzero(owned).tolist():
        member = plan.names[at]
        yield about(
            group,
            int(owned[at]),
            "All {owned} partitions of member {member} of group {group} are led by broker "
            "{leader:whole}.",
            f"member {member}",
            owned=int(owned[at]),
            member=member,
            leader=int(of_owner[at]),
        )


@ClusterFinding(
    tells="a broker coordinates groups out of proportion",
    measure="Σ members × partitions of the groups that the broker coordinates ÷ the mean of the "
    "cluster's brokers, or ÷ that of its heaviest group if that is more",
    advice="Spread the leaders of __consumer_offsets: elect preferred leaders, or reassign its "
    "partitions.",
    needs=("coordinators", ALL_GROUPS),
    levels={"info": 1.5, "warning": 3.0},
    settings={"least": 1000},
    meanings={"least": "brokers whose groups have at least this many members × partitions"},
    each="broker",
    template="Broker {name} of cluster {cluster} coordinates {groups} of its {every} groups with "
    "{load} of {total} members × partitions; the mean of its {brokers} brokers is {mean:decimal}. "
    "Most has group {heaviest.group} with {heaviest.load}: {heaviest.seat}.",
)
def coordinator_load(cluster: ClusterFacts, settings: Settings) -> Iterator[Measures]:
    """Brokers that coordinate more of a cluster's load than their share.

    A group can't be shared: who coordinates a heavy one isn't told more than what comes on top.
    """
    brokers, mean, heaviest = cluster.coordinators, cluster.mean_load, cluster.heaviest
    loads = {
        broker: load / max(mean, heaviest[broker].load)
        for broker, load in cluster.load.items()
        if load and load >= settings["least"]
    }
    if len(brokers) > 1:
        counts = {"groups": cluster.coordinated, "load": cluster.load, "heaviest": heaviest}
        totals = {"every": cluster.coordinated.total(), "total": cluster.load.total()}
        yield loads, {**counts, **totals, "brokers": len(brokers), "mean": mean}
