"""A group of its own for a big topic: the same members, before and after."""

import random

import numpy as np
import pytest

from optimizer import Group, Member
from optimizer.model import problem_of
from optimizer.sizes import Side, Split, split_of


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
