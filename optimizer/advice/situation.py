"""One group with a plan, measured by what it is judged by, and the facts that advice hangs on."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.assignor.plan_file import follows_plans, why_not_follow
from optimizer.checker import check_assignment, measure_assignment
from optimizer.figures import plural
from optimizer.model import (
    BY_COUNT,
    DEFAULT_GOALS,
    LEVELS as GOAL_LEVELS,
    NOBODY,
    Answer,
    Goals,
    IntArray,
    Problem,
    TwoPlans,
    changes_of,
    classes_of,
    member_loads,
    weights_of,
)
from optimizer.strategies import CONSUMER, OPTIMAL, STRATEGIES, is_of_broker

OK, INFO, WARNING, CRITICAL = SEVERITIES = ("ok", "info", "warning", "critical")
"""How bad a group is as it is, from fine to what loses records."""

KINDS = ("none", "look", "setting", "plan", "members")
"""Kinds of advice: nothing, a look at the group, an assignor, a plan, other numbers of members."""

MAX_PARTITIONS = 50_000
"""Assignors aren't tried in larger groups."""

ROUNDING = 1e-9
"""Loads by weight that differ by a smaller share are the same."""


class Grade(NamedTuple):
    """From which ratio to the best load on, and how many partitions above it, a severity holds."""

    ratio: float | None
    least: int = 0

    def fits(self, now: float, best: float) -> bool:
        """Whether a largest load is that much above the best."""
        if self.ratio is None:
            return False
        return now >= best * self.ratio * (1 - ROUNDING) and now - best >= self.least


Levels = dict[str, dict[str, Grade]]

LEVELS: Levels = {
    "count": {INFO: Grade(1.1, 1), WARNING: Grade(1.25, 2), CRITICAL: Grade(2.0, 3)},
    "weight": {INFO: Grade(1.25), WARNING: Grade(1.5), CRITICAL: Grade(None)},
}
"""By what a group is judged, the levels of its balance; those of the audit's findings."""


Spend = Callable[[Callable[[], Answer]], Answer]
"""Calls a strategy, and may raise when it takes too long."""


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
    spend: Spend = lambda call: call()


