"""A group under one strategy, before and after events: one row."""

from __future__ import annotations

from dataclasses import dataclass

from spark.groups import Flag, Int, Long, Real, Row, Text


@dataclass(slots=True, kw_only=True)
class WhatIfRow(Row):
    """A group before and after events; what isn't known is null.

    `status` is that of a plan's groups, or `unaffected` for a group that can't have these events:
    it stays as it is, and the reason says why. Before, each member has what the strategy gives it
    if it starts from the current assignment; under `current` it is the current assignment, and
    `uses` the group's own strategy, by which it goes on.

    What it costs in time is simulated (`optimizer.coordinator`), for groups of consumers alone:

    * `rebalances`: generations, or targets of KIP-848;
    * `unread_seconds`: partition-seconds in which nobody read a partition; `longest_pause`: seconds
      of one partition; `records_waited` meanwhile, where rates are known;
    * `stopped_needlessly`: how often a partition stopped for a rebalance and went on with the same
      member;
    * `read_twice_seconds`: partition-seconds that are read again since they weren't committed;
      `records_read_twice`, where rates are known;
    * `max_lag_records`: the most that the group was behind; `max_lag_seconds`: the most that one
      partition was, in what comes in; `catch_up_seconds`: the longest that a partition took from
      when it was read again until nothing was left, null where `never_caught_up` partitions get
      more than their members can read; all null where rates or a `peak_rate` aren't known;
    * `fatal`: members that ended by a fatal error: refused, or replaced by another of their
      instance id; `at_rest`: the group was at rest again at the end;
    * `leaderless`: partitions of brokers that are down without another replica in sync: nobody can
      read them until these are back, which isn't counted above.

    `excess` before and after: partitions that the most loaded member has above the most loaded one
    of the optimum. `moves`: how often a partition changed hands whose owner was there still;
    `takeovers`: those of members who were gone. `kind`: `connect` for a group of Connect workers,
    else `consumer`. `max_weight`: the largest load by weight for a unit of capacity, and
    `weight_bound` one below which no assignment's is; null unless the group's goals are by weight.
    """

    cluster: Text
    group: Text
    kind: Text
    strategy: Text
    uses: Text = None
    status: Text
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
    moves: Long = None
    takeovers: Long = None
    rebalances: Int = None
    unread_seconds: Real = None
    longest_pause: Real = None
    stopped_needlessly: Long = None
    read_twice_seconds: Real = None
    records_read_twice: Real = None
    records_waited: Real = None
    max_lag_records: Real = None
    max_lag_seconds: Real = None
    catch_up_seconds: Real = None
    never_caught_up: Int = None
    fatal: Int = None
    leaderless: Int = None
    at_rest: Flag = None
    max_weight_before: Real = None
    max_weight_after: Real = None
    weight_bound_before: Real = None
    weight_bound_after: Real = None
