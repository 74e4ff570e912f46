"""Which of the best plans the solver takes, and which moves allow; test_optimum.py proves them."""

from dataclasses import replace

import numpy as np
import pytest

from optimizer import CostOverflowError, Goals, Group, Member, assign
from optimizer.checker import check_assignment
from optimizer.model import GONE, NOBODY, IntArray, Problem, measures, member_loads
from optimizer.solver import fewest_moves, solve
from optimizer.solver.budget import loads_by_moves
from optimizer.solver.demand import Demand, components
from optimizer.solver.pipeline import best_shares
from optimizer.strategies import STRATEGIES
from tests.optimizer.oracles import facts_of_problem
from tests.support.groups import demand as demand_of_problem, problem, random_problem, tiny_problem
from tests.support.tiers import tiered


@pytest.mark.parametrize(
    ("sizes", "owner", "target"),
    [
        pytest.param(
            [4, 4], [0] * 8, [0, 0, 1, 1, 0, 0, 1, 1], id="the lowest of each topic are kept"
        ),
        pytest.param(
            [5, 1, 2], [0] * 8, [0, 0, 1, 1, 1, 0, 0, 1], id="what it has the most of goes first"
        ),
        pytest.param([4, 4], [NOBODY] * 8, [0, 1] * 4, id="a topic spreads over its new readers"),
    ],
)
def test_which_partitions_two_readers_of_all_get(
    sizes: list[int], owner: list[int], target: list[int]
) -> None:
    group = problem(sizes, [list(range(len(sizes)))] * 2, np.array(owner))
    assert solve(group).target.tolist() == target


def test_owners_give_up_different_topics() -> None:
    """Each of three has one of each of four topics; the newcomer gets one of three of them."""
    group = problem([3] * 4, [list(range(4))] * 4, np.tile([0, 1, 2], 4))
    target = solve(group, Goals(levels=("moves", "racks"))).target
    topics = (target == 3).nonzero()[0] // 3
    assert len(set(topics.tolist())) == len(topics) == 3


