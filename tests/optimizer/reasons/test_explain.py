"""Each sentence claims something of the group that can be tried out: all of it is true."""

import re

import numpy as np
import pytest

from optimizer import Group, Member, assign
from optimizer.model.arrays import IntArray
from optimizer.model.goals import DEFAULT_GOALS, Goals
from optimizer.model.numbering import problem_of
from optimizer.model.problem import NOBODY, Problem
from optimizer.reasons import held_by
from optimizer.reasons.explain import Explanation, Reason, explain
from optimizer.solver.solve import solve
from optimizer.strategies import STRATEGIES
from tests.optimizer.checker.test_forgeries import RACKS
from tests.optimizer.oracles import facts_of_problem
from tests.optimizer.strategies.written_groups import group_of
from tests.support.groups import random_problem


class Replay:
    """A group and a plan of it, to try claims out on."""

    def __init__(self, group: Problem, target: IntArray, goals: Goals) -> None:
        self.group = group
        self.target = target.tolist()
        self.facts = facts_of_problem(group, goals)
        self.found = np.where(self.facts.is_kept, self.facts.owner, NOBODY).tolist()
        self.member = {name: m for m, name in enumerate(group.member_ids)}

    def partition(self, topic: str, number: int) -> int:
        return int(self.group.topic_offsets[list(self.group.topics).index(topic)]) + number

    def subscribes(self, member: str, topic: str) -> bool:
        topics = self.group.subscriptions[self.group.member_subscription[self.member[member]]]
        return list(self.group.topics).index(topic) in topics.tolist()

    def value(self, target: list[int]) -> tuple[int, ...]:
        """Σ load², reads across racks, and Σ (partitions of a topic that a member has)²."""
        return self.facts.reached(np.array(target, np.int64), ("balance", "racks", "spread"))

    def without(self, reason: Reason) -> list[int]:
        """The plan without a path: all on it stay, and what had no owner goes to the last one."""
        target = list(self.target)
        for step in reason.path:
            giver = reason.path[-1].taker if step.giver is None else step.giver
            target[self.partition(step.topic, step.partition)] = self.member[giver]
        return target

    def check(self, reason: Reason) -> None:
        self.check_facts(reason)
        self.check_cause(reason)
        self.check_sentence(reason)

    def check_facts(self, reason: Reason) -> None:
        for step in reason.path:
            p = self.partition(step.topic, step.partition)
            assert self.target[p] == self.member[step.taker]
            assert self.found[p] == (NOBODY if step.giver is None else self.member[step.giver])
        assert all(a.taker == b.giver for a, b in zip(reason.path, reason.path[1:], strict=False))
        for name, (before, after) in reason.loads.items():
            m = self.member[name]
            assert (self.found.count(m), self.target.count(m)) == (before, after)
        previous = reason.path[max(reason.place - 1, 0)]
        assert reason.barred != self.subscribes(reason.path[-1].taker, previous.topic)

    def check_cause(self, reason: Reason) -> None:
        back = self.without(reason)
        squares, remote, spread = self.value(self.target)
        squares_back, remote_back, spread_back = self.value(back)
        assert reason.fewer_remote == remote_back - remote
        assert reason.less_spread == spread_back - spread
        first, last = reason.path[0], reason.path[-1].taker
        if reason.cause == "balance":
            assert squares < squares_back
            assert reason.loads[str(first.giver)][0] > reason.loads[last][0]
        elif reason.cause == "room":
            assert first.giver is None
            assert not self.subscribes(last, first.topic), "so there is no shorter way"
        elif reason.cause == "racks":
            assert remote < remote_back
            assert (squares == squares_back) == reason.is_even
        elif reason.cause == "spread":
            assert spread < spread_back
            assert (squares == squares_back) == reason.is_even
        else:
            assert squares >= squares_back
            assert remote >= remote_back
            assert spread >= spread_back

    def check_sentence(self, reason: Reason) -> None:
        text = str(reason)
        for name, count in re.findall(r"(m\d+), which had (\d+)", text):
            assert self.found.count(self.member[name]) == int(count)
        for _, name, topic in re.findall(r"(; |→ )(m\d+)[^→;]*? doesn't subscribe to (t\d+)", text):
            assert not self.subscribes(name, topic)
        for counts in re.findall(r"they will have (\d+) and (\d+)", text):
            members = (str(reason.step.giver), reason.step.taker)
            after = [self.target.count(self.member[name]) for name in members]
            assert after == [int(count) for count in counts]
        for p in re.findall(r"t\d+-\d+", text):
            topic, number = p.split("-")
            assert self.target[self.partition(topic, int(number))] != NOBODY
        step = reason.step
        assert text.startswith(f"{step.name} moves from {step.giver}")

    def check_bounds(self, found: Explanation, optimal: bool) -> None:
        """The sets are as claimed; of an optimal plan they give just the loads that it has."""
        loads = [
            self.target.count(m)
            for m in self.member.values()
            if any(m in readers for readers in self.facts.readers)
        ]
        for bound in found.bounds:
            inside = {self.member[name] for name in bound.members}
            if bound.side == "at least":
                read = [set(r) <= inside for r in self.facts.readers if r]
                assert bound.load == -(-sum(read) // len(inside))
                assert bound.load <= max(loads)
                assert not optimal or bound.load == max(loads)
            else:
                read = [bool(set(r) & inside) for r in self.facts.readers if r]
                assert bound.load == sum(read) // len(inside)
                assert bound.load >= min(loads)
                assert not optimal or bound.load == min(loads)
            assert bound.partitions == sum(read)
            assert str(bound.partitions) in str(bound)
            assert str(bound).endswith(str(bound.load))
        assert [bound.side for bound in found.bounds] == ["at least", "at most"] * bool(loads)


def test_every_move_of_an_optimal_plan_has_one_true_reason() -> None:
    causes = set()
    for each in range(120):
        goals = RACKS[each // 2 % len(RACKS)] if each % 2 else DEFAULT_GOALS
        group = random_problem(each, racks=each % 2 == 1)
        target = solve(group, goals).target
        replay, result = Replay(group, target, goals), explain(group, target, goals)
        for reason in result.moves:
            replay.check(reason)
            causes.add(reason.cause)
        explained = [replay.partition(r.step.topic, r.step.partition) for r in result.moves]
        moved = (np.array(replay.found) != target) & (np.array(replay.found) != NOBODY)
        assert explained == np.flatnonzero(moved & (target != NOBODY)).tolist(), f"seed {each}"
        replay.check_bounds(result, optimal=True)
    assert causes == {"balance", "room", "racks", "spread"}


def test_sentences_about_other_strategies_are_true_as_well() -> None:
    causes = set()
    for seed in range(25):
        group, goals = random_problem(seed, racks=True), RACKS[seed % len(RACKS)]
        target = STRATEGIES["range"].assign(group).target
        replay, result = Replay(group, target, goals), explain(group, target, goals)
        for reason in result.moves:
            replay.check(reason)
            causes.add(reason.cause)
        replay.check_bounds(result, optimal=False)
    assert causes == {"balance", "room", "racks", "spread", "nothing"}


DRAINED = Group(
    {"t": 6}, [Member(n, ["t"], [("t", 2 * at), ("t", 2 * at + 1)]) for at, n in enumerate("abc")]
)
PAIRS = [
    Member(n, ["t"], [("t", 2 * at), ("t", 2 * at + 1)], host="/h-0") for at, n in enumerate("ab")
]
LONE = [Member(n, ["t"], [("t", 4 + at)], host="/h-1") for at, n in enumerate("cd")]


@pytest.mark.parametrize(
    ("group", "goals", "sentences"),
    [
        (
            group_of("t1:3 t2:2", "A t1, t1:0,1,2 | B t1 t2, t2:0,1 | C t2"),
            Goals(),
            [
                "t1-2 moves from A, which had 3, to B, which passes t2-1 on: the load goes along "
                "A → B → C, which had 0 and doesn't subscribe to t1",
                "t2-1 moves from B to C, which had 0: it makes room on B for t1-2, which comes "
                "from A, which had 3; C doesn't subscribe to t1",
                "5 partitions of t1 and t2 ÷ 3 members = 1.667: no assignment has a largest load "
                "below 2 or a smallest one above 1",
            ],
        ),
        (
            group_of("t:6 u:1", "A t | B u | C t"),
            Goals(),
            [
                "6 partitions of t ÷ 2 members that can read them (A and C) = 3: no assignment has "
                "a largest load below 3",
                "1 partition of u ÷ 1 member that can read no others (B) = 1: no assignment has a "
                "smallest load above 1",
            ],
        ),
        (group_of("t:1", "A"), Goals(), []),
        (
            group_of("a:4 b:4", "A a b, a:0,1,2,3 | B a b, b:0,1,2,3"),
            Goals(levels=("spread", "moves")),
            [
                "a-2 moves from A, which had 4, to B, which had 4: at equal balance along A → B → "
                "A, topics are spread more evenly"
            ],
        ),
        (
            DRAINED,
            Goals(exclude="a"),  # type: ignore[arg-type]
            [
                "t-0 moves from a, which had 2, to b, which had 2: its limits take that",
                "t-1 moves from a, which had 2, to c, which had 2: its limits take that",
            ],
        ),
        (
            Group({"t": 6}, PAIRS + LONE),
            Goals(levels=("hosts",)),
            [
                "t-1 moves from a, which had 2, to c, which had 1: at equal balance, hosts get "
                "more even: h-0 3 (was 4) and h-1 3 (was 2)"
            ],
        ),
    ],
)
def test_a_plan_explains_itself(group: Group, goals: Goals, sentences: list[str]) -> None:
    result = assign(group, goals=goals).explain().sentences()
    assert result[: len(sentences)] == sentences
    assert bool(result) == bool(sentences)


def test_a_plan_by_weight_says_what_moves_and_who_shows_its_bound() -> None:
    group = Group(
        topics={"t": 4},
        members=[
            Member("a", ["t"], owned=[("t", 0), ("t", 1)]),
            Member("b", ["t"], owned=[("t", 2), ("t", 3)]),
        ],
        weights={"t": [4.0, 4.0, 1.0, 1.0]},
    )
    first, second, bound = assign(group, goals=Goals(balance="weight")).explain().sentences()
    assert first.startswith("t-0 (weight 4) moves from a, which had 8, to b, which had 2:")
    assert "(weight 1) moves from b, which had 2, to a, which had 8:" in second
    assert first.endswith("they will have 5 and 5")
    assert bound == (
        "all members have to read t, 10 for a capacity of 2: one of them has at least 5 a unit; "
        "the plan's largest is 5 (gap 0.00%)"
    )


SEVEN_ONE_ONE = "aaaaaaabc"


@pytest.mark.parametrize(
    ("owners", "topics_of", "goals", "held"),
    [
        (SEVEN_ONE_ONE, {}, {"max_moves": 1}, ("max_moves",)),
        (SEVEN_ONE_ONE, {}, {"max_partitions": [{"members": "b", "most": 1}]}, ("max_partitions",)),
        (SEVEN_ONE_ONE, {}, {"max_moves": 9}, ()),
        (SEVEN_ONE_ONE, {}, {"min_gain": 9.0}, ()),
        # c reads one partition only: with that the loads of a plan without limits are 4, 4 and 1
        ("aaaaaaaaC", {"a": "t", "b": "t", "c": "u"}, {"max_moves": 4}, ()),
        ("aaaaaaaaC", {"a": "t", "b": "t", "c": "u"}, {"max_moves": 2}, ("max_moves",)),
    ],
)
def test_goals_that_keep_loads_apart_are_named(
    owners: str, topics_of: dict[str, str], goals: dict[str, object], held: tuple[str, ...]
) -> None:
    owned = [(("u" if owner.isupper() else "t"), owner.lower()) for owner in owners]
    counts = {topic: [o for t, o in owned if t == topic] for topic in ("t", "u")}
    members = [
        Member(
            name,
            topics=[*topics_of.get(name, "t")],
            owned=[(t, at) for t, of in counts.items() for at, o in enumerate(of) if o == name],
        )
        for name in "abc"
    ]
    group = problem_of(Group({t: len(of) for t, of in counts.items()}, members)).problem
    wanted = Goals(**goals)  # type: ignore[arg-type]
    assert held_by(group, solve(group, wanted).target, wanted) == held
