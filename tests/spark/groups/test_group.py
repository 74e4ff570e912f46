"""What becomes of a group's row: a problem, or a status and a reason in plain words."""

from typing import Any

import numpy as np
import pytest

from optimizer.model.classes import classes_of
from optimizer.model.problem import GONE, NOBODY, Problem
from spark.fleet import why_unsupported
from spark.groups.group import FleetGroup, read_group
from tests.support.fleets import Fleet
from tests.support.rows import rows_of


def read(fleet: Fleet, racks: bool = False) -> FleetGroup:
    return read_group(rows_of(fleet, racks=racks))


def problem(fleet: Fleet, racks: bool = False) -> Problem:
    result = read(fleet, racks).problem
    assert result is not None
    return result


def two_readers(*owned: tuple[Any, ...], **facts: Any) -> Fleet:
    """Members a and b read topic t of three partitions."""
    return Fleet().topic("t", 3).group("g", {"a": ["t"], "b": ["t"]}, owned, **facts)


def streams_threads() -> Fleet:
    """Of which nothing but client ids tells what they are."""
    fleet = two_readers()
    for row in fleet.rows["members"]:
        row["client_id"] = f"app-{row['member_id']}-StreamThread-1-consumer"
    return fleet


def nobody(owned: Any = (), **facts: Any) -> Fleet:
    return Fleet().topic("t", 1).group("g", {}, owned, **facts)


def reader(*topics: str, owned: Any = (), **facts: Any) -> Fleet:
    """Member a reads these topics; the cluster has t of two partitions, u of one, old of nine."""
    fleet = Fleet().topic("t", 2).topic("u", 1).topic("old", 9)
    return fleet.group("g", {"a": topics}, owned, **facts)


def numbered(numbers: list[int]) -> Fleet:
    return Fleet().topic("t", numbers).group("g", {"a": ["t"]})


def identified(*ids: str | None, other: str | None = None) -> Fleet:
    """What the rows of topic t's partitions say of its id, and what topic u's does."""
    fleet = Fleet().add("partitions", topic="u", partition=0, topic_id=other)
    for number, topic_id in enumerate(ids):
        fleet.add("partitions", topic="t", partition=number, topic_id=topic_id)
    return fleet.group("g", {"a": ["t"]})


def all_faults() -> Fleet:
    fleet = Fleet().topic("t", [0, 0]).topic("u", [-1]).group("g", {"a": ["t", "u"]})
    fleet.add("groups", group="g").add("members", group="g", member_id="a")
    return fleet.add("subscriptions", group="g", member_id="z", topic="u")


def rebalancing(state: str) -> str:
    return f"the group is rebalancing (state {state})"


def ignored(claims: int) -> str:
    return f"{claims} claims on partitions that don't exist: ignored"


def owners(group: FleetGroup) -> list[str | None]:
    return [group.names[m] if m >= 0 else None for m in group.previous.tolist()]


HEX = "0123456789abcdef0123456789abcdef"
BASE64 = "ASNFZ4mrze8BI0VniavN7w"
"""The same id as Kafka prints it."""
DASHES = "01234567-89AB-CDEF-0123-456789ABCDEF"
OTHER = "f" * 32

STREAMS = why_unsupported("classic", "stream", [None])
EMPTY = "the group has no members"
LISTED_TWICE = "the group is listed twice"
TWIN = "two members have the id 'b'"
UNKNOWN = "what the group reads and owns isn't known"
TWICE = "topic 't' has a partition that is listed twice"
GAPS = "topic 't' has gaps in its partition numbers"
NO_ID = "topic 't' has a topic id that is neither 32 hex digits nor Kafka's 22 characters"
SHARED = "topic 't' has a topic id that another topic has too"
VANISHED = "topic 'v' is subscribed to and isn't in the cluster: ignored"
STRANGER, STRANGER_OF_U = (
    f"1 subscriptions are of members that aren't there (one to topic {topic!r})" for topic in "tu"
)
NONE_THERE = (
    "none of the topics it reads is in the snapshot ('v' is one): take a snapshot of all topics"
)
OWNED = [("v", 0, "a"), ("t", 0, "a")]
LACKED = (
    "its members own partitions of 1 topic (v) that the snapshot lacks, hidden from the user that "
    "took it, or left out: take it of all topics"
)
HIDDEN = "2 topics (v, w) hidden from the user that took the snapshot: grant Describe on them"
LOST = NONE_THERE.replace(":", ", so its 2 claims can't be placed:")
ALL = (
    f"{LISTED_TWICE}; two members have the id 'a'; {STRANGER_OF_U}; "
    f"{TWICE}; topic 'u' has a negative partition number"
)

