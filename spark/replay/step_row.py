"""What a strategy made of a group from one change of its facts to the next: one row."""

from __future__ import annotations

from dataclasses import dataclass

from spark.groups import Flag, Int, Long, Real, Row, Text


@dataclass(slots=True, kw_only=True)
class StepRow(Row):
    """A group under one strategy from `snapshot`, at position `start` of its cluster, to `end`.

    What isn't known is null. `seconds` is for how long it held (`Timeline.known_seconds`).
    `status` and `reason` are those of a comparison; without an answer the rest is null.

    `rebalanced`: the group had to be assigned anew, since members, what they read or what there is
    to read had changed; under `current` also where partitions changed hands without that. `first`:
    it started from the current assignment, so that what changed is the price of the change of
    strategy and none of its use.

    `excess`: by so many partitions the most loaded member is above the most loaded one of the
    optimum. `moves` and `takeovers` are counted against what the members owned by this strategy's
    answer before. `stopped`: partitions that their owner had to stop reading for a while, under the
    strategy's own protocol: all that were owned by somebody who may keep them if it is eager, else
    those that moved; null where a group's own protocol isn't known. `local_reads` and
    `remote_reads` are null where goals or facts have no racks. `max_weight`: the largest load by
    weight for a unit of capacity, and `weight_bound` one below which no assignment's can be, by
    what partitions weighed at `start`; null unless the group's goals are by weight.
    """

    cluster: Text
    group: Text
    strategy: Text
    kind: Text
    snapshot: Text
    start: Int
    end: Int
    seconds: Long
    status: Text
    reason: Text = None
    rebalanced: Flag = False
    first: Flag = False
    members: Int = None
    partitions: Int = None
    max_load: Long = None
    min_load: Long = None
    sum_squares: Long = None
    excess: Long = None
    moves: Long = None
    takeovers: Long = None
    stopped: Long = None
    local_reads: Long = None
    remote_reads: Long = None
    max_weight: Real = None
    weight_bound: Real = None
