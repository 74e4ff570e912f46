"""A group as it is, and what is told of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from optimizer.model import DEFAULT_GOALS, Answer, Goals, IntArray, Problem

OK, INFO, WARNING, CRITICAL = SEVERITIES = ("ok", "info", "warning", "critical")
"""How bad a group is as it is, from fine to what loses records."""

KINDS = ("none", "look", "setting", "plan", "members")
"""What is advised: nothing, a look at the group, an assignor, a plan, other numbers of members."""

MAX_PARTITIONS = 50_000
"""Assignors aren't tried in larger groups."""

ROUNDING = 1e-9
"""Loads by weight that differ by a smaller share are the same."""


class Level(NamedTuple):
    """From which ratio to the best load on, and how many partitions above it, a severity holds."""

    ratio: float | None
    least: int = 0

    def fits(self, now: float, best: float) -> bool:
        """Whether a largest load is that much above the best."""
        if self.ratio is None:
            return False
        return now >= best * self.ratio * (1 - ROUNDING) and now - best >= self.least


Levels = dict[str, dict[str, Level]]

LEVELS: Levels = {
    "count": {INFO: Level(1.1, 1), WARNING: Level(1.25, 2), CRITICAL: Level(2.0, 3)},
    "weight": {INFO: Level(1.25), WARNING: Level(1.5), CRITICAL: Level(None)},
}
"""By what a group is judged, the levels of its balance; those of the audit's findings."""


class Claimed(NamedTuple):
    """A partition that several members claim by one generation, and these."""

    partition: str
    members: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Situation:
    """A group as it is, and its plan.

    `status` and `reason` are those of the group's row, `type` and `strategy` what Kafka says.
    `own` is that strategy as this library names it, None where nobody knows what it does.
    `problem` and `target` are there if it has a plan by `goals`, whose balance is `count` or
    `weight`; `bound` is the load by weight that no plan is below. `names` are the members' and then
    those of owners who left, `previous` the index of each partition's owner in these. `unread`
    counts partitions that no member owns though one subscribes; None where nothing tells who owns
    what. `twice` are partitions that several members own, `stale` how many partitions a member
    claims by an older generation. Each strategy is asked by `spend`, which may raise.
    """

    status: str
    reason: str | None = None
    type: str | None = None
    strategy: str | None = None
    own: str | None = None
    problem: Problem | None = None
    target: IntArray | None = None
    goals: Goals = DEFAULT_GOALS
    bound: float | None = None
    names: Sequence[str] = ()
    previous: IntArray = field(default_factory=lambda: np.empty(0, np.int64))
    unread: int | None = None
    twice: Sequence[Claimed] = ()
    stale: dict[str, int] = field(default_factory=dict)
    spend: Callable[[Callable[[], Answer]], Answer] = lambda call: call()


class Advice(NamedTuple):
    """What is told of a group on all screens; what has no meaning for it is None.

    `judged_by` is `count` or `weight`. `now_to_best` and `after_to_best` are the largest load now,
    and after the advice, ÷ the best possible one. `severity` is one of SEVERITIES, `advice_kind`
    one of KINDS, and `advice` a sentence, None where all is well. `advice_strategy` is the assignor
    of a setting, `advice_moves` the partitions that move for a setting or a plan. `uneven`: the
    severity of its balance alone, `of_balance`, is `info` or worse. `follows`: the group takes its
    assignment from plans now; `can_follow`: its members can be told apart. `spare` counts members
    that no assignment can give anything.
    """

    judged_by: str | None = None
    now_to_best: float | None = None
    after_to_best: float | None = None
    severity: str | None = None
    advice_kind: str = "none"
    advice: str | None = None
    advice_strategy: str | None = None
    advice_moves: int | None = None
    uneven: bool | None = None
    follows: bool | None = None
    can_follow: bool | None = None
    of_balance: str | None = None
    spare: int = 0