@pytest.mark.parametrize("most", [0, measures.QUICK])
def test_a_newcomer_gets_of_every_topic(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    """Looked for or not: three topics of 12, and a third member joins two."""
    monkeypatch.setattr(measures, "QUICK", most)
    group = problem([12] * 3, [[0, 1, 2]] * 3, np.tile([0, 1], 18))
    target = solve(group).target.reshape(3, 12)
    assert [np.bincount(topic).tolist() for topic in target] == [[4, 4, 4]] * 3


def after_one_joined_or_left(seed: int) -> Problem:
    """A group as some strategy left it, before somebody joined or left."""
    draw = np.random.default_rng(seed)
    members, topics = int(draw.integers(2, 12)), int(draw.integers(1, 8))
    sizes = draw.integers(1, 25, topics).tolist()
    each = draw.integers(1, topics + 1, members + 1)
    drawn = [np.sort(draw.choice(topics, items, replace=False)).tolist() for items in each]
    topics_of = drawn if seed % 2 else [list(range(topics))] * (members + 1)
    before = problem(sizes, topics_of[:-1], np.full(sum(sizes), NOBODY))
    strategy = ("optimal", "sticky", "range", "roundrobin", "uniform")[seed // 2 % 5]
    owner = STRATEGIES[strategy].assign(before).target
    if seed // 10 % 2:
        return problem(sizes, topics_of, owner)
    left = int(draw.integers(members))
    owner = np.where(owner == left, GONE, owner - (owner > left))
    return problem(sizes, topics_of[:left] + topics_of[left + 1 : -1], owner)


def topics_on_one_member(group: Problem, target: IntArray) -> set[int]:
    """What the audit finds: topics of 8 partitions and 3 readers, of which one has 60 % or more."""
    readers = np.bincount(
        np.concatenate([group.subscriptions[items] for items in group.member_subscription]),
        minlength=len(group.topics),
    )
    of_topics = np.split(target, group.topic_offsets[1:-1])
    held = [np.bincount(items[items >= 0], minlength=1) for items in of_topics]
    return {
        t
        for t, size in enumerate(group.topic_sizes.tolist())
        if size >= 8 and readers[t] >= 3 and held[t].max() >= 0.6 * size
    }


@pytest.mark.parametrize("start", tiered(range(0, 1000, 100), 1))
def test_no_topic_is_on_one_member_that_need_not_be(start: int) -> None:
    """A thousand groups with one join or leave; the exact level tells what need be."""
    without, needed = 0, 0
    for seed in range(start, start + 100):
        group = after_one_joined_or_left(seed)
        exact = solve(replace(group), Goals(levels=("moves", "spread"))).target
        need_be = topics_on_one_member(group, exact)
        assert topics_on_one_member(group, solve(group).target) <= need_be, f"seed {seed}"
        needed += bool(need_be)
        sticky = STRATEGIES["sticky"].assign(group).target
        without += bool(topics_on_one_member(group, sticky) - need_be)
    assert needed
    assert without, "Kafka's sticky leaves some"


def demand(supply: list[int], owned: list[int]) -> Demand:
    """Two members read the second class; the first member reads the first class too."""
    return Demand(
        supply=np.array(supply),
        offsets=np.array([0, 1, 3]),
        members=np.array([0, 0, 1]),
        owned=np.array(owned),
        member_count=2,
    )


def test_costs_do_not_grow_with_the_loads() -> None:
    """64 bits hold what any group can need, though Σ load² of this one is beyond them."""
    many = 10**15
    assert best_shares(demand([many, many + 7], [0, 3, 0])).tolist() == [many, 4, many + 3]
    assert best_shares(demand([many, many + 7], [0, 4, 0])).tolist() == [many, 4, many + 3]


def test_member_with_too_much_of_its_own_gets_nothing_else() -> None:
    many = 10**15
    assert best_shares(demand([many + 9, many], [0, many, 0])).tolist() == [many + 9, 0, many]


def remote(supply: list[int], owned: list[int]) -> Demand:
    """The same with racks: the first member reads the second kind across racks."""
    return replace(demand(supply, owned), costs={"racks": np.array([False, True, False])})


def test_weights_of_levels_do_not_grow_with_the_partitions() -> None:
    """Two million partitions and four levels (coverage, balance, racks, moves) are exact."""
    for levels in (("racks", "moves"), ("moves", "racks")):
        shares = best_shares(remote([10**6, 10**6 + 4], [0, 9, 10**6 - 5]), levels).tolist()
        assert shares == [10**6, 2, 10**6 + 2]
    shares = best_shares(remote([4, 10**12], [0, 10**12, 0]), ("racks", "moves")).tolist()
    assert shares == [4, 5 * 10**11 - 2, 5 * 10**11 + 2]


def test_costs_beyond_64_bits_are_refused() -> None:
    huge = 10**18
    with pytest.raises(CostOverflowError, match="exceed 64 bits"):
        best_shares(remote([huge, huge], [0, 0, 0]), ("racks", "moves"))
    assert best_shares(demand([huge, huge], [0, 0, 0])).tolist() == [huge, 0, huge]


def test_long_chain_in_random_order_is_one_component() -> None:
    order = np.random.default_rng(1).permutation(4_000).tolist()
    links = [[order[at], order[at + 1]] for at in range(len(order) - 1)]
    group = problem([1] * len(order), links, np.full(len(order), -1))
    assert len(components(demand_of_problem(group))) == 1


@pytest.mark.parametrize("start", tiered(range(0, 300, 100), 1))
def test_it_is_the_fewest_of_all_assignments(start: int) -> None:
    seen = set()
    for group in map(tiny_problem, range(start, start + 100)):
        if not group.member_ids:
            continue
        facts = facts_of_problem(group)
        every = facts.every()
        loads, moves = facts.loads(every), facts.costs(every, "moves")
        for lowest, highest in ((0, 6), (0, 2), (1, 2), (1, 3), (2, 2)):
            fits = ((loads >= lowest) & (loads <= highest)).all(axis=1)
            expected = min(moves[fits].tolist(), default=None)
            assert fewest_moves(group, lowest, highest) == expected, (group, lowest, highest)
            seen.add(expected)
    assert {None, 0, 1} <= seen


@pytest.mark.parametrize("start", tiered(range(0, 300, 50), 2))
def test_the_curve_equals_brute_force_at_every_load(start: int) -> None:
    for seed in range(start, start + 50):
        group = tiny_problem(seed)
        facts = facts_of_problem(group)
        every = facts.every()
        largest, moves = facts.costs(every, "largest"), facts.costs(every, "moves")
        lowest, unmoved = int(largest.min()), int(largest[moves == 0].min())
        expected = [(n, moves[largest <= n].min()) for n in range(lowest, unmoved + 1)]
        assert loads_by_moves(group, lowest).points() == expected, f"seed {seed}"


def test_points_between_two_flows_are_those_of_a_flow_each() -> None:
    for seed in range(30):
        group = random_problem(seed)
        lowest = int(member_loads(group, solve(group).target).max(initial=0))
        points = loads_by_moves(group, lowest).points()
        assert points == [(load, loads_by_moves(group, lowest).moves(load)) for load, _ in points]


VARIANTS = [
    Goals(max_moves=budget, rack=rack, levels=levels)
    for budget in (0, 1, 3, 9, 0.05, 0.3)
    for rack, levels in ((None, ()), ("any", ("racks", "moves")), ("leader", ("moves", "racks")))
]


@pytest.mark.parametrize("start", tiered(range(0, 60, 5), 1))
def test_every_plan_within_a_budget_is_proven_and_its_certificate_shows_it(start: int) -> None:
    limited = 0
    for seed in range(start, start + 5):
        group = random_problem(seed, racks=True)
        for goals in VARIANTS:
            answer = solve(group, goals)
            first = check_assignment(group, answer.target, goals=goals, rival=answer.rival)
            again = check_assignment(group, answer.target, first.certificate, goals)
            assert again == first
            assert (first.balance_optimal, first.moves_optimal) == (True, True)
            assert first.certificate_fault is None
            assert first.measures is not None
            assert first.measures.moves <= (goals.budget(first.measures.partitions) or 0)
            limited += answer.rival is not None
    assert limited > 5


def lopsided() -> Group:
    """a owns twelve, b four, c has joined: four moves make it 8, 4 and 4; six make it even."""
    owned = [("t", p) for p in range(16)]
    return Group(
        {"t": 16},
        [Member("a", ["t"], owned[:12]), Member("b", ["t"], owned[12:]), Member("c", ["t"])],
    )


def test_what_more_moves_would_do_is_told() -> None:
    plan = assign(lopsided(), goals=Goals(max_moves=4))
    assert (plan.loads, plan.moves) == ({"a": 8, "b": 4, "c": 4}, 4)
    assert plan.notes == ["6 moves instead of 4 would make the largest load 6 instead of 8"]
    assert plan.check().balance_optimal
    assert assign(lopsided(), goals=Goals(max_moves=6)).notes == []
    assert assign(lopsided(), goals=Goals(max_moves=0.25)).loads == plan.loads
