"""How partitions change hands under the cooperative protocol (KIP-429)."""

from optimizer.live.live_group import LiveGroup
from optimizer.plan import Assignment


def first_round(group: LiveGroup, target: Assignment) -> Assignment:
    """What of the target can be handed out now: no partition that somebody else still has.

    Who has it loses it in this round, so that it joins again and the next round hands it out.
    """
    return {
        member: [one for one in partitions if member in group.holders.get(one, {member})]
        for member, partitions in target.items()
    }
