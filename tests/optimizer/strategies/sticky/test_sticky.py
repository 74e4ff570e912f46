"""Kafka's StickyAssignor."""

from __future__ import annotations

import pytest

from optimizer import Group, Member, StrategyError, assign
from optimizer.model.numbering import problem_of
from optimizer.strategies.sticky import general as sticky_general
from optimizer.strategies.sticky.movements import Movements
from tests.optimizer.strategies.written_groups import ENDLESS, claims, loads, racks, written


def sticky(topics: dict[str, int], *members: Member) -> dict[str, str]:
    return written(assign(Group(topics, members), "sticky").assignment)


def reader(member_id: str, topics: str, owned: str = "", generation: int | None = 1) -> Member:
    return Member(member_id, topics.split(), claims(owned), generation=generation)


# members with the same subscription


def test_a_fresh_group_is_filled_in_rounds() -> None:
    """The class comment's example: three members, four topics of two partitions."""
    topics = {"t0": 2, "t1": 2, "t2": 2, "t3": 2}
    members = [Member(name, list(topics)) for name in ("C0", "C1", "C2")]
    assert sticky(topics, *members) == {
        "C0": "t0:0 t1:1 t3:0",
        "C1": "t0:1 t2:0 t3:1",
        "C2": "t1:0 t2:1",
    }


def test_a_leavers_partitions_go_out_otherwise_than_the_class_comment_says() -> None:
    """C1 of that example leaves: nothing moves, but t0-1 and t2-0 change places in the comment."""
    topics = {"t0": 2, "t1": 2, "t2": 2, "t3": 2}
    left = [reader("C0", "t0 t1 t2 t3", "t0:0 t1:1 t3:0"), reader("C2", "t0 t1 t2 t3", "t1:0 t2:1")]
    comment = {"C0": "t0:0 t1:1 t2:0 t3:0", "C2": "t0:1 t1:0 t2:1 t3:1"}
    plan = sticky(topics, *left)
    assert plan == {"C0": "t0:0,1 t1:1 t3:0", "C2": "t1:0 t2:0,1 t3:1"} != comment


def test_a_joiner_gets_the_highest_numbers_of_each_topic() -> None:
    """Partitions are kept by number first, and only then by topic (KAFKA-16277)."""
    topics = {"t1": 3, "t2": 3, "t3": 3}
    everything = "t1:0,1,2 t2:0,1,2 t3:0,1,2"
    assert sticky(
        topics,
        reader("A", "t1 t2 t3", everything),
        reader("B", "t1 t2 t3"),
        reader("C", "t1 t2 t3"),
    ) == {"A": "t1:0 t2:0 t3:0", "B": "t1:1 t2:1 t3:1", "C": "t1:2 t2:2 t3:2"}


def test_who_comes_first_in_the_hash_map_keeps_the_one_more() -> None:
    """Both own three of five: "q" (113, bucket 1) is asked before "b" (98, bucket 2)."""
    members = [reader("b", "t", "t:0,1,2"), reader("q", "t", "t:3,4,5"), reader("z", "t")]
    assert sticky({"t": 7}, *members) == {"b": "t:0,1", "q": "t:3,4,5", "z": "t:2,6"}


def test_where_hashes_collide_the_leaders_order_decides() -> None:
    """Aa and BB have one hash: who comes first in the leader's list may keep two of three."""
    aa, bb = reader("Aa", "t", "t:0,1"), reader("BB", "t", "t:2,3")
    joiner = reader("C", "t")
    assert sticky({"t": 4}, aa, bb, joiner)["Aa"] == "t:0,1"
    assert sticky({"t": 4}, bb, aa, joiner)["BB"] == "t:2,3"


def test_the_newest_generation_owns_what_two_members_claim() -> None:
    """B's claim on t-1 stands; A keeps t-0, which nobody newer claims (KAFKA-14639)."""
    assert sticky({"t": 4}, reader("A", "t", "t:0,1"), reader("B", "t", "t:1,2", 2)) == {
        "A": "t:0,3",
        "B": "t:1,2",
    }


