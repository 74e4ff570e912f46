"""How many members a group needs, and how a topic is split off, against trying every choice."""

import random
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pytest

from optimizer import Group, Member, assign
from optimizer.model import Problem, check_group, problem_of
from optimizer.sizes import Side, Sizes, Split, commit_curve, needed_for, sizes_of, split_of
from tests.support.tiers import tiered


def problem(group: Group) -> Problem:
    return problem_of(group, check_group(group)).problem


def alike(partitions: int, members: int) -> Group:
    everybody = [Member(f"m{n:03}", ["t"]) for n in range(members)]
    return Group({"t": partitions}, everybody)


def sized(group: Group) -> Sizes:
    sizes = sizes_of(problem(group))
    assert sizes is not None
    return sizes


OWNED = [("t", partition) for partition in range(5)]


@pytest.mark.parametrize(
    ("group", "expected"),
    [
        pytest.param(
            Group({"t": 6}, [Member("a", ["t"], OWNED), Member("b", ["t"], [("t", 5)])]),
            {"current_max": 5, "fewest_found": 2, "fewest_optimal": 2},
            id="the maximum of now needs fewer",
        ),
        pytest.param(
            Group({"t": 6}, [Member("a", ["t"], [*OWNED, ("t", 5)]), Member("b", ["t"])]),
            {"fewest_found": 1},
            id="one has all",
        ),
        pytest.param(
            Group({"own": 9, "t": 4}, [Member("a", ["own"]), *(Member(n, ["t"]) for n in "bcd")]),
            {"optimal_max": 9, "next_better": None, "kinds": 2, "fewest_optimal": 2, "spare": 2},
            id="one alone reads 9 partitions: no number of the others helps",
        ),
        pytest.param(
            Group({"t": 4}, [Member("a", ["t"]), Member("b", ["t"]), Member("c", ["gone"])]),
            {"members": 3, "fewest_optimal": 2, "next_better": 5, "even": False},
            id="who reads nothing goes first",
        ),
    ],
)
def test_sizes(group: Group, expected: dict[str, Any]) -> None:
    sizes = sized(group)
    assert {name: getattr(sizes, name) for name in expected} == expected


@pytest.mark.parametrize("topics", [{}, {"t": 0}])
def test_nothing_to_read(topics: dict[str, int]) -> None:
    members = [Member("a", ["t"])]
    assert sizes_of(problem(Group(topics, members))) is None


def random_group(dice: random.Random) -> Group:
    topics = {f"t{n}": dice.randint(1, 6) for n in range(dice.randint(1, 4))}
    kinds = [
        dice.sample(sorted(topics), dice.randint(1, len(topics))) for _ in range(dice.randint(1, 3))
    ]
    members = [Member(f"m{n}", dice.choice(kinds)) for n in range(dice.randint(1, 6))]
    read = {topic for member in members for topic in member.topics}
    return Group({topic: topics[topic] for topic in read}, members)


def least_max(group: Group, members: list[Member]) -> int | None:
    """The highest load of the optimum of these; None if they don't read everything."""
    if {topic for member in members for topic in member.topics} != set(group.topics):
        return None
    return max(assign(Group(group.topics, members)).loads.values())


def best_of(group: Group, members: int) -> int | None:
    """The least maximum with so many of the members."""
    loads = (
        least_max(group, [*combination]) for combination in combinations(group.members, members)
    )
    return min((load for load in loads if load is not None), default=None)


def commonest(group: Group) -> Member:
    """A member of the subscription that most have; of several that which reads most."""
    sets = [frozenset(member.topics) for member in group.members]
    amounts = [sum(group.topics[topic] for topic in topics) for topics in sets]
    keys = [(sets.count(topics), amount) for topics, amount in zip(sets, amounts, strict=True)]
    tied = {sets[at] for at, key in enumerate(keys) if key == max(keys)}
    if len(tied) > 1:
        pytest.skip("several are as common and read as much")
    return Member("new", sorted(tied.pop()))


