"""The benchmarks' fleet: groups of one size, unbalanced in the same way."""

import pandas as pd

from optimizer import Group, Member, assign
from tests.bench.uniform_fleet import uniform_fleet

GROUP = ["cluster", "group"]
SHAPE = {"groups": 40, "partitions_per_group": 23, "members_per_group": 6, "overlapping_every": 4}


def test_groups_are_ranges_answer_before_two_members_joined():
    """Each has five topics of its own; every fourth has members with half of them or more."""
    tables = uniform_fleet(**SHAPE, seed=3)
    fleet = {name: table.to_pandas() for name, table in tables.items()}
    keys = ["cluster", "topic", "partition"]
    partitions = fleet.pop("partitions")[keys]
    assert len(partitions.drop_duplicates()) == len(partitions) == 40 * 23
    pd.testing.assert_frame_equal(fleet["assignments"][keys], partitions)
    of_group = {name: dict(list(rows.groupby(GROUP))) for name, rows in fleet.items()}
    assert len(of_group["groups"]) == 40
    for number, (key, claims) in enumerate(of_group["assignments"].items()):
        topics = claims.groupby("topic").size().to_dict()
        members = of_group["members"][key]["member_id"]
        read = of_group["subscriptions"][key].groupby("member_id")["topic"].agg(list)
        counts = read.map(len)
        assert (len(topics), len(members)) == (5, 6)
        assert 3 <= counts.min() < 5 if number % 4 == 3 else counts.min() == 5
        owned = {
            member: list(zip(rows["topic"], rows["partition"], strict=True))
            for member, rows in claims.groupby("member_id")
        }
        assert len(owned) == 4, "the newcomers, and only they, own nothing"
        group = Group(topics, [Member(member, topics=read[member]) for member in owned])
        assert owned == assign(group, strategy="range").assignment
    again, other = uniform_fleet(**SHAPE, seed=3), uniform_fleet(**SHAPE, seed=4)
    assert all(again[name].equals(table) for name, table in tables.items())
    assert not other["assignments"].equals(tables["assignments"])
