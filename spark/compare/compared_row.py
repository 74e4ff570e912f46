"""A group under one strategy: one row."""

from dataclasses import dataclass

from spark.groups import Flag, Int, Long, Real, Text, Texts
from spark.solve import ADVICE_COLUMNS, GroupRow


@dataclass(slots=True, kw_only=True)
class ComparedRow(GroupRow):
    """A group's row under one strategy, and the price of getting there; what isn't known is null.

    The price is that of a rebalance from the current assignment to the strategy's, for partitions
    whose owner is present and still subscribed. `current` is there already: it costs nothing.
    """

    excess: Long = None
    """Partitions by which the most loaded member is above the most loaded one of the optimum."""
    spread: Long = None
    """Σ over topics and members of (partitions that the member has of the topic)²."""
    worst_topic_share: Real = None
    """The most partitions of a topic that a member has, over its fair share (the topic's partitions
    over its readers, rounded up), of the worst topic; 1 is as good as possible."""
    local_reads: Long = None
    """Partitions read within a rack, in the meaning of the group's goals; null without racks."""
    remote_reads: Long = None
    """Partitions read across racks."""
    transferring: Long = None
    """Partitions that the first round of `cooperative-sticky` leaves out because they change hands
    (partitionsTransferringOwnership), or tasks that `connect-cooperative`'s revokes; else 0."""
    stopped_eager: Long = None
    """Partitions that stop under the eager protocol: all of them."""
    stopped_cooperative: Long = None
    """Those that stop under the cooperative protocol, or the coordinator's: their owner loses
    them."""
    rounds: Int = None
    """Rebalances under the cooperative protocol: 2 if a partition changes hands, else 1."""
    kind: Text = None
    """`connect` for a group of Connect workers, else `consumer`."""
    max_weight: Real = None
    """The largest load by weight for a unit of capacity; null unless goals are by weight."""
    weight_bound: Real = None
    """What no assignment's largest load by weight is below."""
    max_host_load: Long = None
    """The most that a host's members have together; null where no two members share a host, or all
    share the same."""
    host_excess: Long = None
    """Partitions by which that is above the optimum's, of the group's goals if they name hosts."""


@dataclass(slots=True, kw_only=True)
class ComparedGroup(ComparedRow):
    """A row of a comparison, or without a strategy what its group is advised to do."""

    limits: Texts = ()
    judged_by: Text = None
    now_to_best: Real = None
    after_to_best: Real = None
    severity: Text = None
    advice_kind: Text = None
    advice: Text = None
    advice_strategy: Text = None
    advice_moves: Long = None
    uneven: Flag = None
    follows: Flag = None
    can_follow: Flag = None


ADVISED = ("cluster", "group", "status", "partitions", "unread", *ADVICE_COLUMNS)
"""The columns of a comparison's table `groups`."""
