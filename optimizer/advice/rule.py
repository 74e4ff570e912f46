"""The rule: the lines of its table, and their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from optimizer.advice.situation import (
    INFO,
    LEVELS,
    MAX_PARTITIONS,
    OK,
    ROUNDING,
    SET,
    SEVERITIES,
    STATIC,
    Advice,
    JudgedGroup,
    Levels,
    Situation,
)
from optimizer.figures import figure, plural
from optimizer.model import NOBODY, IntArray, changes_of
from optimizer.strategies import CONNECT

Columns = dict[str, Any] | None
"""Columns that a line of the rule fills for a group; None where it doesn't fit."""


CONNECT_WAITS = (
    "Restart one worker: tasks are evened out once scheduled.rebalance.max.delay.ms is over. "
    "Update workers that leave them uneven (KAFKA-12495)."
)

AT_BROKER = "Set group.remote.assignor of all members to uniform"


def advise(situation: Situation, levels: Levels = LEVELS) -> Advice:
    """The first line of the rule that fits a group."""
    if situation.problem is None or situation.target is None:
        return _without_plan(situation)
    return Rule(situation, situation.problem, situation.target, levels).advice()


def _without_plan(situation: Situation) -> Advice:
    why = f"{situation.reason or situation.status}."
    if situation.status in ("empty", "unsupported"):
        return Advice(advice=f"It isn't judged: {why}")
    when = "look again once it has settled" if situation.status == "rebalancing" else "mend that"
    return Advice(advice_kind="look", advice=f"It can't be judged: {why[:-1]}; {when}.")


