"""What becomes of an encoded row: a problem, or a status and a reason in plain words."""

from __future__ import annotations

import numpy as np
import pytest

from optimizer.model.classes import classes_of
from optimizer.model.problem import GONE, NOBODY
from spark.groups.group import FleetGroup, read_group
from spark.groups.lookup import HashCollisionError
from tests.support.encoded import encoded_group, rename_hash
from tests.support.fleets import Fleet


def read(fleet: Fleet) -> FleetGroup:
    return read_group(encoded_group(fleet))


def two_readers(*owned: tuple, **facts) -> Fleet:
    """Members a and b read topic t of three partitions."""
    return Fleet().topic("t", 3).group("g", {"a": ["t"], "b": ["t"]}, owned, **facts)


def owners(group: FleetGroup) -> list[str | None]:
    return [group.names[m] if m >= 0 else None for m in group.previous.tolist()]


def test_a_sound_group_is_ok_and_needs_no_reason() -> None:
    group = read(two_readers(("t", 0, "a"), ("t", 2, "b")))
    assert (group.status, group.reason) == ("ok", None)
    assert group.problem is not None
    assert group.problem.member_ids == ["a", "b"]
    assert group.problem.topics == ["t"]
    assert group.problem.owner.tolist() == [0, NOBODY, 1]
    assert owners(group) == ["a", None, "b"]


def test_members_of_equal_subscriptions_share_one() -> None:
    fleet = Fleet().topic("t", 1).topic("u", 1)
    group = read(fleet.group("g", {"a": ["t", "u"], "b": ["u"], "c": ["u", "t", "u"], "d": []}))
    assert group.problem is not None
    subscriptions = [subscription.tolist() for subscription in group.problem.subscriptions]
    of_member = [subscriptions[s] for s in group.problem.member_subscription.tolist()]
    assert of_member == [[0, 1], [1], [0, 1], []]
    assert len(subscriptions) == 3


def test_guessed_subscriptions_give_the_status_inferred() -> None:
    assert read(two_readers(subscriptions_inferred=True)).status == "inferred"


@pytest.mark.parametrize(
    "state", ["PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling"]
)
def test_a_rebalancing_group_gets_no_plan(state: str) -> None:
    group = read(two_readers(state=state))
    assert (group.status, group.problem) == ("rebalancing", None)
    assert group.reason == f"the group is rebalancing (state {state})"


@pytest.mark.parametrize("state", ["Stable", "Empty", "Dead", "something new", None])
def test_any_other_state_is_planned(state: str | None) -> None:
    assert read(two_readers(state=state)).status == "ok"


@pytest.mark.parametrize("kind", ["share", "streams", "other"])
@pytest.mark.parametrize("state", ["Stable", "Empty", "Reconciling", "Unknown: not said"])
def test_a_group_of_another_kind_is_unsupported_whatever_else_is_the_matter(
    kind: str, state: str
) -> None:
    for fleet in (two_readers(type=kind, state=state), Fleet().group("g", {}, type=kind)):
        group = read(fleet)
        assert (group.status, group.problem) == ("unsupported", None)
        assert group.reason


@pytest.mark.parametrize("kind", ["classic", None])
def test_streams_on_the_classic_protocol_is_unsupported(kind: str | None) -> None:
    facts = {"type": kind, "strategy": "stream"}
    group = read(two_readers(("t", 0, "a"), **facts))
    assert group.status == "unsupported"
    assert "Kafka Streams (strategy 'stream')" in (group.reason or "")
    assert read(Fleet().group("g", {}, **facts)).status == "empty"


def test_the_protocols_of_consumers_are_planned() -> None:
    assert {read(two_readers(type=kind)).status for kind in ("classic", "consumer")} == {"ok"}


def test_a_group_without_members_is_empty() -> None:
    group = read(Fleet().group("g", {}, [("t", 0, "left")], state="Empty"))
    assert (group.status, group.reason) == ("empty", "the group has no members")


def test_a_group_that_could_not_be_read_is_not_called_empty() -> None:
    """`collect` writes why into the state."""
    group = read(Fleet().group("g", {}, state="Unknown: broker 2 did not answer"))
    assert group.status == "invalid"
    assert group.reason == (
        "what the group reads and owns isn't known: Unknown: broker 2 did not answer"
    )


def test_a_rebalancing_group_is_not_called_empty() -> None:
    """While members join, Kafka may show none of them."""
    assert read(Fleet().group("g", {}, state="PreparingRebalance")).status == "rebalancing"


def test_two_members_of_one_id_are_invalid() -> None:
    fleet = two_readers().add("members", group="g", member_id="b")
    group = read(fleet)
    assert (group.status, group.reason) == ("invalid", "two members have the id 'b'")


def test_a_subscription_of_a_member_that_is_not_there_is_invalid() -> None:
    fleet = two_readers().add("subscriptions", group="g", member_id="z", topic="t")
    group = read(fleet)
    assert group.status == "invalid"
    assert group.reason == ("1 subscriptions are of members that aren't there (one to topic 't')")


