"""The benchmarks' fleet: groups of one size, unbalanced in the same way."""

from __future__ import annotations

import pandas as pd
import pyarrow as pa
import pytest

from optimizer import Group, Member, assign
from tests.bench.uniform_fleet import uniform_fleet

GROUP = ["cluster", "group"]
MEMBER = [*GROUP, "member_id"]
SHAPE = {"groups": 40, "partitions_per_group": 23, "members_per_group": 6, "overlapping_every": 4}


@pytest.fixture(scope="module")
def tables() -> dict[str, pa.Table]:
    return uniform_fleet(**SHAPE, seed=3)


@pytest.fixture(scope="module")
def fleet(tables: dict[str, pa.Table]) -> dict[str, pd.DataFrame]:
    return {name: table.to_pandas() for name, table in tables.items()}


def test_every_group_has_its_own_five_topics_and_all_of_them_are_owned(fleet):
    assert len(fleet["groups"]) == 40
    assert len(fleet["members"]) == 40 * 6
    keys = ["cluster", "topic", "partition"]
    assert len(fleet["partitions"][keys].drop_duplicates()) == len(fleet["partitions"]) == 40 * 23
    pd.testing.assert_frame_equal(fleet["assignments"][keys], fleet["partitions"][keys])
    topics = fleet["assignments"].groupby(GROUP)["topic"]
    assert (topics.nunique() == 5).all()


def test_every_fourth_group_has_members_with_half_of_the_topics_or_more(fleet):
    counts = fleet["subscriptions"].groupby(MEMBER).size().groupby(GROUP).agg(["min", "max"])
    plain = counts[counts["min"] == 5]
    overlapping = counts.drop(plain.index)
    assert list(overlapping.index) == [*fleet["groups"].set_index(GROUP).index[3::4]]
    assert (overlapping["min"] >= 3).all()


def test_owners_are_ranges_answer_before_two_members_joined(fleet):
    owned = fleet["assignments"].groupby(GROUP)
    for key, members in fleet["members"].groupby(GROUP):
        claims = owned.get_group(key)
        old = sorted(set(claims["member_id"]))
        assert len(members) - len(old) == 2, "the newcomers, and only they, own nothing"
        read = fleet["subscriptions"].groupby(GROUP).get_group(key)
        read = read.groupby("member_id")["topic"].agg(list)
        group = Group(
            topics=claims.groupby("topic").size().to_dict(),
            members=[Member(member, topics=read[member]) for member in old],
        )
        result = {
            member: list(zip(rows["topic"], rows["partition"], strict=True))
            for member, rows in claims.groupby("member_id")
        }
        assert result == assign(group, strategy="range").assignment


def test_the_same_seed_makes_the_same_tables_and_another_does_not(tables):
    again, other = uniform_fleet(**SHAPE, seed=3), uniform_fleet(**SHAPE, seed=4)
    assert all(again[name].equals(table) for name, table in tables.items())
    assert not other["assignments"].equals(tables["assignments"])


@pytest.mark.parametrize(
    ("name", "value", "lowest"),
    [
        ("groups", 0, 1),
        ("partitions_per_group", 4, 5),
        ("members_per_group", 2, 3),
        ("overlapping_every", 0, 1),
    ],
)
def test_numbers_that_are_too_small_are_refused(name, value, lowest):
    with pytest.raises(ValueError, match=f"{name} has to be {lowest} or more, not {value}"):
        uniform_fleet(**{**SHAPE, name: value}, seed=1)
