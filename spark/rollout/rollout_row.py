"""A step of a group's rollout: one row."""

from __future__ import annotations

from dataclasses import dataclass

from spark.groups import Flag, Int, Long, Real, Row, Text


@dataclass(slots=True, kw_only=True)
class RolloutRow(Row):
    """A rolling restart of a group, and what it brings; what isn't known is null.

    `status`: `ready`; `done`, where there is nothing to do; or `unable`, and the `reason` says why.
    `step` counts from 1; in `deploy` is what each member is to be configured with then. `members`
    restart one after the other. What that costs is simulated as in `spark.whatif`: `rebalances`,
    `unread_seconds`, `longest_pause`, `stopped_needlessly`, `moves`, `read_twice_seconds`, `fatal`.
    """

    cluster: Text
    group: Text
    status: Text
    reason: Text = None
    uses: Text = None
    members: Int = None
    step: Int = None
    steps: Int = None
    deploy: Text = None
    rebalances: Int = None
    unread_seconds: Real = None
    longest_pause: Real = None
    stopped_needlessly: Long = None
    moves: Long = None
    read_twice_seconds: Real = None
    fatal: Int = None
    at_rest: Flag = None