class Advice(NamedTuple):
    """The advice on a group that all screens show; a column without meaning for it is None.

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


STATIC = " (a static one stays away longer than its session time-out)"

SET = {
    "cooperative-sticky": "Set partition.assignment.strategy to cooperative-sticky",
    "uniform": "Move the group to the new protocol and its assignor uniform (brokers from 4.0 on, "
    "`evenfleet rollout`)",
}
"""How a group of the classic protocol changes to each of Kafka's assignors that keep what they
can; the cheapest change first."""


@dataclass(frozen=True)
class JudgedGroup:
    """A group with a plan; what its lines of the rule look at."""

    situation: Situation
    problem: Problem
    target: IntArray
    levels: Levels

    @cached_property
    def judged_by(self) -> str:
        return "weight" if self.situation.goals.by_weight else "count"

    @cached_property
    def kept(self) -> IntArray:
        return classes_of(self.problem).kept

    def load_of(self, target: IntArray) -> float:
        """The largest load: partitions, or weight for a unit of capacity."""
        return self._weight(target) if self.situation.goals.by_weight else self._count(target)

    def _weight(self, target: IntArray) -> float:
        return weights_of(self.problem).highest(target)

    def _count(self, target: IntArray) -> int:
        return int(member_loads(self.problem, target).max(initial=0))

    @cached_property
    def now(self) -> float:
        return self.load_of(self.kept)

    @cached_property
    def best(self) -> float:
        """The least largest load under all limits but those of moves."""
        goals = self.situation.goals
        if goals.by_weight and self.situation.bound is not None:
            return self.situation.bound
        if not self.is_held:
            return self.load_of(self.target)
        free = replace(goals, max_moves=None, min_gain=0.0)
        return self.load_of(STRATEGIES[OPTIMAL].assign(self.problem, free).target)

    @property
    def is_held(self) -> bool:
        goals = self.situation.goals
        return goals.max_moves is not None or bool(goals.min_gain)

    @cached_property
    def of_balance(self) -> str:
        return self.grade(self.now)

    def grade(self, load: float) -> str:
        fits = [
            name
            for name, level in self.levels[self.judged_by].items()
            if self.best and load > self.best and level.fits(load, self.best)
        ]
        return max(fits, key=SEVERITIES.index, default=OK)

    @cached_property
    def follows(self) -> bool:
        return follows_plans(self.situation.strategy, self.situation.type)

    @cached_property
    def why_not_follow(self) -> str | None:
        kafka, nothing = self.problem.kafka, [None] * len(self.problem.member_ids)
        names = kafka.instance_ids or nothing, kafka.client_ids or nothing
        return why_not_follow(self.situation.type, *names)

    @cached_property
    def of_ownership(self) -> tuple[str, str | None]:
        """How bad who owns what is, and the sentence on the worst of it."""
        if self.situation.twice:
            first, *others = self.situation.twice
            more = f", and {plural(len(others), 'more partition')}" if others else ""
            members = " and ".join(first.members[:2])
            return CRITICAL, (
                f"{first.partition} is read by {members}{more}: restart one of the two{STATIC}."
            )
        sentence = next(self._ownership(), None)
        return WARNING if sentence else OK, sentence

    def _ownership(self) -> Iterator[str]:
        for member, count in sorted(self.situation.stale.items()):
            yield (
                f"{member} claims {plural(count, 'partition')} by an older generation: "
                f"restart it if it doesn't rejoin by itself{STATIC}."
            )
        names, owner = self.situation.names, self.situation.previous
        odd = (owner >= 0) & ~classes_of(self.problem).keepable
        if odd.any():
            at = int(owner[odd].max())
            what = f"{names[at]} owns {plural(int((owner[odd] == at).sum()), 'partition')}"
            if at >= len(self.problem.member_ids):
                yield (
                    f"{what} and has left: a rebalance hands them on; restart one member if "
                    "none comes within its session time-out."
                )
            else:
                yield f"{what} of topics that it doesn't subscribe to: restart it{STATIC}."
        if self.situation.unread:
            lost = (self.kept == NOBODY) & (classes_of(self.problem).of_partition >= 0)
            first = self.problem.partition_name(int(lost.argmax()))
            yield (
                f"Nobody reads {plural(self.situation.unread, 'partition')}, the first is "
                f"{first}: a rebalance hands them out; restart one member{STATIC}, unless the "
                "topic has just grown (metadata.max.age.ms)."
            )

    def broken_limit(self) -> str | None:
        """The stated limit that the group breaks as it is."""
        faults = self._faults(self.kept) if self.situation.unread is not None else ()
        return f"It breaks a limit, {faults[0]}" if faults else None

    def improvement(self) -> str | None:
        """A sentence on how else the plan is better, at the first level that goals name for it."""
        goals = self.situation.goals
        levels, each = (goals.rack, goals.levels, goals.ranking), (self.kept, self.target)
        plans = TwoPlans(self.problem, *levels, *each)
        return next(
            filter(None, (level.improvement(plans) for level in GOAL_LEVELS.values())), None
        )

    @cached_property
    def spare(self) -> int:
        """Members that read something and that no assignment can give anything."""
        if not (member_loads(self.problem, self.target) == 0).any():
            return 0
        classes, target = classes_of(self.problem), self.target
        goals = self.situation.goals
        if goals.by_weight or any(goals.limits) or self.is_held:
            target = STRATEGIES[OPTIMAL].assign(self.problem, BY_COUNT).target
        counts = np.bincount(classes.of_partition + 1, minlength=len(classes) + 1)[1:]
        readers = np.unique(classes.members[(counts > 0).repeat(np.diff(classes.offsets))])
        return len(readers) - int(np.count_nonzero(member_loads(self.problem, target)))

    def _faults(self, target: IntArray) -> Sequence[str]:
        """Stated limits that an assignment breaks."""
        if not any(self.situation.goals.limits):
            return ()
        check = check_assignment if self.situation.goals.copartition else measure_assignment
        return check(self.problem, target, goals=self.situation.goals).faults

    def assignors(self) -> tuple[str, ...]:
        """Assignors that the group could use and doesn't, the cheapest change first."""
        own = self.situation.own
        names = ("uniform",) if self.is_of_broker else tuple(SET)
        return tuple(name for name in names if name != own)

    @property
    def is_of_broker(self) -> bool:
        return self.situation.type == CONSUMER or is_of_broker(self.situation.own)

    def grade_under(self, name: str) -> str | None:
        """How bad the balance is after an assignor's next assignment; None where it may not be.

        That is where it breaks a limit, moves too many, and where its largest load is higher, by
        count or weight.
        """
        target = self.target_of(name)
        if target is None or self._faults(target) or self._count(target) > self._count(self.kept):
            return None
        read = int(np.count_nonzero(classes_of(self.problem).of_partition >= 0))
        budget = self.situation.goals.budget(read)
        if budget is not None and changes_of(self.problem, target)[0] > budget:
            return None
        is_weighed = self.problem.weights is not None
        if is_weighed and self._weight(target) > self._weight(self.kept) * (1 + ROUNDING):
            return None
        return self.grade(self.load_of(target))

    def answer(self, name: str) -> IntArray:
        target = self.target_of(name)
        assert target is not None
        return target

    def target_of(self, name: str) -> IntArray | None:
        if self.problem.partition_count > MAX_PARTITIONS or name not in STRATEGIES:
            return None
        if name not in self._targets:
            try:
                answer = self.situation.spend(lambda: STRATEGIES[name].assign(self.problem))
                self._targets[name] = answer.target
            except Exception:  # Kafka's own code throws on some groups
                self._targets[name] = None
        return self._targets[name]

    @cached_property
    def _targets(self) -> dict[str, IntArray | None]:
        return {}
