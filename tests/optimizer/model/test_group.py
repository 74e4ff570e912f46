"""Malformed groups say all that is wrong with them at once."""

import itertools

import pytest

from optimizer import Goals, Group, InvalidGroupError, Member, assign
from optimizer.model import check_group


def faults_of(group: Group) -> list[str]:
    with pytest.raises(InvalidGroupError) as caught:
        assign(group)
    assert isinstance(caught.value, ValueError)
    assert all(fault in str(caught.value) for fault in caught.value.faults)
    return caught.value.faults


def test_every_fault_is_listed() -> None:
    group = Group(
        topics={"t": 2, "u": -1, "v": 1.5, "w": True},
        members=[
            Member("A", topics=["t"], owned=[("t", -3), ("t", 0)]),
            Member("A", topics="t"),
            Member("B", topics=["t"], owned=[("t", "0")]),
        ],
        weights={"t": [1.0, float("nan")]},
        leader_racks={"t": ["r"]},
        replica_racks={"t": [["r"]] * 3},
    )
    assert faults_of(group) == [
        "topic 'u' has -1 partitions, a negative number",
        "topic 'v' has 1.5 partitions, which is not a whole number",
        "topic 'w' has True partitions, which is not a whole number",
        "2 members have the id 'A'",
        "the topics of member 'A' are a string, not a list of names",
        "member 'A' owns ('t', -3), which is not a partition",
        "member 'B' owns ('t', '0'), which is not a partition",
        "leader_racks of topic 't' has 1 entries for 2 partitions",
        "replica_racks of topic 't' has 3 entries for 2 partitions",
        "weights of topic 't' must be numbers from 0 to 1e+100",
    ]


@pytest.mark.parametrize(
    ("group", "fault"),
    [
        *(
            (
                Group(topics={"t": 1}, members=[], weights={"t": [weight]}),
                "weights of topic 't' must be numbers from 0 to 1e+100",
            )
            for weight in (-1.0, float("inf"), float("nan"), 1e101, 10**400, "1", True, 1j)
        ),
        *(
            (
                Group(topics={}, members=[Member("a", [], capacity=capacity)]),
                f"member 'a' has the capacity {capacity!r:.40}: it must be a number above 0, "
                "from 1e-100 to 1e+100",
            )
            for capacity in (0, -1, float("nan"), 1e-320, 1e308, 10**400, "2", True)
        ),
        (
            Group(topics={"t": 10**9, "u": 1}, members=[Member("a", ["t"])]),
            "its topics have 1,000,000,001 partitions, and no more than 20,000,000 can be planned "
            "at once: plan its topics in several groups",
        ),
        (
            Group({"t": 1}, [Member("a", ["t"], owned=[("t", 10**30)])]),
            f"member 'a' owns ('t', {10**30}), which is not a partition",
        ),
    ],
    ids=itertools.count(),
)
def test_what_no_group_can_have(group: Group, fault: str) -> None:
    assert faults_of(group) == [fault]


def test_weights_that_are_next_to_nothing_weigh_nothing() -> None:
    group = Group({"t": 3}, [Member("a", ["t"]), Member("b", ["t"])], weights={"t": [5e-324] * 3})
    assert sorted(assign(group, goals=Goals(balance="weight")).loads.values()) == [1, 2]


def test_facts_about_a_topic_that_the_cluster_lacks_are_no_fault() -> None:
    assign(Group(topics={}, members=[], weights={"t": [1.0]}, leader_racks={"t": ["r"]}))


def test_claims_are_read_in_the_order_of_members_and_topics_of_the_group() -> None:
    group = Group(
        {"u": 2, "t": 9},
        [
            Member("B", ["u"], owned=[("t", 7), ("x", 0)]),
            Member("A", []),
            Member("C", [], [("u", 1)]),
        ],
    )
    owned = check_group(group)
    assert owned.counts == [2, 0, 1]
    assert (owned.topics.tolist(), owned.numbers.tolist()) == ([1, -1, 0], [7, 0, 1])


def test_none_is_nothing() -> None:
    bare = Group({"t": 2}, [Member("a", []), Member("b", ["t"])])
    none = Group(
        {"t": 2},
        [Member("a", None, None), Member("b", ["t"], None)],  # type: ignore[arg-type]
        weights=None,  # type: ignore[arg-type]
        leader_racks=None,  # type: ignore[arg-type]
        replica_racks=None,  # type: ignore[arg-type]
        topic_ids=None,  # type: ignore[arg-type]
    )
    assert assign(none) == assign(bare)
    for_topic = Group(
        {"t": 2},
        [Member("a", [], rack="x"), Member("b", ["t"], rack="y")],
        weights={"t": None},  # type: ignore[dict-item]
        leader_racks={"t": None},  # type: ignore[dict-item]
        replica_racks={"t": [None, ["x"]]},  # type: ignore[list-item]
        topic_ids={"t": None},  # type: ignore[dict-item]
    )
    for rack in ("leader", "any"):
        assert assign(for_topic, goals=Goals(rack=rack)).loads == {"a": 0, "b": 2}
    assert assign(for_topic, "range").loads == {"a": 0, "b": 2}