def test_two_claims_of_one_generation_are_void() -> None:
    """A and B claim t-0: it goes to who has least, and that is C (KAFKA-12984)."""
    members = [reader("A", "t", "t:0,1"), reader("B", "t", "t:0,2"), reader("C", "t")]
    assert sticky({"t": 3}, *members) == {"A": "t:1", "B": "t:2", "C": "t:0"}


def test_a_partition_that_peers_claimed_is_nobodys_even_if_a_newer_member_claims_it() -> None:
    """A and B cancel each other out before Kafka comes to C, and what is contested isn't kept."""
    members = [
        reader("A", "t", "t:0"),
        reader("B", "t", "t:0"),
        reader("C", "t", "t:0,1", 2),
    ]
    assert sticky({"t": 3}, *members) == {"A": "t:0", "B": "t:2", "C": "t:1"}


def test_claims_on_topics_that_nobody_reads_count_for_nothing() -> None:
    members = [reader("A", "t", "u:0,1,2"), reader("B", "t", "t:0,1")]
    assert sticky({"t": 2, "u": 3}, *members) == {"A": "t:1", "B": "t:0"}


def test_more_members_than_partitions_leaves_some_idle() -> None:
    members = [reader("A", "t", "t:0,1"), reader("B", "t"), reader("C", "t")]
    assert sticky({"t": 2}, *members) == {"A": "t:0", "B": "t:1", "C": ""}


@pytest.mark.parametrize("members", [[], [Member("A", [])], [Member("A", ["gone"])]])
def test_without_anything_to_read_nobody_gets_anything(members: list[Member]) -> None:
    assert sticky({"t": 2}, *members) == {member.member_id: "" for member in members}


# racks


def racked(topics: dict[str, str], *members: Member) -> dict[str, str]:
    replica_racks = {topic: racks(text) for topic, text in topics.items()}
    counts = {topic: len(partitions) for topic, partitions in replica_racks.items()}
    group = Group(counts, members, replica_racks=replica_racks)
    return written(assign(group, "sticky").assignment)


def test_partitions_go_to_members_in_their_rack() -> None:
    members = [Member(name, ["t"], rack=name.lower()) for name in "ABC"]
    assert racked({"t": "c a b c"}, *members) == {"A": "t:1", "B": "t:2", "C": "t:0,3"}


def test_an_owned_partition_in_another_rack_is_given_up() -> None:
    members = [
        Member("A", ["t"], claims("t:0"), rack="a", generation=1),
        Member("B", ["t"], claims("t:1"), rack="b", generation=1),
    ]
    assert racked({"t": "b a"}, *members) == {"A": "t:1", "B": "t:0"}


def test_racks_do_not_matter_where_every_partition_is_in_every_rack() -> None:
    members = [
        Member("A", ["t"], claims("t:1"), rack="a", generation=1),
        Member("B", ["t"], claims("t:0"), rack="b", generation=1),
    ]
    assert racked({"t": "ab ab"}, *members) == {"A": "t:1", "B": "t:0"}


def test_partitions_that_few_members_are_near_to_go_out_first() -> None:
    """t-1 is near A only: had A got t-0 before, nobody near would be left for it."""
    members = [Member("A", ["t"], rack="a"), Member("B", ["t"], rack="b")]
    assert racked({"t": "ab a"}, *members) == {"A": "t:1", "B": "t:0"}


def test_members_near_a_partition_take_turns() -> None:
    """A, B and D are near all of t, C (with the one more) only gets what is left over."""
    members = [Member(name, ["t"], rack=rack) for name, rack in zip("ABCD", "aaba", strict=True)]
    plan = racked({"t": "a a a a a a a a ab"}, *members)
    assert plan == {"A": "t:0,3,6", "B": "t:1,4", "C": "t:7,8", "D": "t:2,5"}


