"""One group by names, from end to end."""

import random
from dataclasses import replace

from hypothesis import given, settings, strategies as st

from optimizer import Group, Member, assign
from tests.support.groups import tiny_group


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


NAMES = st.text(max_size=4)
COUNTS = st.integers(0, 5)


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """Whatever a snapshot can contain: names of any letters, claims on anything."""
    topics = draw(st.dictionaries(NAMES, COUNTS, max_size=4))
    name = st.sampled_from([*topics, "elsewhere"]) | NAMES
    members = st.builds(
        Member,
        member_id=NAMES,
        topics=st.lists(name, max_size=5),
        owned=st.lists(st.tuples(name, st.integers(0, 7) | st.integers(0, 2**31 - 1)), max_size=9),
        instance_id=st.none() | NAMES,
        rack=st.none() | NAMES,
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
