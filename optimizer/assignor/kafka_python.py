"""What a leader of kafka-python's needs, to end a rebalance that it began itself."""

from __future__ import annotations

from typing import Any

from optimizer import Assignment
from optimizer.assignor.group import JoiningGroup


def keep_joining(cluster: Any) -> None:
    """Let the leader's consumer know that it is joining, until it has its own assignment.

    A leader of kafka-python 3.0 that joins because topics have changed forgets so as soon as it
    has assigned; if `poll` returns just then, for lack of time, the next one takes no notice of
    the leader's own assignment, and the consumer neither reads nor sends heartbeats any more. A
    request to join, which stands until the assignment is there, prevents that. Only the consumer's
    coordinator takes it, and of all that an assignor sees, only the cluster's metadata knows it.
    """
    for listener in getattr(cluster, "_listeners", ()):
        coordinator: Any = getattr(listener, "target", lambda: None)()
        if hasattr(coordinator, "request_rejoin"):
            coordinator.request_rejoin()


def first_round(group: JoiningGroup, target: Assignment) -> Assignment:
    """What of the target can be handed out now: no partition that somebody else still has.

    Who has it loses it in this round, so that it joins again and the next round hands it out.
    """
    return {
        member: [one for one in partitions if group.holders.get(one, {member}) == {member}]
        for member, partitions in target.items()
    }