REBALANCING = ("PreparingRebalance", "CompletingRebalance", "Assigning", "Reconciling")

Outcome = tuple[Fleet, str, str | None]

PLANNED: list[Outcome] = [
    *((two_readers(state=item), "ok", None) for item in ("Stable", "Empty", "Dead", "new", None)),
    *((two_readers(type=kind), "ok", None) for kind in ("classic", "consumer")),
    (two_readers(subscriptions_inferred=True), "inferred", None),
    (reader("t", "v"), "ok", VANISHED),
    # the snapshot tells that none of its topics is hidden: v was deleted
    (reader("t", "v", owned=OWNED, hidden_topics=[]), "ok", f"{VANISHED}; {ignored(1)}"),
    # a faulty topic is no fault of a group that only owned some of it
    (reader("t", owned=[("old", 0, "a")]).add("partitions", topic="old", partition=0), "ok", None),
    (identified(None, None), "ok", None),
    (identified(None, HEX, other=OTHER), "ok", None),
    (identified(HEX, BASE64, DASHES), "ok", None),
    (identified(None, other=HEX), "ok", None),
]
UNPLANNED: list[Outcome] = [
    *((two_readers(state=state), "rebalancing", rebalancing(state)) for state in REBALANCING),
    # while members join, Kafka may show none of them
    (nobody(state="Assigning"), "rebalancing", rebalancing("Assigning")),
    (nobody(state="Empty", owned=[("t", 0, "left")]), "empty", EMPTY),
    (nobody(strategy="stream"), "empty", EMPTY),
    # `collect` writes into the state why it could not read a group
    (nobody(state="Unknown: broker 2"), "invalid", f"{UNKNOWN}: Unknown: broker 2"),
    *(
        (fleet, "unsupported", why_unsupported(kind, None, []))
        for kind in ("share", "streams", "other")
        for fleet in (
            *(two_readers(type=kind, state=state) for state in ("Stable", *REBALANCING[-1:])),
            *(nobody(type=kind, state=state) for state in ("Empty", "Unknown: broker 2")),
        )
    ),
    (reader("t", "v", owned=OWNED), "invalid", LACKED),
    (reader("t", "v", hidden_topics=["v", "w"]), "invalid", HIDDEN),
    (two_readers(hidden_topics=["v", "w"]), "invalid", HIDDEN),
    (nobody(hidden_topics=["v", "w"], state="Empty"), "empty", EMPTY),
    (streams_threads(), "unsupported", STREAMS),
    *((two_readers(type=k, strategy="stream"), "unsupported", STREAMS) for k in ("classic", None)),
    (two_readers().add("members", group="g", member_id="b"), "invalid", TWIN),
    (two_readers().add("subscriptions", group="g", member_id="z", topic="t"), "invalid", STRANGER),
    (Fleet().add("subscriptions", group="g", member_id="z", topic="t"), "invalid", STRANGER),
    (two_readers().add("groups", group="g"), "invalid", LISTED_TWICE),
    (nobody().add("groups", group="g"), "invalid", LISTED_TWICE),
    (numbered([0, 1, 1]), "invalid", TWICE),
    (numbered([0, -1]), "invalid", "topic 't' has a negative partition number"),
    *((numbered(numbers), "invalid", GAPS) for numbers in ([0, 2], [1, 2])),
    (identified(HEX, OTHER), "invalid", "topic 't' has two topic ids"),
    *((identified(HEX, other=same), "invalid", SHARED) for same in (HEX, BASE64)),
    *((identified(*ids), "invalid", NO_ID) for ids in ([HEX[:-1]], [HEX, "?" * 22], [""])),
    (all_faults(), "invalid", ALL),
    # it isn't even: the snapshot lacks topics
    (reader("v"), "invalid", NONE_THERE),
    (reader("v", "w"), "invalid", NONE_THERE),
    (reader("v", owned=[("v", 0, "a")]), "invalid", LACKED),
    (reader("v", owned=[("v", 0, "a"), ("v", 1, "a")], hidden_topics=[]), "invalid", LOST),
]


