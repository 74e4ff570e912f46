"""Partitions that several members claim, or members of an older generation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from spark.audit.disputes import Claims, Dispute
from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings
from spark.audit.text import sentence
from spark.text import counted


def claimed_twice(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Partitions that two members of one generation claim: the group gives them to nobody."""
    several = [dispute for dispute in facts.disputes if len(dispute.claimants) > 1]
    for topic, of_topic in groupby(several, key=lambda dispute: dispute.topic):
        yield _of_topic(facts.group, topic, list(of_topic))


def _of_topic(group: str, topic: str, disputes: Sequence[Dispute]) -> FindingRow:
    _, partition, claimants = disputes[0]
    return FindingRow(
        f"topic {topic}",
        len(disputes),
        lambda: sentence(
            "{claimed} of topic {topic} {are} claimed by two members of one generation in group "
            "{group}: {topic}-{partition} by {one} and {other}.",
            claimed=counted(len(disputes), "partition"),
            topic=topic,
            are="is" if len(disputes) == 1 else "are",
            group=group,
            partition=partition,
            one=claimants[0],
            other=claimants[1],
        ),
    )


CLAIMED_TWICE = GroupFinding(
    name="claimed-twice",
    tells="two members of one generation own the same partition",
    measure="partitions of the topic that are claimed twice",
    advice="Both may process the same records: restart one of the two members, and look in its "
    "log for a rebalance that it missed.",
    find=claimed_twice,
    critical=1,
)


def stale_claims(facts: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Partitions that a present member claims by a generation which is over."""
    claims = facts.claims
    if claims is None:
        return
    generation = claims.generation
    stale = claims.present & (generation >= 0) & (generation < claims.newest)
    for at in np.unique(claims.claimant[stale]).tolist():
        old = generation[stale & (claims.claimant == at)]
        yield _of_member(facts.group, claims, claims.claimants[at], len(old), int(old.min()))


def _of_member(group: str, claims: Claims, member: str, claimed: int, old: int) -> FindingRow:
    return FindingRow(
        f"member {member}",
        claimed,
        lambda: sentence(
            "Member {member} claims {claimed} by generation {old} while group {group} is at "
            "generation {newest}.",
            member=member,
            claimed=counted(claimed, "partition"),
            old=old,
            group=group,
            newest=claims.newest,
        ),
    )


STALE_CLAIMS = GroupFinding(
    name="stale-claims",
    tells="a member owns partitions by an older generation than the group's newest",
    measure="partitions that the member claims by that generation",
    advice="The member has missed a rebalance: see whether it still polls, and restart it if it "
    "doesn't rejoin by itself.",
    find=stale_claims,
    needs=("generation",),
    warning=1,
)