@pytest.mark.parametrize("seed", tiered(range(150), 50))
def test_sizes_are_the_best_of_all_choices(seed: int) -> None:
    group = random_group(random.Random(seed))
    joins = commonest(group)
    sizes = sized(group)
    size = len(group.members)
    fewer = {n: best_of(group, n) for n in range(1, size + 1)}
    more = {
        size + n: least_max(
            group, [*group.members, *(Member(f"n{k}", joins.topics) for k in range(n))]
        )
        for n in range(1, 30)
    }
    loads = fewer | more
    optimal = loads[size]
    assert optimal is not None and sizes.proven
    assert sizes.optimal_max == optimal
    assert sizes.fewest_optimal == min(n for n in fewer if fewer[n] == optimal)
    assert sizes.spare == size - sizes.fewest_optimal
    better = [n for n, load in more.items() if load is not None and load < optimal]
    assert sizes.next_better == min(better, default=None)
    even = [n for n, load in loads.items() if load is not None and load * n == sizes.partitions]
    assert [(item.members, item.max_load, item.even) for item in sizes.sizes] == [
        (n, load, n in even)
        for n in range(size - 3, size + 4)
        if (load := loads.get(n)) is not None
    ]
    assert sizes.even == (size in even)
    assert sizes.even_below == max((n for n in even if n < size), default=None)
    assert sizes.even_above == min((n for n in even if n > size), default=None)


def test_members_for_what_comes_in() -> None:
    """100 records a second, of which one does 20 with room to spare: 5 at 1.0, 8 at 0.7."""
    group = problem(alike(12, 3))
    assert needed_for(group, np.array([100.0]), 20, 1.0).members == 5
    needed = needed_for(group, np.array([100.0]), 20, 0.7)
    assert (needed.members, needed.rate, needed.load, needed.proven) == (8, 100, 14, True)
    assert needed_for(group, np.array([0.0]), 20, 0.7).members == 1


def test_members_of_each_kind_for_what_comes_in() -> None:
    """Who alone reads `own` can't be helped by the others, who are the commonest."""
    members = [Member("a", ["own"]), Member("b", ["own"]), *(Member(n, ["t"]) for n in "cdef")]
    group = problem(Group({"own": 4, "t": 4}, members))
    assert needed_for(group, np.array([15.0, 31.0]), 10, 1.0).members == 6
    assert needed_for(group, np.array([15.0, 0.0]), 10, 1.0).members == 3
    assert needed_for(group, np.array([21.0, 31.0]), 10, 1.0).members is None


def in_pods(partitions: int, pods: int, threads: int) -> Group:
    group = alike(partitions, pods * threads)
    return replace(
        group,
        members=[
            replace(member, host=f"/pod-{at // threads}") for at, member in enumerate(group.members)
        ],
    )


def test_sizes_of_pods_are_multiples_of_their_threads() -> None:
    sizes = sized(in_pods(100, 10, 4))
    assert (sizes.per_host, sizes.members, sizes.optimal_max) == (4, 40, 3)
    assert (sizes.fewest_optimal, sizes.spare, sizes.next_better) == (36, 4, 52)
    assert (sizes.even_below, sizes.even_above) == (20, 100)
    assert [size.members for size in sizes.sizes] == [28, 32, 36, 40, 44, 48, 52]
    assert sizes.proven
    rates = np.array([3_400.0])
    assert needed_for(problem(in_pods(100, 10, 4)), rates, 100.0, 1.0).members == 36
    assert needed_for(problem(alike(100, 40)), rates, 100.0, 1.0).members == 34


def test_members_go_one_by_one_unless_all_hosts_have_as_many() -> None:
    pods = in_pods(100, 10, 4)
    lopsided = replace(pods, members=pods.members[1:])
    one_host = replace(pods, members=[replace(member, host="h") for member in pods.members])
    for group in (lopsided, one_host, alike(100, 40)):
        assert (sized(group).per_host, sized(group).fewest_optimal) == (1, 34)


def test_commits_fall_and_records_read_twice_grow_with_the_interval() -> None:
    often, seldom = commit_curve(10, 1000.0, [1.0, 60.0])
    assert often == (1.0, 10.0, 50.0, 100.0)
    assert seldom == (60.0, pytest.approx(1 / 6), 3000.0, 6000.0)