@pytest.mark.parametrize("outcome", [*PLANNED, *UNPLANNED])
def test_each_group_has_a_status_and_a_reason(outcome: Outcome) -> None:
    group = read(outcome[0])
    assert (group.status, group.reason) == outcome[1:]
    assert (group.problem is not None) == (group.status in ("ok", "inferred"))


def test_a_sound_group_is_a_problem() -> None:
    group = read(two_readers(("t", 0, "a"), ("t", 2, "b")))
    assert group.problem is not None
    assert (group.problem.member_ids, group.problem.topics) == (["a", "b"], ["t"])
    assert group.problem.owner.tolist() == [0, NOBODY, 1]
    assert owners(group) == ["a", None, "b"]


def test_members_of_equal_subscriptions_share_one() -> None:
    fleet = Fleet().topic("t", 1).topic("u", 1)
    fleet.group("g", {"a": ["t", "u"], "b": ["u"], "c": ["u", "t", "u"], "d": []})
    group = problem(fleet)
    subscriptions = [subscription.tolist() for subscription in group.subscriptions]
    of_member = [subscriptions[s] for s in group.member_subscription.tolist()]
    assert of_member == [[0, 1], [1], [0, 1], []]
    assert len(subscriptions) == 3


def test_kafka_strategies_get_vanished_topics_and_claims_beyond_a_topic() -> None:
    """Kafka compares subscriptions before it drops topics, and takes any partition number."""
    claims = [("t", 2, "b"), ("t", 2, "z"), ("t", -1, "a"), ("v", 0, "a"), ("t", 1, "a")]
    members = {"a": ["t", "v"], "b": ["t"]}
    group = problem(Fleet().topic("t", 2).group("g", members, claims, hidden_topics=[]))
    assert [group.subscriptions[s].tolist() for s in group.member_subscription] == [[0], [0]]
    assert group.kafka.vanished is not None and group.kafka.beyond is not None
    assert [group.kafka.vanished[s] for s in group.member_subscription] == [("v",), ()]
    assert [items.tolist() for items in group.kafka.beyond] == [[1], [0], [2]]


def test_an_owner_who_left_is_named_after_the_members() -> None:
    group = read(two_readers(("t", 0, "z"), ("t", 1, "y"), ("t", 2, "a")))
    assert group.names == ["a", "b", "y", "z"]
    assert owners(group) == ["z", "y", "a"]
    assert group.problem is not None
    assert group.problem.owner.tolist() == [GONE, GONE, 0]


def test_a_topic_that_nobody_reads_any_more_reaches_as_far_as_it_is_owned() -> None:
    group = read(reader("t", owned=[("old", 2, "a")]))
    assert group.problem is not None
    assert group.problem.topics == ["old", "t"]
    assert owners(group) == [None, None, "a", None, None]
    assert classes_of(group.problem).of_partition.tolist() == [-1, -1, -1, 0, 0]


def test_a_slip_in_a_partition_number_does_not_fill_the_memory() -> None:
    group = read(reader("t", owned=[("old", 2**31 - 1, "a"), ("old", 0, "a")]))
    assert group.reason == ignored(1)
    assert group.problem is not None
    assert group.problem.partition_count <= 1_000_002


