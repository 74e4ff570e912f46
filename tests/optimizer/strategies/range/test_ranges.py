"""Kafka's two RangeAssignors and its RoundRobinAssignor."""

from __future__ import annotations

import pytest

from optimizer import Group, Member, assign
from tests.optimizer.strategies.written_groups import racks, written

RANGES = ["range", "server-range"]


def plan(strategy: str, group: Group) -> dict[str, str]:
    return written(assign(group, strategy).assignment)


@pytest.mark.parametrize("strategy", RANGES)
def test_first_members_get_one_more_of_every_topic(strategy: str) -> None:
    """The class comment's example: two topics of three partitions, two members."""
    both = ["t0", "t1"]
    group = Group({"t0": 3, "t1": 3}, [Member("C0", both), Member("C1", both)])
    assert plan(strategy, group) == {"C0": "t0:0,1 t1:0,1", "C1": "t0:2 t1:2"}


@pytest.mark.parametrize("strategy", RANGES)
def test_a_hundred_topics_pile_up_on_the_first_members(strategy: str) -> None:
    """100 members, 100 topics of 10 partitions: the first ten have all, the others nothing."""
    topics = {f"topic-{t}": 10 for t in range(100)}
    group = Group(topics, [Member(f"C{m:02d}", list(topics)) for m in range(100)])
    loads = assign(group, strategy).loads
    assert (max(loads.values()), min(loads.values())) == (100, 0)
    assert [member for member, load in loads.items() if load] == [f"C{m:02d}" for m in range(10)]


@pytest.mark.parametrize("strategy", RANGES)
def test_each_topic_is_split_among_its_own_subscribers(strategy: str) -> None:
    group = Group({"t": 3, "u": 2}, [Member("A", ["t"]), Member("B", ["t", "u"])])
    assert plan(strategy, group) == {"A": "t:0,1", "B": "t:2 u:0,1"}


@pytest.mark.parametrize("strategy", [*RANGES, "roundrobin"])
def test_static_members_come_first_in_the_order_of_their_instance_ids(strategy: str) -> None:
    members = [
        Member("A", ["t"]),
        Member("B", ["t"], instance_id="z"),
        Member("C", ["t"], instance_id="y"),
    ]
    assert plan(strategy, Group({"t": 3}, members)) == {"A": "t:2", "B": "t:1", "C": "t:0"}


@pytest.mark.parametrize("strategy", [*RANGES, "roundrobin"])
def test_members_stand_in_the_order_of_utf16_units(strategy: str) -> None:
    group = Group({"t": 3}, [Member("\uff5e", ["t"]), Member("\U0001f600", ["t"])])
    assert assign(group, strategy).loads == {"\U0001f600": 2, "\uff5e": 1}


@pytest.mark.parametrize("strategy", [*RANGES, "roundrobin"])
def test_who_owned_what_does_not_matter(strategy: str) -> None:
    members = [Member("A", ["t"]), Member("B", ["t"], owned=[("t", 0), ("t", 1)], generation=3)]
    assert plan(strategy, Group({"t": 2}, members)) == {"A": "t:0", "B": "t:1"}


@pytest.mark.parametrize("strategy", [*RANGES, "roundrobin"])
@pytest.mark.parametrize(
    "members", [[], [Member("A", [])], [Member("A", ["vanished"])], [Member("A", ["empty"])]]
)
def test_without_anything_to_read_nobody_gets_anything(
    strategy: str, members: list[Member]
) -> None:
    group = Group({"t": 3, "empty": 0}, members)
    assert plan(strategy, group) == {member.member_id: "" for member in members}


def racked(topics: dict[str, str], members: str) -> Group:
    """Members A, B, … in the racks that the letters of `members` name; - is none."""
    replica_racks = {topic: racks(text) for topic, text in topics.items()}
    return Group(
        {topic: len(partitions) for topic, partitions in replica_racks.items()},
        [
            Member(chr(ord("A") + at), list(topics), rack=None if rack == "-" else rack)
            for at, rack in enumerate(members)
        ],
        replica_racks=replica_racks,
    )


def test_partitions_go_to_members_in_their_rack() -> None:
    assert plan("range", racked({"t": "c a b"}, "abc")) == {"A": "t:1", "B": "t:2", "C": "t:0"}


def test_the_coordinator_looks_at_no_racks() -> None:
    """Rack awareness was taken out of the coordinator's assignors (KAFKA-16694)."""
    group = racked({"t": "c a b"}, "abc")
    assert plan("server-range", group) == {"A": "t:0", "B": "t:1", "C": "t:2"}


@pytest.mark.parametrize(
    "partitions",
    ["abc abc abc", "d d d", "- - -"],
    ids=["replicas in every rack", "replicas in other racks only", "replicas in no rack"],
)
def test_racks_do_not_matter_where_none_is_nearer(partitions: str) -> None:
    assert plan("range", racked({"t": partitions}, "abc")) == {"A": "t:0", "B": "t:1", "C": "t:2"}


def test_balance_comes_before_racks() -> None:
    """Both partitions are near to A, who may have one."""
    assert plan("range", racked({"t": "a a"}, "ab")) == {"A": "t:0", "B": "t:1"}


def test_a_member_without_a_rack_takes_any_partition_in_its_turn() -> None:
    assert plan("range", racked({"t": "b a c"}, "-ab")) == {"A": "t:0", "B": "t:1", "C": "t:2"}


def test_who_is_full_leaves_the_one_more_to_others() -> None:
    """Five partitions for two members: A takes two near ones, and as the first one a third."""
    assert plan("range", racked({"t": "b a a b b"}, "ab")) == {"A": "t:1,2", "B": "t:0,3,4"}


def test_topics_of_equal_size_stay_co_partitioned() -> None:
    """Partition 1 is near A in one topic only: both go to one member, wherever the racks are."""
    group = racked({"t": "c a b", "u": "c b a"}, "abc")
    assert plan("range", group) == {"A": "t:1 u:1", "B": "t:2 u:2", "C": "t:0 u:0"}


def test_co_partitioning_reaches_topics_that_racks_do_not_pay_for() -> None:
    """t and u have all racks everywhere and keep their ranges; v, of another size, is near."""
    group = racked({"t": "ab ab", "u": "ab ab", "v": "b a a"}, "ab")
    assert plan("range", group) == {"A": "t:0 u:0 v:1,2", "B": "t:1 u:1 v:0"}


def test_round_robin_goes_on_from_topic_to_topic() -> None:
    """The class comment's first example."""
    both = ["t0", "t1"]
    group = Group({"t0": 3, "t1": 3}, [Member("C0", both), Member("C1", both)])
    assert plan("roundrobin", group) == {"C0": "t0:0,2 t1:1", "C1": "t0:1 t1:0,2"}


def test_round_robin_skips_who_is_not_subscribed() -> None:
    """The class comment's second example: it isn't balanced, though it could be."""
    group = Group(
        {"t0": 1, "t1": 2, "t2": 3},
        [Member("C0", ["t0"]), Member("C1", ["t0", "t1"]), Member("C2", ["t0", "t1", "t2"])],
    )
    assert plan("roundrobin", group) == {"C0": "t0:0", "C1": "t1:0", "C2": "t1:1 t2:0,1,2"}


def test_round_robin_takes_topics_in_the_order_of_utf16_units() -> None:
    topics = {"\U0001f600": 1, "\uff5e": 1}
    group = Group(topics, [Member("A", list(topics)), Member("B", list(topics))])
    assert plan("roundrobin", group) == {"A": "\U0001f600:0", "B": "\uff5e:0"}
