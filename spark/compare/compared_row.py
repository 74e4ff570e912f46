"""A group under one strategy: one row."""

from __future__ import annotations

from dataclasses import dataclass

from spark.groups import Int, Long, Real, Text
from spark.solve import GroupRow


@dataclass(slots=True, kw_only=True)
class ComparedRow(GroupRow):
    """A group's row under one strategy; what isn't known is null.

    `excess`: by so many partitions the most loaded member is above the most loaded one of the
    optimum, which is as low as subscriptions let it be.

    `spread`: Σ over topics and members of (partitions that the member has of the topic)²;
    `worst_topic_share`: the most partitions of a topic that a member has, over its fair share (the
    topic's partitions over its readers, rounded up), of the worst topic. 1 is as good as can be.

    `max_host_load`: the most that a host's members have together, null where no two members share a
    host, or all share the same; `host_excess`: by so many it is above that of the optimum.

    `local_reads` and `remote_reads`: partitions read within a rack and across racks, in the meaning
    of the group's goals; null where goals or facts have no racks. `balance_optimal` and
    `moves_optimal` are about balance and moves alone, whatever the goals say of racks.

    `transferring`: partitions that the first round of `cooperative-sticky` leaves out because they
    change hands (partitionsTransferringOwnership in Kafka), or tasks that that of
    `connect-cooperative` revokes; 0 for the others.

    The other columns are the price of a rebalance that leads from the current assignment to that
    of the strategy, for partitions whose owner is present and still subscribed (the others stand
    still whatever is done). `stopped_eager`: partitions that stop under the eager protocol, which
    are all of them. `stopped_cooperative`: partitions that stop under the cooperative protocol, or
    the coordinator's, which are those that their owner loses. `rounds`: rebalances under the
    cooperative protocol, 2 if a partition changes hands, and else 1; the eager protocol always
    takes 1. `current` is there already: it costs nothing.

    `max_weight`: the largest load by weight for a unit of capacity, and `weight_bound` one below
    which no assignment's can be; null unless the group's goals are by weight.

    `kind`: `connect` for a group of Connect workers, else `consumer`.
    """

    excess: Long = None
    spread: Long = None
    worst_topic_share: Real = None
    local_reads: Long = None
    remote_reads: Long = None
    transferring: Long = None
    stopped_eager: Long = None
    stopped_cooperative: Long = None
    rounds: Int = None
    kind: Text = None
    max_weight: Real = None
    weight_bound: Real = None
    max_host_load: Long = None
    host_excess: Long = None
