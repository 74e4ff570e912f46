"""Reads that leave their rack."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from spark.audit.facts import GroupFacts
from spark.audit.finding import Found, GroupFinding, Settings
from spark.audit.words import counted, sentence


def cross_rack_reads(facts: GroupFacts, settings: Settings) -> Iterator[Found]:
    """Reads from a leader in another rack, against the most that could be local at these loads.

    An upper bound by counting: in each rack no more than the partitions that are led there, and
    no more than its members carry now. Subscriptions may allow less.
    """
    if facts.plan is None or not facts.row.member_racks.any():
        return
    owner, _, led = facts.led
    read = facts.row.member_racks[owner]
    known = (read != 0) & (led != 0)
    read, led = read[known], led[known]
    if not len(read):
        return
    number, of_side = np.unique(np.concatenate([read, led]), return_inverse=True)
    by_reader, by_leader = np.split(of_side, 2)
    local = int(np.count_nonzero(read == led))
    most = np.minimum(
        np.bincount(by_reader, minlength=len(number)), np.bincount(by_leader, minlength=len(number))
    )
    avoidable = int(most.sum()) - local
    if avoidable >= settings["least"]:
        yield Found(
            f"group {facts.group}",
            avoidable / len(read),
            lambda: sentence(
                "{across} of {reads} of group {group} are read across racks; up to {avoidable} of "
                "them could be local without a change of loads.",
                across=len(read) - local,
                reads=counted(len(read), "partition"),
                group=facts.group,
                avoidable=avoidable,
            ),
        )


CROSS_RACK_READS = GroupFinding(
    name="cross-rack-reads",
    tells="reads cross racks that an equally balanced assignment would keep local",
    measure="avoidable reads across racks ÷ all reads of members whose rack is known, at most",
    advice="Set replica.selector.class on the brokers so that members read in their own rack, or "
    "use an assignment that knows racks.",
    find=cross_rack_reads,
    needs=("members.rack", "partitions.leader_rack"),
    info=0.25,
    settings={"least": 4},
)
