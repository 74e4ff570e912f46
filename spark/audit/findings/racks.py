"""Reads that leave their rack."""

from collections.abc import Iterator

import numpy as np

from spark.audit.facts import GroupFacts
from spark.audit.finding import FindingRow, GroupFinding, Settings, about
from spark.groups import Lookup


@GroupFinding(
    tells="reads cross racks that an equally balanced assignment would keep local",
    measure="avoidable reads across racks ÷ all reads of members whose rack is known, at most",
    advice="Set replica.selector.class on the brokers so that members read in their own rack, or "
    "use an assignment that knows racks.",
    needs=("members.rack", "partitions.leader_rack"),
    levels={"info": 0.25},
    settings={"least": 4},
    meanings={"least": "groups with at least this many avoidable reads"},
)
def cross_rack_reads(group: GroupFacts, settings: Settings) -> Iterator[FindingRow]:
    """Reads from a leader in another rack, against the most that could be local at these loads.

    An upper bound by counting: in each rack no more than the partitions that are led there, and
    no more than its members carry now. Subscriptions may allow less.
    """
    if group.plan is None or not group.row.member_racks.any():
        return
    owner, _, led = group.led
    of_members = group.row.member_racks
    racks = Lookup.of(np.array([*{*of_members[of_members != 0].tolist()}]))
    reader, leader = racks.find(of_members)[owner], racks.find(led)
    mask = (reader >= 0) & (led != 0)
    reads = int(np.count_nonzero(mask))
    if not reads:
        return
    # the first number is that of leaders in racks without members
    of_side = [
        np.bincount(side[mask] + 1, minlength=len(racks.order) + 1) for side in (reader, leader)
    ]
    local = int(np.count_nonzero((reader == leader) & mask))
    avoidable = int(np.minimum(*of_side)[1:].sum()) - local
    if avoidable >= settings["least"]:
        yield about(
            group,
            avoidable / reads,
            "{across} of {reads:partition} of group {group} are read across racks; up to "
            "{avoidable} of them could be local without a change of loads.",
            across=reads - local,
            reads=reads,
            avoidable=avoidable,
        )
