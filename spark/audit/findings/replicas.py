"""Partitions whose replicas or leaders aren't where they should be."""

from __future__ import annotations

from collections.abc import Iterator

from spark.audit.cluster_facts import ClusterFacts, partition_name
from spark.audit.finding import ALL_GROUPS, ClusterFinding, FindingRow, Settings, about
from spark.audit.text import percent
from spark.text import counted


def under_replicated(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Brokers whose replicas aren't all in sync."""
    yield from about(
        "broker",
        facts.behind,
        "Broker {name} of cluster {cluster} is out of sync with {behind}, such as {first}.",
        cluster=lambda _: facts.cluster,
        behind=lambda broker: counted(facts.behind[broker], "partition"),
        first=lambda broker: partition_name(facts.first_behind[broker]),
    )


UNDER_REPLICATED = ClusterFinding(
    name="under-replicated",
    tells="replicas are out of sync",
    measure="partitions of which the broker's replica is not in sync",
    advice="See whether the broker is up, and its disks and network keep pace; the next failure "
    "may leave these partitions without a leader.",
    find=under_replicated,
    needs=("partitions.replicas", "partitions.isr", ALL_GROUPS),
    warning=1,
)


def leaderless(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Topics with partitions that have no leader, in clusters that tell of leaders at all."""
    if facts.led:
        yield from about(
            "topic",
            facts.leaderless,
            "{measure} of {size} of topic {name} in cluster {cluster} {have} no leader "
            "({which}{name}-{first}): nobody can read or write there.",
            cluster=lambda _: facts.cluster,
            size=lambda topic: counted(facts.partitions[topic], "partition"),
            have=lambda topic: "has" if facts.leaderless[topic] == 1 else "have",
            which=lambda topic: "the first is " if facts.leaderless[topic] > 1 else "",
            first=facts.first_leaderless.get,
        )


LEADERLESS = ClusterFinding(
    name="leaderless",
    tells="partitions have no leader",
    measure="partitions of the topic without a leader",
    advice="Bring back a broker that has a replica in sync; an unclean election would lose "
    "records.",
    find=leaderless,
    needs=("partitions.leader", ALL_GROUPS),
    critical=1,
)


def not_preferred_leader(facts: ClusterFacts, settings: Settings) -> Iterator[FindingRow]:
    """Brokers that don't lead the partitions of which they are the first replica."""
    shares = {
        broker: away / facts.preferred[broker]
        for broker, away in facts.away.items()
        if away >= settings["least"]
    }
    yield from about(
        "broker",
        shares,
        "Broker {name} of cluster {cluster} doesn't lead {away} ({share}) of the {all} "
        "partitions of which it is the preferred leader.",
        cluster=lambda _: facts.cluster,
        away=facts.away.get,
        share=lambda broker: percent(shares[broker]),
        all=facts.preferred.get,
    )


NOT_PREFERRED_LEADER = ClusterFinding(
    name="not-preferred-leader",
    tells="partitions are led away from their preferred replica",
    measure="share of the broker's preferred partitions that another leads",
    advice="When the broker is back and in sync, run kafka-leader-election --election-type "
    "preferred.",
    find=not_preferred_leader,
    needs=("partitions.leader", "partitions.replicas", ALL_GROUPS),
    info=0.1,
    warning=0.5,
    settings={"least": 5},
)
