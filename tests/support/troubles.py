"""The troubles that a made-up fleet is given: what an audit of it has to find."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spark.demo.clusters import LEADS_TOO_MUCH
from spark.demo.fleet import MadeFleet
from spark.demo.groups import DemoGroup


class Trouble(NamedTuple):
    """What an audit has to tell; `group` is None where the cluster as a whole is meant."""

    cluster: str
    group: str | None
    finding: str
    subject: str


OF_WHOLE_GROUP = {
    "uneven": ("unbalanced", "range-skew"),
    "idle": ("idle-members", "unbalanced", "range-skew"),
    "spare": ("spare-members",),
    "restarting": ("restarting-members",),
}
OF_FIRST_TOPIC = {
    "hot": "lag-on-few-partitions",
    "stalled": "stalled-partitions",
    "disputed": "claimed-twice",
}
"""What the trouble of each kind of group is called."""


def troubles_of(made: MadeFleet) -> list[Trouble]:
    """All that is planted in a fleet."""
    cluster, broker = LEADS_TOO_MUCH
    name = made.topics.clusters[cluster].name
    planted = [Trouble(name, None, "leader-skew", f"broker {broker}")]
    for group in made.groups:
        for finding, subject in _planted(group, made):
            planted.append(Trouble(made.cluster_of(group), group.name, finding, subject))
    return planted


def _planted(group: DemoGroup, made: MadeFleet) -> Iterator[tuple[str, str]]:
    """What is planted in a group, by what it was made to be."""
    for finding in OF_WHOLE_GROUP.get(group.kind, ()):
        yield finding, f"group {group.name}"
    if group.kind in OF_FIRST_TOPIC:
        yield OF_FIRST_TOPIC[group.kind], f"topic {made.topics.names[group.topics[0]]}"
    ids = group.members.member_id
    if group.kind == "hot":
        yield "lag-on-one-member", f"member {ids[group.claimants[group.claimed.argmin()]]}"
    if group.kind == "departed":
        for member in np.flatnonzero(~group.members.is_present):
            yield "owner-gone", f"member {ids[member]}"