CLAIMS: list[tuple[Fleet, list[str | None], str | None]] = [
    # the newest generation stands
    (
        two_readers(("t", 0, "a", 4), ("t", 0, "b", 5), ("t", 0, "z", 3)),
        ["b", None, None],
        "1 partitions claimed twice: the newer generation's claim stands",
    ),
    # claims of one generation cancel each other out
    (
        two_readers(("t", 0, "a", 5), ("t", 0, "b", 5), ("t", 0, "z", 4)),
        [None, None, None],
        "1 partitions claimed twice in one generation: counted as unowned",
    ),
    # claims that state no generation have that of their member
    (
        two_readers(("t", 0, "a"), ("t", 0, "b"), generations={"a": 7, "b": 6}),
        ["a", None, None],
        "1 partitions claimed twice: the newer generation's claim stands",
    ),
    # who left and states no generation is older than anybody
    (
        two_readers(("t", 0, "z"), ("t", 0, "b", 0)),
        ["b", None, None],
        "1 partitions claimed twice: the newer generation's claim stands",
    ),
    # a claim that is stated twice is one claim
    (two_readers(("t", 0, "a", 5), ("t", 0, "a", 5), ("t", 0, "a", 4)), ["a", None, None], None),
    # claims on partitions that don't exist are counted and ignored
    (
        two_readers(("t", 3, "a"), ("t", -1, "a"), ("t", 99, "z"), ("t", 1, "a")),
        [None, "a", None],
        ignored(3),
    ),
]


@pytest.mark.parametrize(("fleet", "owner", "reason"), CLAIMS)
def test_who_owns_a_partition_that_is_claimed_twice_or_not_there(
    fleet: Fleet, owner: list[str | None], reason: str | None
) -> None:
    group = read(fleet)
    assert (owners(group), group.reason) == (owner, reason)


def test_claims_come_by_member_and_partition_whatever_their_order() -> None:
    """Kafka's sticky strategies read them, and a fleet doesn't say how a member orders its."""
    fleet = two_readers(("t", 2, "a"), ("t", 0, "b"), ("t", 1, "z"), ("t", 0, "a"))
    claimants, partitions = problem(fleet).claims
    assert (claimants.tolist(), partitions.tolist()) == ([0, 0, 1], [0, 2, 0])


def test_an_id_comes_as_hex_however_it_is_spelt() -> None:
    for ids in ((HEX, HEX), (None, HEX), (HEX, BASE64, DASHES)):
        assert problem(identified(*ids)).kafka.topic_ids == [HEX.upper()]
    assert problem(identified(None, other=HEX)).kafka.topic_ids == [None]


def test_each_partition_has_the_racks_of_its_leader_and_replicas() -> None:
    """Racks of replicas in any order, without those that aren't known."""
    racks: dict[tuple[str, int], tuple[str | None, list[str | None] | None]] = {
        ("t", 0): ("b", ["b", "a"]),
        ("t", 1): (None, ["a", "b"]),
        ("t", 2): ("a", ["a", None]),
        ("t", 3): ("a", None),
        ("t", 4): (None, None),
        ("v", 0): ("b", ["b", "a"]),
        ("old", 0): ("z", ["z"]),  # nobody reads it any more, and it comes before the others
    }
    fleet = Fleet().topic("u", 2)  # its racks aren't known
    for (topic, number), (leader, replicas) in racks.items():
        facts = {"leader_rack": leader, "replica_racks": replicas}
        fleet.add("partitions", topic=topic, partition=number, **facts)
    fleet.group("g", {"a": ["t", "u"], "b": ["v", "u"]}, [("old", 0, "a")])
    group, both = problem(fleet, racks=True), ("a", "b")
    assert group.topics == ["old", "t", "u", "v"]
    assert group.leader_racks == [None, "b", None, "a", "a", None, None, None, "b"]
    assert group.replica_racks == [(), both, both, ("a",), (), (), (), (), both]
    assert problem(fleet).replica_racks is None


def test_order_of_rows_does_not_matter() -> None:
    """Shuffled rows give the very same problem."""
    draw = np.random.default_rng(3)
    claims = [("t", p, m, g) for p in range(3) for m, g in (("a", 1), ("b", 2), ("z", 2))]
    fleet = two_readers(*claims)
    first = read(fleet)
    for rows in fleet.rows.values():
        draw.shuffle(rows)
    second = read(fleet)
    assert first.problem is not None and second.problem is not None
    assert (second.names, second.reason) == (first.names, first.reason)
    assert second.previous.tolist() == first.previous.tolist()
    for claim, other in zip(first.problem.claims, second.problem.claims, strict=True):
        assert claim.tolist() == other.tolist()
