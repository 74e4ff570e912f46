"""One group by names: a plan, its numbers, its names, which are made when read, and its proof."""

import json
import pickle
import random
from copy import deepcopy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import optimizer.plan
from optimizer import Group, Member, Plan, assign
from optimizer.model import GONE, NOBODY, measure
from tests.support.groups import problem, tiny_group


@pytest.mark.parametrize(("members", "owner"), [([[]], 0), ([], GONE)])
def test_what_has_no_reader_is_no_load_no_move_and_no_takeover(
    members: list[list[int]], owner: int
) -> None:
    group = problem([1], members, np.array([owner]))
    assert measure(group, np.array([NOBODY])) == (*(0,) * 7, None)


@pytest.mark.parametrize(
    ("owned", "takeovers"), [([("t", 0)], 2), ([], 0)], ids=["left behind", "all is new"]
)
def test_unowned_partitions_are_taken_over_in_a_group_that_owns_something(
    owned: list[tuple[str, int]], takeovers: int
) -> None:
    plan = assign(Group({"t": 3}, [Member("A", ["t"], owned), Member("B", ["t"])]))
    assert (plan.moves, plan.takeovers) == (0, takeovers)


GROUP = Group(
    {"t": 3}, [Member("A", ["t"], owned=[("t", p) for p in range(3)]), Member("B", ["t"])]
)
NAMES = {"A": [("t", 0), ("t", 1)], "B": [("t", 2)]}


def test_names_are_made_when_they_are_read_and_nothing_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[str] = []
    for name in ("_by_member", "_loads_by_member"):
        make = getattr(optimizer.plan, name)
        monkeypatch.setattr(
            optimizer.plan,
            name,
            lambda *inputs, _n=name, _m=make: (made.append(_n), _m(*inputs))[1],
        )
    plan = assign(GROUP)
    assert (plan.moves, plan.sum_squares, made) == (1, 5, [])
    assert plan.assignment == NAMES
    assert plan.assignment is plan.assignment is plan.first_round
    assert made == ["_by_member"]
    assert plan.loads == {"A": 2, "B": 1}
    assert made == ["_by_member", "_loads_by_member"]
    cooperative = assign(GROUP, "cooperative-sticky")
    assert cooperative.first_round == NAMES | {"B": []} != cooperative.assignment


@pytest.mark.parametrize("read_before", [False, True])
def test_unread_plans_are_what_read_ones_are(read_before: bool) -> None:
    plan, other = assign(GROUP), assign(GROUP)
    if read_before:
        assert plan.assignment == NAMES
    by_names = Plan("optimal", NAMES, NAMES, {"A": 2, "B": 1}, 5, 1, 0, [])
    assert plan == by_names
    for copy in (pickle.loads(pickle.dumps(plan)), deepcopy(plan), replace(plan), other):
        assert copy == plan
        assert repr(copy) == repr(plan)
    assert json.loads(json.dumps(assign(GROUP).assignment)) == {
        member: [list(pair) for pair in name] for member, name in NAMES.items()
    }
    assert f"assignment={NAMES!r}" in repr(assign(GROUP))
    assert plan != assign(GROUP, "cooperative-sticky")
    assert by_names.spread == 0


def test_same_facts_in_any_order_give_the_same_plan() -> None:
    draw = random.Random(1)
    for seed in range(100):
        group = tiny_group(seed)
        members = [
            replace(
                member,
                topics=draw.sample(member.topics, len(member.topics)),
                owned=draw.sample(member.owned, len(member.owned)),
            )
            for member in draw.sample(group.members, len(group.members))
        ]
        topics = draw.sample(list(group.topics.items()), len(group.topics))
        assert assign(Group(dict(topics), members)) == assign(group), f"seed {seed}"


def test_notes_tell_what_was_ignored_and_settled() -> None:
    group = Group(
        topics={"t": 3},
        members=[
            Member("A", ["t", "gone"], owned=[("t", 0), ("t", 1), ("gone", 0)], generation=2),
            Member("B", ["t"], owned=[("t", 0), ("t", 1), ("t", 9)], generation=2),
            Member("C", ["t"], owned=[("t", 2)], generation=2),
            Member("D", ["t"], owned=[("t", 2)]),
        ],
    )
    assert assign(group).notes == [
        "topic 'gone' is subscribed to and isn't in the cluster: ignored",
        "2 claims on partitions that don't exist: ignored",
        "1 partitions claimed twice: the newer generation's claim stands",
        "2 partitions claimed twice in one generation: counted as unowned",
    ]


TEXTS = st.text(max_size=4)
COUNTS = st.integers(0, 5)


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """Whatever a snapshot can contain: names of any letters, claims on anything."""
    topics = draw(st.dictionaries(TEXTS, COUNTS, max_size=4))
    name = st.sampled_from([*topics, "elsewhere"]) | TEXTS
    members = st.builds(
        Member,
        member_id=TEXTS,
        topics=st.lists(name, max_size=5),
        owned=st.lists(st.tuples(name, st.integers(0, 7) | st.integers(0, 2**31 - 1)), max_size=9),
        instance_id=st.none() | TEXTS,
        rack=st.none() | TEXTS,
        generation=st.none() | st.integers(-1, 2**31 - 1),
        capacity=st.none() | st.floats(0.001, 10),
    )
    return Group(
        topics,
        draw(st.lists(members, max_size=5, unique_by=lambda member: member.member_id)),
        weights={
            t: draw(st.lists(st.floats(0, 9), min_size=n, max_size=n)) for t, n in topics.items()
        },
    )


@settings(max_examples=40, deadline=None, derandomize=True)
@given(groups())
def test_what_a_snapshot_can_contain_is_planned(group: Group) -> None:
    plan = assign(group)
    assert list(plan.assignment) == sorted(member.member_id for member in group.members)
    subscribed = {topic for member in group.members for topic in member.topics}
    assert sorted(partition for items in plan.assignment.values() for partition in items) == sorted(
        (topic, p)
        for topic, count in group.topics.items()
        for p in range(count)
        if topic in subscribed
    )
    for member in group.members:
        assert {topic for topic, _ in plan.assignment[member.member_id]} <= set(member.topics)
