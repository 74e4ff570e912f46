"""A group under one strategy, before and after events: one row."""

from dataclasses import dataclass

from spark.groups import Flag, Int, Long, Real, RowOfGroup, Text


@dataclass(slots=True, kw_only=True)
class WhatIfRow(RowOfGroup):
    """A group before and after events; what isn't known is null.

    Before, each member has what the strategy gives it if it starts from the current assignment;
    under `current` it is the current assignment. What it costs in time is simulated
    (`optimizer.coordinator`), for groups of consumers alone.
    """

    kind: Text
    """`connect` for a group of Connect workers, else `consumer`."""
    strategy: Text
    uses: Text = None
    """Under `current` the group's own strategy, with which it continues."""
    status: Text
    """That of a plan's groups, or `unaffected`: the group can't have the events, see `reason`."""
    reason: Text = None
    members_before: Int = None
    members_after: Int = None
    partitions_before: Int = None
    partitions_after: Int = None
    max_load_before: Long = None
    max_load_after: Long = None
    min_load_before: Long = None
    min_load_after: Long = None
    excess_before: Long = None
    excess_after: Long = None
    """Partitions by which the most loaded member is above the optimum's."""
    moves: Long = None
    """How often a partition changed hands whose owner was still there."""
    takeovers: Long = None
    """How often one did whose owner was gone."""
    rebalances: Int = None
    """Generations, or targets of KIP-848."""
    unread_seconds: Real = None
    """Partition-seconds in which nobody read a partition."""
    longest_pause: Real = None
    """Seconds in which one partition was not read."""
    stopped_needlessly: Long = None
    """How often a partition stopped for a rebalance and kept its member."""
    read_twice_seconds: Real = None
    """Partition-seconds that are read again since they weren't committed."""
    records_read_twice: Real = None
    """The same in records, where rates are known."""
    records_waited: Real = None
    """Records that came in while their partition was not read, where rates are known."""
    max_lag_records: Real = None
    """The most that the group was behind; null where rates or a `peak_rate` aren't known."""
    max_lag_seconds: Real = None
    """The most that one partition was behind, in what comes in."""
    catch_up_seconds: Real = None
    """The longest that a partition took to catch up once it was read again; null where
    `never_caught_up` partitions get more than their members can read."""
    never_caught_up: Int = None
    """Partitions that get more than their members can read."""
    fatal: Int = None
    """Members that ended by a fatal error: refused, or replaced by another of their instance id."""
    leaderless: Int = None
    """Partitions without a replica in sync while brokers are down; not part of `unread_seconds`."""
    at_rest: Flag = None
    """Whether the group was at rest again at the end."""
    max_weight_before: Real = None
    max_weight_after: Real = None
    """The largest load by weight for a unit of capacity; null unless goals are by weight."""
    weight_bound_before: Real = None
    weight_bound_after: Real = None
    """What no assignment's largest load by weight is below."""
