"""Kafka's CooperativeStickyAssignor: the target, and what the first rebalance hands out."""

from __future__ import annotations

from collections.abc import Sequence

from optimizer import Group, Member, assign
from tests.optimizer.strategies.written_groups import claims, racks, written

Rounds = tuple[dict[str, str], dict[str, str]]


def reader(member_id: str, topics: str, owned: str = "", generation: int | None = 1) -> Member:
    return Member(member_id, topics.split(), claims(owned), generation=generation)


def rounds(group: Group) -> Rounds:
    """The target and the first round."""
    plan = assign(group, "cooperative-sticky")
    return written(plan.assignment), written(plan.first_round)


def cooperative(topics: dict[str, int], members: Sequence[Member]) -> Rounds:
    return rounds(Group(topics, members))


def test_a_joiner_waits_for_what_others_have_to_give_up() -> None:
    target, first = cooperative({"t": 4}, [reader("A", "t", "t:0,1,2,3"), reader("B", "t")])
    assert target == {"A": "t:0,1", "B": "t:2,3"}
    assert first == {"A": "t:0,1", "B": ""}


def test_the_second_round_completes_the_target() -> None:
    members = [reader("A", "t", "t:0,1", 2), reader("B", "t", "", 2)]
    target, first = cooperative({"t": 4}, members)
    assert target == first == {"A": "t:0,1", "B": "t:2,3"}


def test_what_a_leaver_owned_goes_out_at_once() -> None:
    target, first = cooperative({"t": 4}, [reader("A", "t", "t:0,1"), reader("B", "t", "t:2")])
    assert target == first == {"A": "t:0,1", "B": "t:2,3"}


def test_what_two_members_claim_is_withheld_though_neither_owns_it() -> None:
    """Each of them may still be reading it."""
    members = [reader("A", "t", "t:0"), reader("B", "t", "t:1,2"), reader("C", "t", "t:2,3")]
    target, first = cooperative({"t": 4}, members)
    assert target == {"A": "t:0,2", "B": "t:1", "C": "t:3"}
    assert first == {"A": "t:0", "B": "t:1", "C": "t:3"}


def test_with_equal_subscriptions_a_stale_claim_withholds_nothing() -> None:
    """B claimed t-0 with an older generation: A's newer claim stands, and A keeps it."""
    members = [reader("A", "t", "t:0,1", 2), reader("B", "t", "t:0", 1)]
    target, first = cooperative({"t": 4}, members)
    assert target == first == {"A": "t:0,1", "B": "t:2,3"}


def test_different_subscriptions_withhold_what_changes_hands() -> None:
    members = [reader("A", "t", "t:0,1,2,3"), reader("B", "t u", "u:0")]
    target, first = cooperative({"t": 4, "u": 1}, members)
    assert target == {"A": "t:1,2,3", "B": "t:0 u:0"}
    assert first == {"A": "t:1,2,3", "B": "u:0"}


def test_different_subscriptions_withhold_what_its_owner_no_longer_reads() -> None:
    """A unsubscribed from t, but has yet to stop reading t-0."""
    members = [reader("A", "u", "t:0 u:0"), reader("B", "t u", "t:1")]
    target, first = cooperative({"t": 2, "u": 1}, members)
    assert target == {"A": "u:0", "B": "t:0,1"}
    assert first == {"A": "u:0", "B": "t:1"}


def test_a_member_who_claims_what_it_gets_has_it_at_once() -> None:
    """Though B claims t-0 too, with an older generation: Kafka only looks at who is added."""
    members = [reader("A", "t", "t:0", 2), reader("B", "t u", "t:0", 1)]
    target, first = cooperative({"t": 1, "u": 1}, members)
    assert target == first == {"A": "t:0", "B": "u:0"}


def test_what_is_given_up_for_its_rack_is_withheld() -> None:
    members = [
        Member("A", ["t"], claims("t:0"), rack="a", generation=1),
        Member("B", ["t"], claims("t:1"), rack="b", generation=1),
    ]
    target, first = rounds(Group({"t": 2}, members, replica_racks={"t": racks("b a")}))
    assert target == {"A": "t:1", "B": "t:0"}
    assert first == {"A": "", "B": ""}


def test_what_its_owner_gets_back_is_not_withheld() -> None:
    """A's partition is in another rack and so given up, but nobody who is nearer has room."""
    members = [
        Member("A", ["t"], claims("t:0"), rack="a", generation=1),
        Member("B", ["t"], rack="b", generation=1),
    ]
    target, first = rounds(Group({"t": 2}, members, replica_racks={"t": racks("c b")}))
    assert target == first == {"A": "t:0", "B": "t:1"}