def test_different_subscriptions_look_at_racks_too() -> None:
    members = [Member("A", ["t"], rack="a"), Member("B", ["t", "u"], rack="b")]
    assert racked({"t": "b a", "u": "a"}, *members) == {"A": "t:1", "B": "t:0 u:0"}


# different subscriptions


def test_topics_with_few_readers_go_out_first() -> None:
    assert sticky({"t": 2, "u": 1}, reader("A", "t"), reader("B", "t u")) == {
        "A": "t:0,1",
        "B": "u:0",
    }


def test_a_joiner_takes_from_the_most_loaded() -> None:
    members = [
        reader("A", "t", "t:0,1,2,3"),
        reader("B", "t", "t:4,5,6"),
        reader("C", "t u"),
    ]
    assert sticky({"t": 7, "u": 1}, *members) == {"A": "t:1,2,3", "B": "t:4,5,6", "C": "t:0 u:0"}


def test_a_topic_that_the_cluster_lacks_makes_subscriptions_different() -> None:
    """A lists a topic more: the general algorithm moves t-0, where the other would move t-3."""
    with_vanished = [reader("A", "t gone", "t:0,1,2,3"), reader("B", "t")]
    without = [reader("A", "t", "t:0,1,2,3"), reader("B", "t")]
    assert sticky({"t": 4}, *with_vanished) == {"A": "t:2,3", "B": "t:0,1"}
    assert sticky({"t": 4}, *without) == {"A": "t:0,1", "B": "t:2,3"}


def test_a_search_that_makes_nothing_better_is_taken_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kafka goes back to how the group was filled unless the sum of differences went down."""
    members = [reader("A", "t", "t:0,1,2,3"), reader("B", "t u")]
    assert sticky({"t": 4, "u": 1}, *members) == {"A": "t:1,2,3", "B": "t:0 u:0"}
    monkeypatch.setattr(sticky_general, "_score", lambda *_: 0)
    assert sticky({"t": 4, "u": 1}, *members) == {"A": "t:0,1,2,3", "B": "u:0"}


def test_what_came_from_the_taker_goes_back_first() -> None:
    """Of two partitions that went from B to A, the first one in Java's HashSet."""
    problem, _ = problem_of(Group({"t": 20}, [Member("A", ["t"]), Member("B", ["t"])]))
    movements = Movements(problem)
    assert movements.to_be_moved(5, giver=0, taker=1) == 5
    movements.move(7, giver=1, taker=0)
    movements.move(3, giver=1, taker=0)
    hash_codes = {p: (31 * (31 + p) + ord("t")) for p in (3, 7)}
    buckets = {p: (code ^ code >> 16) % 16 for p, code in hash_codes.items()}
    assert movements.to_be_moved(5, giver=0, taker=1) == min(buckets, key=buckets.__getitem__)
    movements.move(3, giver=0, taker=1)
    movements.move(7, giver=0, taker=1)
    assert movements.to_be_moved(5, giver=0, taker=1) == 5


# what Kafka's code gets wrong


@pytest.mark.parametrize("strategy", ["sticky", "cooperative-sticky"])
def test_a_member_without_subscriptions_who_is_asked_first_gets_partitions(strategy: str) -> None:
    """An empty subscription counts as equal if the HashMap has it first."""
    group = Group({"t": 4}, [Member("c3", []), Member("d3", ["t"])])
    assert written(assign(group, strategy).assignment) == {"c3": "t:0,2", "d3": "t:1,3"}


def test_a_member_without_subscriptions_who_is_asked_later_gets_nothing() -> None:
    """The same with the ids exchanged: now the subscriptions differ."""
    assert sticky({"t": 4}, reader("d3", ""), reader("c3", "t")) == {"c3": "t:0,1,2,3", "d3": ""}