class Rule(JudgedGroup):
    """The lines of the rule, each a method; the first that fits tells the columns."""

    def advice(self) -> Advice:
        severity = max(self.of_balance, self.of_ownership[0], key=SEVERITIES.index)
        common = Advice(
            judged_by=self.judged_by,
            now_to_best=self.now / self.best if self.best else None,
            severity=INFO if self.spare and severity == OK else severity,
            uneven=self.of_balance != OK,
            of_balance=self.of_balance,
            follows=self.follows,
            spare=self.spare,
            can_follow=self.why_not_follow is None,
        )
        return common._replace(**self._line())

    def _line(self) -> dict[str, Any]:
        """The columns of what is advised: the first line that fits."""
        lines = (
            *(self._look_at_owners, self._keep_goals, self._leave_even, self._leave_best),
            *(self._wait_for_connect, self._plan_again, self._restart_one, self._set_assignor),
            *(self._begin_to_follow, self._set_lesser_assignor, self._take_plan),
        )
        return next(columns for line in lines if (columns := line()) is not None)

    def _look_at_owners(self) -> Columns:
        trouble = self.of_ownership[1]
        return {"advice_kind": "look", "advice": trouble} if trouble else None

    def _keep_goals(self) -> Columns:
        why = self.broken_limit() or self.improvement()
        return self._take_plan(f"{why}: ") if why else None

    def _leave_even(self) -> Columns:
        if self.of_balance != OK:
            return None
        if not self.spare:
            return {}
        members = len(self.problem.member_ids)
        sentence = (
            f"{self.spare:,} of {plural(members, 'member')} can't get a partition: "
            f"{members - self.spare:,} are enough, unless they stand by on purpose."
        )
        return {"advice_kind": "members", "advice": sentence}

    def _leave_best(self) -> Columns:
        if self.load_of(self.target) < self.now * (1 - ROUNDING):
            return None
        held = (
            "max_moves or min_gain keeps it" if self.is_held else "no plan that is known is lower"
        )
        return {"advice": f"The largest load stays {self._load(self.now)}: {held}."}

    def _wait_for_connect(self) -> Columns:
        if self.situation.type != CONNECT:
            return None
        return {"advice_kind": "look", "advice": CONNECT_WAITS}

    def _plan_again(self) -> Columns:
        return self._begin_to_follow() if self.follows else None

    def _restart_one(self) -> Columns:
        own = self.situation.own
        if not own or self.situation.status != "ok" or self.grade_under(own) != OK:
            return None
        whose = "broker's" if self.is_of_broker else "client's"
        sentence = (
            f"Restart one member{STATIC}: its own assignor, {own}, then gives "
            f"{self._load(self.load_of(self.answer(own)))} in place of {self._load(self.now)}; "
            f"if it stays so, its {whose} assignor isn't Kafka's."
        )
        return {"advice_kind": "look", "advice": sentence}

    def _set_assignor(self) -> Columns:
        good = (name for name in self.assignors() if self.grade_under(name) == OK)
        name = next(good, None)
        return self._setting(name) if name else None

    def _begin_to_follow(self) -> Columns:
        return None if self.why_not_follow else self._take_plan()

    def _set_lesser_assignor(self) -> Columns:
        severities = {name: self.grade_under(name) for name in self.assignors()}
        rank = {name: SEVERITIES.index(grade) for name, grade in severities.items() if grade}
        name = min(rank, key=rank.__getitem__, default=None)
        if name is None or rank[name] >= SEVERITIES.index(self.of_balance):
            return None
        left = f" It stays uneven ({severities[name]}), and can't follow a plan: "
        return self._setting(name, f"{left}{self.why_not_follow}.")

    def _setting(self, name: str, left: str = "") -> dict[str, Any]:
        target = self.answer(name)
        how = AT_BROKER if self.is_of_broker else SET[name]
        sentence = f"{how}: {self._change(target)}.{left}{self._doubts(target)}"
        return self._outcome(target, "setting") | {"advice": sentence, "advice_strategy": name}

    def _outcome(self, target: IntArray, kind: str) -> dict[str, Any]:
        return {
            "advice_kind": kind,
            "after_to_best": self.load_of(target) / self.best if self.best else None,
            "advice_moves": changes_of(self.problem, target)[0],
        }

    def _take_plan(self, why: str = "") -> dict[str, Any]:
        tried = self.problem.partition_count <= MAX_PARTITIONS
        untried = "" if tried else " Assignors weren't tried: it has too many partitions."
        how = "Give it" if self.follows else "Let its members follow"
        how, cannot = f"{how} the plan (docs/plan_in_force.md)", ""
        if self.why_not_follow:
            how = "Only a plan helps"
            cannot = f" Its members can't follow one yet: {self.why_not_follow}."
        export = f"`evenfleet export-plan`: {self._change(self.target)}."
        outcome = self._outcome(self.target, "plan")
        return outcome | {"advice": f"{why}{how}, {export}{cannot}{untried}"}

    def _change(self, target: IntArray) -> str:
        moves = changes_of(self.problem, target)[0]
        before, after = (self._load(load) for load in (self.now, self.load_of(target)))
        return f"largest load {before} → {after}, {plural(moves, 'move')}"

    def _load(self, load: float) -> str:
        return figure(load) if self.situation.goals.by_weight else f"{int(load):,}"

    def _doubts(self, target: IntArray) -> str:
        """Reasons why a setting's sentence may not hold."""
        doubts = ""
        if self.situation.own in ("range", "roundrobin") and self.situation.strategy:
            answer = self.target_of(self.situation.own)
            if answer is not None and not np.array_equal(answer, self.kept):
                doubts += " Its assignor isn't Kafka's, and not every client has that one."
        if self.situation.status == "inferred":
            doubts += " Subscriptions are taken from what members own: state them when you import."
        if joined := self._topics_parted(target):
            doubts += f" It splits up equal-numbered partitions of {' and '.join(joined)}."
        return doubts

    def _topics_parted(self, target: IntArray) -> Sequence[str]:
        """Two topics whose equal partitions have one owner now, and wouldn't have then."""
        by_owners: dict[bytes, int] = {}
        offsets = self.problem.topic_offsets
        for topic, (start, end) in enumerate(pairwise(offsets.tolist())):
            if start == end or (self.kept[start:end] == NOBODY).any():
                continue
            other = by_owners.setdefault(self.kept[start:end].tobytes(), topic)
            before = offsets[other]
            if (target[start:end] != target[before : before + end - start]).any():
                return [self.problem.topics[other], self.problem.topics[topic]]
        return ()
