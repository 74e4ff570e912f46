"""Work that a single broker carries."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from pyspark.sql import DataFrame

from spark.audit.facts import GroupFacts
from spark.audit.finding import (
    ALL_GROUPS,
    FindingRow,
    FleetFinding,
    GroupFinding,
    Settings,
    rows_found,
)
from spark.audit.sql_expressions import decimal, filled, sentence
from spark.audit.text import sentence as sentence_sql


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
        lambda: sentence_sql(
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


def coordinator_load(coordinators: DataFrame, settings: Settings) -> DataFrame:
    """Brokers that coordinate more of a cluster's load than their share.

    A group can't be shared: who coordinates a heavy one isn't told more than what comes on top.
    """
    of_broker = coordinators.where(
        f"cluster_brokers > 1 and load > 0 and load >= {settings['least']!r}D"
    ).selectExpr("*", "cluster_load / cluster_brokers as mean")
    return rows_found(
        of_broker,
        subject=filled("broker {broker}"),
        measure="load / greatest(mean, heaviest.load)",
        sentence=sentence(
            "Broker {broker} of cluster {cluster} coordinates {groups} of its {cluster_groups} "
            "groups with {load} of {cluster_load} members × partitions; the mean of its "
            "{cluster_brokers} brokers is {mean}. Most has group {heaviest} with {most}: {seat}.",
            mean=decimal("mean"),
            heaviest="heaviest.`group`",
            most="heaviest.load",
            seat="heaviest.seat",
        ),
    )


COORDINATOR_LOAD = FleetFinding(
    name="coordinator-load",
    tells="a broker coordinates groups out of proportion",
    measure="Σ members × partitions of the groups that the broker coordinates ÷ the mean of the "
    "cluster's brokers, or ÷ that of its heaviest group if that is more",
    advice="Spread the leaders of __consumer_offsets: elect preferred leaders, or reassign its "
    "partitions.",
    find=coordinator_load,
    reads=("coordinators",),
    needs=("coordinators", ALL_GROUPS),
    info=1.5,
    warning=3.0,
    settings={"least": 1000},
)