@pytest.mark.parametrize("strategy", ["sticky", "cooperative-sticky"])
def test_a_stale_owner_who_takes_no_part_makes_kafka_throw(strategy: str) -> None:
    """A claims t-0 with an older generation, and reads a topic now that nobody else reads."""
    members = [reader("A", "x", "t:0", 1), reader("B", "t", "t:0,1,2,3,4,5", 2), reader("C", "t")]
    with pytest.raises(StrategyError, match=r"NullPointerException: t-0.*'A'"):
        assign(Group({"t": 6, "x": 1}, members), strategy)


def test_a_stale_owner_in_a_balanced_group_is_harmless() -> None:
    """As nobody looks at t-0 any more."""
    members = [reader("A", "x", "t:0", 1), reader("B", "t", "t:0,1", 2), reader("C", "t", "t:2", 2)]
    assert sticky({"t": 3, "x": 1}, *members) == {"A": "x:0", "B": "t:0,1", "C": "t:2"}


def test_a_stale_owner_may_get_what_it_no_longer_reads() -> None:
    """A claims t-0 with an older generation and reads u now, which C could have as well."""
    members = [
        reader("A", "u", "t:0"),
        reader("B", "t", "t:0,1,2,3,4,5", 2),
        reader("C", "t u", "", 2),
    ]
    plan = sticky({"t": 6, "u": 1}, *members)
    assert plan == {"A": "t:0 u:0", "B": "t:3,4,5", "C": "t:1,2"}


@pytest.mark.parametrize("strategy", ["sticky", "cooperative-sticky"])
def test_a_search_that_never_ends_is_an_error(strategy: str) -> None:
    with pytest.raises(StrategyError, match="never end"):
        assign(ENDLESS, strategy)


@pytest.mark.parametrize("joined", ["t", "t u"])
def test_a_claim_beyond_a_topics_partitions_is_an_error(joined: str) -> None:
    """The topic was made anew with fewer partitions; Kafka would hand out one that isn't there."""
    members = [reader("A", "t", "t:0,7"), reader("B", joined)]
    with pytest.raises(StrategyError, match="'A' keep t-7, which doesn't exist"):
        assign(Group({"t": 6, "u": 1}, members), "sticky")


def test_a_claim_beyond_a_topics_partitions_that_is_given_up_is_none() -> None:
    """A may keep three of its four, and partition 7 comes last."""
    members = [reader("A", "t", "t:0,1,2,7"), reader("B", "t")]
    assert sticky({"t": 6}, *members) == {"A": "t:0,1,2", "B": "t:3,4,5"}


@pytest.mark.parametrize("strategy", ["sticky", "uniform"])
@pytest.mark.parametrize(
    ("topics", "members", "kept", "best"),
    [
        pytest.param(
            {f"t{number}": 1 for number in range(1, 7)},
            [
                reader("A", "t1 t2", "t1:0"),
                reader("B", "t1 t2 t3 t4", "t2:0 t3:0"),
                reader("C", "t2 t3 t4 t5 t6", "t4:0 t5:0 t6:0"),
            ],
            [1, 2, 3],
            [2, 2, 2],
            id="testMoveExistingAssignments",
        ),
        pytest.param(
            {"t": 15, "u": 15},
            [
                reader("A", "t", "t:0,1,2,3,4,5,6,7,8"),
                reader("B", "t u", "t:9,10,11,12,13,14 u:0,1,2,3"),
                reader("C", "u", "u:4,5,6,7,8,9,10,11,12,13,14"),
            ],
            [9, 10, 11],
            [10, 10, 10],
            id="the class comment of uniform",
        ),
    ],
)
def test_balance_is_a_local_one(
    strategy: str, topics: dict[str, int], members: list[Member], kept: list[int], best: list[int]
) -> None:
    """No single move helps, a chain of two would: nothing moves."""
    group = Group(topics, members)
    plan = assign(group, strategy)
    assert (loads(plan.assignment), plan.moves) == (kept, 0)
    assert loads(assign(group, "optimal").assignment) == best