def test_subscriptions_without_any_member_are_invalid() -> None:
    fleet = Fleet().topic("t", 1).add("subscriptions", group="g", member_id="z", topic="t")
    assert read(fleet).status == "invalid"


@pytest.mark.parametrize("members", [{}, {"a": ["t"]}])
def test_a_group_listed_twice_is_invalid_with_members_or_without(members: dict) -> None:
    group = read(Fleet().topic("t", 1).group("g", members).add("groups", group="g"))
    assert (group.status, group.reason) == ("invalid", "the group is listed twice")


@pytest.mark.parametrize(
    ("numbers", "what"),
    [
        ([0, 1, 1], "has a partition that is listed twice"),
        ([0, -1], "has a negative partition number"),
        ([0, 2], "has gaps in its partition numbers"),
        ([1, 2], "has gaps in its partition numbers"),
    ],
)
def test_a_faulty_topic_makes_its_subscribers_group_invalid(numbers: list[int], what: str) -> None:
    group = read(Fleet().topic("t", numbers).group("g", {"a": ["t"]}))
    assert (group.status, group.reason) == ("invalid", f"topic 't' {what}")


def test_a_faulty_topic_is_no_fault_of_a_group_that_only_owned_some_of_it() -> None:
    fleet = Fleet().topic("t", [0, 0]).topic("u", 1).group("g", {"a": ["u"]}, [("t", 0, "a")])
    assert read(fleet).status == "ok"


def test_all_faults_of_a_group_are_told_at_once() -> None:
    fleet = Fleet().topic("t", [0, 0]).topic("u", [-1]).group("g", {"a": ["t", "u"]})
    fleet.add("groups", group="g").add("members", group="g", member_id="a")
    fleet.add("subscriptions", group="g", member_id="z", topic="u")
    reason = read(fleet).reason
    assert reason == (
        "the group is listed twice; two members have the id 'a'; "
        "1 subscriptions are of members that aren't there (one to topic 'u'); "
        "topic 't' has a partition that is listed twice; "
        "topic 'u' has a negative partition number"
    )


def test_a_topic_that_the_cluster_lacks_is_ignored_and_noted() -> None:
    group = read(Fleet().topic("t", 2).group("g", {"a": ["t", "vanished"]}))
    assert group.status == "ok"
    assert group.reason == "topic 'vanished' is subscribed to and isn't in the cluster: ignored"
    assert group.problem is not None
    assert group.problem.partition_count == 2


def test_a_group_whose_topics_are_all_absent_is_invalid_if_members_own_something() -> None:
    """It isn't even: the snapshot lacks topics."""
    claims = [("gone", 0, "a"), ("gone", 1, "a")]
    group = read(Fleet().group("g", {"a": ["gone"], "b": ["gone"]}, claims))
    assert group.status == "invalid"
    assert group.reason == (
        "none of the topics it reads is in the snapshot ('gone' is one), so its 2 claims can't be "
        "placed: take a snapshot of all topics"
    )
    assert read(Fleet().group("g", {"a": ["gone"]})).status == "ok"


def test_kafka_strategies_are_told_of_vanished_topics_and_of_claims_beyond_a_topic() -> None:
    """Kafka compares subscriptions before it drops topics, and takes any partition number."""
    claims = [("t", 2, "b"), ("t", 2, "z"), ("t", -1, "a"), ("v", 0, "a"), ("t", 1, "a")]
    group = read(Fleet().topic("t", 2).group("g", {"a": ["t", "v"], "b": ["t"]}, claims))
    assert group.problem is not None
    subscriptions = [subscription.tolist() for subscription in group.problem.subscriptions]
    assert [subscriptions[s] for s in group.problem.member_subscription] == [[0], [0]]
    assert group.problem.kafka.vanished is not None
    assert [group.problem.kafka.vanished[s] for s in group.problem.member_subscription] == [
        ("v",),
        (),
    ]
    assert group.problem.kafka.beyond is not None
    assert [items.tolist() for items in group.problem.kafka.beyond] == [[1], [0], [2]]


def test_an_owner_who_left_is_named_after_the_members() -> None:
    group = read(two_readers(("t", 0, "z"), ("t", 1, "y"), ("t", 2, "a")))
    assert group.names == ["a", "b", "y", "z"]
    assert owners(group) == ["z", "y", "a"]
    assert group.problem is not None
    assert group.problem.owner.tolist() == [GONE, GONE, 0]


def test_a_topic_that_nobody_reads_any_more_reaches_as_far_as_it_is_owned() -> None:
    fleet = Fleet().topic("t", 1).topic("old", 9).group("g", {"a": ["t"]}, [("old", 2, "a")])
    group = read(fleet)
    assert group.problem is not None
    assert group.problem.topics == ["old", "t"]
    assert owners(group) == [None, None, "a", None]
    assert classes_of(group.problem).of_partition.tolist() == [-1, -1, -1, 0]


