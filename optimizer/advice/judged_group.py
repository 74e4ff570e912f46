"""One group with a plan, measured by what it is judged by, and what assignors would make of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from optimizer.advice.situation import (
    CRITICAL,
    MAX_PARTITIONS,
    OK,
    ROUNDING,
    SEVERITIES,
    WARNING,
    Levels,
    Situation,
)
from optimizer.assignor.plan_file import follows_plans, why_not_follow
from optimizer.checker import check_assignment, measure_assignment
from optimizer.figures import counted
from optimizer.model import (
    BY_COUNT,
    NOBODY,
    IntArray,
    Problem,
    changes_of,
    classes_of,
    max_host_load,
    member_loads,
    rack_table_of,
    spread_of,
    weights_of,
)
from optimizer.strategies import CONSUMER, OPTIMAL, STRATEGIES, is_of_broker

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
            more = f", and {counted(len(others), 'more partition')}" if others else ""
            members = " and ".join(first.members[:2])
            return CRITICAL, (
                f"{first.partition} is read by {members}{more}: restart one of the two{STATIC}."
            )
        sentence = next(self._ownership(), None)
        return WARNING if sentence else OK, sentence

    def _ownership(self) -> Iterator[str]:
        for member, count in sorted(self.situation.stale.items()):
            yield (
                f"{member} claims {counted(count, 'partition')} by an older generation: "
                f"restart it if it doesn't rejoin by itself{STATIC}."
            )
        names, owner = self.situation.names, self.situation.previous
        odd = (owner >= 0) & ~classes_of(self.problem).keepable
        if odd.any():
            at = int(owner[odd].max())
            what = f"{names[at]} owns {counted(int((owner[odd] == at).sum()), 'partition')}"
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
                f"Nobody reads {counted(self.situation.unread, 'partition')}, the first is "
                f"{first}: a rebalance hands them out; restart one member{STATIC}, unless the "
                "topic has just grown (metadata.max.age.ms)."
            )

    def broken_limit(self) -> str | None:
        """Which stated limit the group breaks as it is."""
        faults = self._faults(self.kept) if self.situation.unread is not None else ()
        return f"It breaks a limit, {faults[0]}" if faults else None

    def improvement(self) -> str | None:
        """What else the plan improves that goals state."""
        goals, problem = self.situation.goals, self.problem
        each = self.kept, self.target
        if table := rack_table_of(problem, goals.rack):
            before, after = (table.reads(target).remote for target in each)
            if after < before:
                return f"Reads across racks go from {before:,} to {after:,}"
        if "hosts" in goals.levels:
            loads = (member_loads(problem, target) for target in each)
            before, after = (max_host_load(problem, load) or 0 for load in loads)
            if after < before:
                return f"The fullest host goes from {before:,} to {after:,} partitions"
        if goals.ranking.index("spread") < goals.ranking.index("moves"):
            before, after = (spread_of(problem, target) for target in each)
            if after < before:
                return "Topics are spread over more members"
        return None

    @cached_property
    def spare(self) -> int:
        """How many of the members that read something no assignment can give anything."""
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
        """Which stated limits an assignment breaks."""
        if not any(self.situation.goals.limits):
            return ()
        check = check_assignment if self.situation.goals.copartition else measure_assignment
        return check(self.problem, target, goals=self.situation.goals).faults

    def assignors(self) -> tuple[str, ...]:
        """Those that the group could be told to use and doesn't, the cheapest change first."""
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
