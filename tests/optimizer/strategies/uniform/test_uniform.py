"""The coordinator's UniformAssignor (KIP-848)."""

from __future__ import annotations

import pytest

from optimizer import Group, Member, StrategyError, assign
from tests.optimizer.strategies.written_groups import claims, loads, written

VERSIONS = ["uniform", "uniform-4.0"]


def reader(member_id: str, topics: str, owned: str = "") -> Member:
    return Member(member_id, topics.split(), claims(owned), generation=1)


def plan(strategy: str, topics: dict[str, int], *members: Member, **ids: str) -> dict[str, str]:
    return written(assign(Group(topics, members, topic_ids=ids), strategy).assignment)


def topic_id(number: int) -> str:
    """A topic id with that hash code."""
    return f"{number:032x}"


# members with the same subscription


@pytest.mark.parametrize("strategy", VERSIONS)
def test_members_get_runs_of_partitions_in_the_order_of_the_hash_map(strategy: str) -> None:
    """B is 66, so in bucket 2, and Q is 81, so in bucket 1."""
    assert plan(strategy, {"t": 4}, reader("B", "t"), reader("Q", "t")) == {
        "Q": "t:0,1",
        "B": "t:2,3",
    }


@pytest.mark.parametrize("strategy", VERSIONS)
def test_topics_go_out_in_the_order_of_a_hash_set_of_their_ids(strategy: str) -> None:
    topics = {"t": 2, "u": 2}
    members = [reader("A", "t u"), reader("B", "t u")]
    t_first = plan(strategy, topics, *members, t=topic_id(1), u=topic_id(2))
    u_first = plan(strategy, topics, *members, t=topic_id(2), u=topic_id(1))
    assert t_first == {"A": "t:0,1", "B": "u:0,1"}
    assert u_first == {"A": "u:0,1", "B": "t:0,1"}


@pytest.mark.parametrize("strategy", VERSIONS)
def test_ids_in_one_bucket_keep_the_order_of_a_hash_set_of_the_names(strategy: str) -> None:
    """1 and 17 share bucket 1 of 16; of the names, q (113, bucket 1) comes before b (98)."""
    members = [reader("A", "b q"), reader("B", "b q")]
    ids = {"b": topic_id(1), "q": topic_id(17)}
    assert plan(strategy, {"b": 2, "q": 2}, *members, **ids) == {"A": "q:0,1", "B": "b:0,1"}


def test_a_balanced_group_is_left_alone() -> None:
    """B, the second one in the HashMap, owns the one more (KAFKA-18688)."""
    members = [reader("A", "t", "t:0,1"), reader("B", "t", "t:2,3,4")]
    assert plan("uniform", {"t": 5}, *members) == {"A": "t:0,1", "B": "t:2,3,4"}


def test_up_to_kafka_4_0_the_one_more_goes_to_the_first_members() -> None:
    """Whatever they own: t-4 moves, and nothing is better for it (KAFKA-18688)."""
    members = [reader("A", "t", "t:0,1"), reader("B", "t", "t:2,3,4")]
    assert plan("uniform-4.0", {"t": 5}, *members) == {"A": "t:0,1,4", "B": "t:2,3"}