def test_a_slip_in_a_partition_number_does_not_fill_the_memory() -> None:
    claims = [("old", 2**31 - 1, "a"), ("old", 0, "a")]
    group = read(Fleet().topic("t", 1).group("g", {"a": ["t"]}, claims))
    assert group.reason == "1 claims on partitions that don't exist: ignored"
    assert group.problem is not None
    assert group.problem.partition_count <= 1_000_001


class TestClaims:
    """Who owns a partition that is claimed more than once, or that isn't there."""

    def test_the_newest_generation_stands(self) -> None:
        group = read(two_readers(("t", 0, "a", 4), ("t", 0, "b", 5), ("t", 0, "z", 3)))
        assert owners(group) == ["b", None, None]
        assert group.reason == "1 partitions claimed twice: the newer generation's claim stands"

    def test_claims_of_one_generation_cancel_each_other_out(self) -> None:
        group = read(two_readers(("t", 0, "a", 5), ("t", 0, "b", 5), ("t", 0, "z", 4)))
        assert owners(group) == [None, None, None]
        assert group.reason == "1 partitions claimed twice in one generation: counted as unowned"

    def test_claims_that_state_no_generation_have_that_of_their_member(self) -> None:
        group = read(two_readers(("t", 0, "a"), ("t", 0, "b"), generations={"a": 7, "b": 6}))
        assert owners(group) == ["a", None, None]

    def test_who_left_and_states_no_generation_is_older_than_anybody(self) -> None:
        group = read(two_readers(("t", 0, "z"), ("t", 0, "b", 0)))
        assert owners(group) == ["b", None, None]

    def test_a_claim_stated_twice_is_one_claim(self) -> None:
        group = read(two_readers(("t", 0, "a", 5), ("t", 0, "a", 5), ("t", 0, "a", 4)))
        assert owners(group) == ["a", None, None]
        assert group.reason is None

    def test_claims_on_partitions_that_do_not_exist_are_counted_and_ignored(self) -> None:
        claims = [("t", 3, "a"), ("t", -1, "a"), ("t", 99, "z"), ("t", 1, "a")]
        group = read(two_readers(*claims))
        assert owners(group) == [None, "a", None]
        assert group.reason == "3 claims on partitions that don't exist: ignored"

    def test_claims_on_a_subscribed_topic_that_vanished_are_ignored(self) -> None:
        fleet = Fleet().topic("t", 1)
        group = read(fleet.group("g", {"a": ["t", "v"]}, [("v", 0, "a"), ("t", 0, "a")]))
        assert group.reason == (
            "topic 'v' is subscribed to and isn't in the cluster: ignored; "
            "1 claims on partitions that don't exist: ignored"
        )

    def test_claims_come_by_member_and_partition_whatever_their_order(self) -> None:
        """Kafka's sticky strategies read them, and a fleet doesn't say how a member orders its."""
        fleet = two_readers(("t", 2, "a"), ("t", 0, "b"), ("t", 1, "z"), ("t", 0, "a"))
        group = read(fleet)
        assert group.problem is not None
        claimants, partitions = group.problem.claims
        assert (claimants.tolist(), partitions.tolist()) == ([0, 0, 1], [0, 2, 0])


class TestCollisions:
    """Two names of one hash are seen: 64 bits make it rare, not impossible."""

    @pytest.mark.parametrize(
        ("name", "like"),
        [
            ("b", "a"),  # two members
            ("z", "a"),  # an owner who left, and a member
            ("z", "y"),  # two owners who left
            ("u", "t"),  # two topics that are read
            ("old", "t"),  # a topic that is only owned, and one that is read
        ],
    )
    def test_of_members_owners_and_topics(self, name: str, like: str) -> None:
        fleet = Fleet().topic("t", 3).topic("u", 1).topic("old", 1)
        claims = [("t", 0, "a"), ("t", 1, "z"), ("t", 2, "y"), ("old", 0, "a")]
        row = encoded_group(fleet.group("g", {"a": ["t"], "b": ["t", "u"]}, claims))
        assert read_group(row).status == "ok"
        rename_hash(row, name, like)
        with pytest.raises(HashCollisionError, match="have one 64-bit hash: rename one of them"):
            read_group(row)


def test_order_of_rows_does_not_matter() -> None:
    """Shuffled rows give the very same problem."""
    draw = np.random.default_rng(3)
    claims = [("t", p, m, g) for p in range(3) for m, g in (("a", 1), ("b", 2), ("z", 2))]
    fleet = two_readers(*claims)
    first = read(fleet)
    for rows in fleet.rows.values():
        draw.shuffle(rows)
    second = read(fleet)
    assert first.problem is not None
    assert second.problem is not None
    assert second.names == first.names
    assert second.reason == first.reason
    assert second.previous.tolist() == first.previous.tolist()
    for claim, other in zip(first.problem.claims, second.problem.claims, strict=True):
        assert claim.tolist() == other.tolist()