def test_crashes_at_any_time_read_as_much_twice_in_the_mean() -> None:
    chance = random.Random(1)
    (cost,) = commit_curve(4, 400.0, [5.0])
    since_commit = [chance.uniform(0, 5) * 100 for _ in range(20_000)]
    assert sum(since_commit) / len(since_commit) == pytest.approx(cost.read_twice, rel=0.02)
    assert max(since_commit) <= cost.read_twice_most


def split(group: Group, topic: str) -> Split:
    result = split_of(problem_of(group).problem, topic)
    assert result is not None
    return result


def group_of(members: int, lags: list[float] | None = None) -> Group:
    """A big topic of 9 partitions and a small one of 3, all owned by the first member."""
    topics = {"big": 9, "small": 3}
    owned = [(topic, number) for topic, count in topics.items() for number in range(count)]
    return Group(
        topics=topics,
        members=[
            Member(f"m{at}", topics=list(topics), owned=owned if at == 0 else [])
            for at in range(members)
        ],
        weights={"big": lags, "small": [1.0, 1.0, 1.0]} if lags else {},
    )


def test_members_are_divided_so_that_the_largest_load_is_lowest() -> None:
    """Lag is that of each group."""
    result = split(group_of(4), "big")
    assert result.now == Side(4, 12, 12, None, None)
    assert result.optimum == Side(4, 12, 3, None, None)
    assert (result.rest, result.max_load) == (Side(1, 3, 3, None, None), 3)
    result = split(group_of(4, [90.0, 30.0, 30.0, *[0.0] * 6]), "big")
    assert result.now == Side(4, 12, 12, 153.0, 153.0)
    assert result.own == Side(3, 9, 3, 150.0, 90.0)
    assert result.rest == Side(1, 3, 3, 3.0, 3.0)


@pytest.mark.parametrize(
    ("members", "rates", "own"),
    [
        (5, [99.0, 1.0], 4),  # by partitions 9 and 3: 3 or 4
        (5, [1.0, 99.0], 2),  # three partitions have work for three members
        (6, [50.0, 50.0], 3),
        (12, [99.0, 1.0], 9),  # nine partitions have work for nine
    ],
)
def test_members_follow_the_records_where_rates_are_known(
    members: int, rates: list[float], own: int
) -> None:
    problem = problem_of(group_of(members)).problem
    of_topic = dict(zip(("big", "small"), rates, strict=True))
    result = split_of(problem, "big", np.array([of_topic[topic] for topic in problem.topics]))
    assert result and (result.own.members, result.rest.members) == (own, members - own)
    other = split_of(problem, "small", np.array([of_topic[topic] for topic in problem.topics]))
    assert other and other.rest.members == own


ALONE = Group(topics={"only": 3}, members=[Member("a", ["only"]), Member("b", ["only"])])


@pytest.mark.parametrize(
    ("group", "topic"), [(ALONE, "absent"), (ALONE, "only"), (group_of(1), "big")]
)
def test_nothing_to_split(group: Group, topic: str) -> None:
    assert split_of(problem_of(group).problem, topic) is None


def test_members_of_other_topics_stay_with_them() -> None:
    group = Group(
        topics={"big": 8, "small": 2},
        members=[*(Member(f"b{at}", ["big"]) for at in range(3)), Member("s", ["small"])],
    )
    result = split(group, "big")
    assert (result.own.members, result.rest.members) == (3, 1)
    assert (result.own.max_load, result.rest.max_load) == (3, 2)


def test_no_division_is_better_and_loads_are_dealt_whole() -> None:
    chance = random.Random(3)
    for _ in range(200):
        sizes = {"big": chance.randint(1, 40), "small": chance.randint(1, 20)}
        members = chance.randint(2, 12)
        group = Group(topics=sizes, members=[Member(f"m{at}", [*sizes]) for at in range(members)])
        result = split(group, "big")
        assert result.own.members + result.rest.members == members
        assert result.max_load == min(
            max(-(-sizes["big"] // own), -(-sizes["small"] // (members - own)))
            for own in range(1, members)
        )
        assert result.max_load >= result.optimum.max_load