@pytest.mark.parametrize(("before", "moves"), [(23, 1), (12, 3), (24, 3), (48, 8), (96, 23)])
def test_up_to_kafka_4_0_a_larger_hash_table_costs_moves(before: int, moves: int) -> None:
    """The table doubles with the 13th, 25th, 49th and 97th member, and that shuffles the extras."""
    ids = [f"consumer-{number}" for number in range(before + 1)]
    partitions = {"t": before * 3 // 2}
    fresh = assign(Group(partitions, [reader(name, "t") for name in ids[:-1]]), "uniform-4.0")
    joined = [Member(name, ["t"], fresh.assignment.get(name, [])) for name in ids]
    made = {s: assign(Group(partitions, joined), s).moves for s in ("optimal", *VERSIONS)}
    assert made == {"optimal": 1, "uniform": 1, "uniform-4.0": moves}


def test_extras_that_nobody_owns_go_to_the_last_members() -> None:
    members = [reader("A", "t"), reader("B", "t"), reader("C", "t")]
    assert plan("uniform", {"t": 4}, *members) == {"A": "t:0", "B": "t:1", "C": "t:2,3"}
    assert plan("uniform-4.0", {"t": 4}, *members) == {"A": "t:0,1", "B": "t:2", "C": "t:3"}


@pytest.mark.parametrize("strategy", VERSIONS)
def test_a_member_with_too_much_keeps_what_its_hash_sets_have_first(strategy: str) -> None:
    """Of 1, 2, 3 and 16 it keeps three: 16 is in bucket 0 of 16, and so before the others."""
    others = [reader("B", "t", "t:4,5,6,7,8,9,10,11,12"), *(reader(name, "t") for name in "CDEFGH")]
    plan_of_all = plan(strategy, {"t": 17}, reader("A", "t", "t:3,2,1,16"), *others)
    assert plan_of_all["A"] == "t:1,2,16"


@pytest.mark.parametrize("strategy", VERSIONS)
def test_topics_that_are_no_longer_read_are_given_up(strategy: str) -> None:
    assert plan(strategy, {"t": 2, "u": 2}, reader("A", "t", "u:0,1 t:0"), reader("B", "t")) == {
        "A": "t:0",
        "B": "t:1",
    }


@pytest.mark.parametrize("strategy", VERSIONS)
@pytest.mark.parametrize("members", [[], [reader("A", "")], [reader("A", "gone")]])
def test_without_anything_to_read_nobody_gets_anything(
    strategy: str, members: list[Member]
) -> None:
    assert plan(strategy, {"t": 2}, *members) == {member.member_id: "" for member in members}


# different subscriptions


@pytest.mark.parametrize("strategy", VERSIONS)
def test_topics_with_many_partitions_a_reader_go_out_first(strategy: str) -> None:
    """u has 4 a reader, t has 1: t then goes to who has less."""
    members = [reader("A", "t"), reader("B", "t u"), reader("C", "u")]
    assert plan(strategy, {"t": 2, "u": 8}, *members) == {
        "A": "t:0,1",
        "B": "u:0,2,4,6",
        "C": "u:1,3,5,7",
    }


def test_equal_topics_go_out_in_the_order_of_their_ids() -> None:
    """Ids compare by signed halves: one that starts with an 8 comes first."""
    members = [reader("A", "t u"), reader("B", "t u"), reader("C", "v")]
    topics = {"t": 1, "u": 1, "v": 1}
    high, low = "8" + 31 * "0", "1" + 31 * "0"
    assert plan("uniform", topics, *members, t=low, u=high) == {"A": "u:0", "B": "t:0", "C": "v:0"}
    assert plan("uniform", topics, *members, t=high, u=low) == {"A": "t:0", "B": "u:0", "C": "v:0"}


def test_the_fullest_give_their_highest_partitions_to_the_emptiest() -> None:
    members = [reader("A", "t", "t:0,1,2,3,4,5"), reader("B", "t"), reader("C", "t u")]
    assert plan("uniform", {"t": 6, "u": 1}, *members) == {
        "A": "t:0,1,2",
        "B": "t:4,5",
        "C": "t:3 u:0",
    }


def test_a_subscription_that_the_cluster_lacks_makes_the_group_a_mixed_one() -> None:
    """The mixed builder hands out partitions in turn, the other one in runs."""
    same = [reader("A", "t"), reader("B", "t")]
    mixed = [reader("A", "t gone"), reader("B", "t")]
    assert plan("uniform", {"t": 4}, *same) == {"A": "t:0,1", "B": "t:2,3"}
    assert plan("uniform", {"t": 4}, *mixed) == {"A": "t:0,2", "B": "t:1,3"}


def test_two_members_without_a_common_topic_have_nothing_to_even_out() -> None:
    members = [reader("A", "t", "t:0,1,2"), reader("B", "u")]
    assert loads(assign(Group({"t": 3, "u": 0}, members), "uniform").assignment) == [0, 3]


def test_a_text_that_is_no_topic_id_is_an_error() -> None:
    with pytest.raises(StrategyError, match="topic 't': topic id 'xyz' is neither"):
        plan("uniform", {"t": 1}, reader("A", "t"), t="xyz")
