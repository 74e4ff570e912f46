"""Work that a single broker carries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spark.audit.cluster_facts import ClusterFacts
from spark.audit.facts import GroupFacts
from spark.audit.finding import (
    ALL_GROUPS,
    ClusterFinding,
    FindingRow,
    GroupFinding,
    Settings,
    about,
)
from spark.audit.text import decimal, sentence


def one_leader(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Members all of whose partitions are led by one broker, where there are others."""
    plan = facts.plan
    if plan is None or not facts.several_brokers or not len(facts.led.owner):
        return
    owner, leader, _ = facts.led
    of_owner = np.full(facts.members, -1)
    of_owner[owner] = leader
    other = (leader != of_owner[owner]) | (leader < 0)
    owned = np.bincount(owner, minlength=facts.members)
    owned[owner[other]] = 0
    for at in np.flatnonzero(owned).tolist():
        yield _led_by_one(facts, plan.names[at], int(owned[at]), int(of_owner[at]))


def _led_by_one(facts: GroupFacts, member: str, owned: int, leader: int) -> FindingRow:
    return FindingRow(
        f"member {member}",
        owned,
        lambda: sentence(
            "All {owned} partitions of member {member} of group {group} are led by broker "
            "{leader}.",
            owned=owned,
            member=member,
            group=facts.group,
            leader=leader,
        ),
    )


ONE_LEADER = GroupFinding(
    name="one-leader",
    tells="all partitions of a member are led by one broker",
    measure="partitions of the member",
    advice="One broker's trouble is all of this member's: a number of members that shares no "
    "factor with the number of brokers spreads them.",
    find=one_leader,
    needs=("partitions.leader",),
    info=4,
)


def coordinator_load(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Brokers that coordinate more of a cluster's load than their share.

    A group can't be shared: who coordinates a heavy one isn't told more than what comes on top.
    """
    brokers, mean, heaviest = facts.coordinators, facts.mean_load, facts.heaviest
    loads = {
        broker: load / max(mean, heaviest[broker].load)
        for broker, load in facts.load.items()
        if load and load >= settings["least"]
    }
    if len(brokers) > 1:
        yield from about(
            "broker",
            loads,
            "Broker {name} of cluster {cluster} coordinates {groups} of its {every} groups with "
            "{load} of {total} members × partitions; the mean of its {brokers} brokers is {mean}. "
            "Most has group {heaviest} with {most}: {seat}.",
            cluster=lambda _: facts.cluster,
            groups=facts.coordinated.get,
            every=lambda _: facts.coordinated.total(),
            load=facts.load.get,
            total=lambda _: facts.load.total(),
            brokers=lambda _: len(brokers),
            mean=lambda _: decimal(mean),
            heaviest=lambda broker: heaviest[broker].group,
            most=lambda broker: heaviest[broker].load,
            seat=lambda broker: heaviest[broker].seat,
        )


COORDINATOR_LOAD = ClusterFinding(
    name="coordinator-load",
    tells="a broker coordinates groups out of proportion",
    measure="Σ members × partitions of the groups that the broker coordinates ÷ the mean of the "
    "cluster's brokers, or ÷ that of its heaviest group if that is more",
    advice="Spread the leaders of __consumer_offsets: elect preferred leaders, or reassign its "
    "partitions.",
    find=coordinator_load,
    needs=("coordinators", ALL_GROUPS),
    info=1.5,
    warning=3.0,
    settings={"least": 1000},
)
