"""One broker: what consumers of every kind do is what the snapshot says."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, OffsetAndMetadata, TopicPartition
from kafka.admin import NewTopic
from kafka.coordinator.assignors.cooperative_sticky import CooperativeStickyAssignor
from kafka.coordinator.assignors.range import RangePartitionAssignor
from kafka.coordinator.assignors.roundrobin import RoundRobinPartitionAssignor
from kafka.coordinator.assignors.sticky.sticky_assignor import StickyPartitionAssignor

from spark.sources.live.cluster import Cluster, ClusterSelection
from spark.sources.live.collect import Collected, collect_cluster
from tests.live.brokers import Brokers
from tests.live.members import PolledMember, classic, of_new_protocol, polled
from tests.live.raw_group import RawGroup, Wire, assignment, coordinators, subscription
from tests.live.waiting import until

TOPICS = {"orders": 6, "clicks": 4, "payments": 3}
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def admin(broker: Brokers) -> Iterator[KafkaAdminClient]:
    client = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    client.create_topics(
        [NewTopic(name=n, num_partitions=c, replication_factor=1) for n, c in TOPICS.items()]
    )
    yield client
    client.close()


def members_of(bootstrap: str) -> list[PolledMember]:
    both = ["orders", "clicks"]
    sticky = [["orders"], both, ["clicks", "payments"]]
    static = [{"group_instance_id": f"static-{number}"} for number in range(2)]
    return [
        *(classic(bootstrap, "g-range", n, both, RangePartitionAssignor) for n in range(2)),
        *(classic(bootstrap, "g-robin", n, both, RoundRobinPartitionAssignor) for n in range(2)),
        *(
            classic(bootstrap, "g-sticky", n, topics, StickyPartitionAssignor)
            for n, topics in enumerate(sticky)
        ),
        *(
            classic(bootstrap, "g-cooperative", n, both, CooperativeStickyAssignor, **static[n])
            for n in range(2)
        ),
        of_new_protocol(bootstrap, "g-new", 0, ["orders", "payments"], "a"),
        of_new_protocol(bootstrap, "g-new", 1, ["^(orders|cl.*)"], "b"),
    ]


STRATEGIES = {
    "g-range": "range",
    "g-robin": "roundrobin",
    "g-sticky": "sticky",
    "g-cooperative": "cooperative-sticky",
    "g-new": "uniform",
}
READ = {group: {"orders", "clicks"} for group in STRATEGIES} | {
    "g-sticky": set(TOPICS),
    "g-new": set(TOPICS),
}


@pytest.fixture(scope="module")
def consumers(broker: Brokers, admin: KafkaAdminClient) -> Iterator[list[PolledMember]]:
    """All groups at rest.

    They are started anew where they don't come to it: now and then one of kafka-python's members
    goes on as if it owned partitions, after the coordinator has dropped it.
    """
    for _ in range(4):
        members = members_of(broker.bootstrap)
        with polled(members):
            if until(lambda: at_rest(broker, members), 40):  # noqa: B023, it's over before the next
                yield members
                return
    pytest.fail(f"no rest: {[(m.client_id, m.owned, m.error) for m in members]}")


def at_rest(broker: Brokers, members: list[PolledMember]) -> bool:
    """Whether each partition has one owner, and a second later the same: nobody joins meanwhile."""
    if not all_owned_once(members):
        return False
    before = collected_of(broker)
    time.sleep(1)
    later = collected_of(broker)
    return (
        all_owned_once(members)
        and {row["state"] for row in rows(later, "groups")} == {"Stable"}
        and len(rows(later, "members")) == len(members)
        and all(
            rows(before, table) == rows(later, table)
            for table in ("groups", "members", "assignments")
        )
    )


def all_owned_once(members: list[PolledMember]) -> bool:
    owned = Counter((m.group, *claim) for m in members for claim in m.owned)
    read = Counter(
        (g, t, n) for g, topics in READ.items() for t in topics for n in range(TOPICS[t])
    )
    return owned == read


@pytest.fixture(scope="module")
def snapshot(broker: Brokers, consumers: list[PolledMember]) -> Collected:
    return collected_of(broker)


def collected_of(broker: Brokers, **options: Any) -> Collected:
    options = {"groups": ClusterSelection(tuple(STRATEGIES))} | options
    return collect_cluster(Cluster("live", (broker.bootstrap,), **options))


def rows(collected: Collected, table: str) -> Rows:
    assert collected.tables, collected.left_out
    result: Rows = collected.tables[table].to_pylist()
    return result


def test_nothing_is_missing(snapshot: Collected) -> None:
    assert (snapshot.left_out, snapshot.notes, snapshot.statuses) == ([], [], [])


def test_groups_have_state_strategy_and_generation(snapshot: Collected) -> None:
    result = {row["group"]: row for row in rows(snapshot, "groups")}
    assert {group: row["strategy"] for group, row in result.items()} == STRATEGIES
    assert {row["state"] for row in result.values()} == {"Stable"}
    assert not any(row["subscriptions_inferred"] for row in result.values())
    assert result["g-new"]["generation"] >= 2
    # kafka-python's members don't state theirs where Java's do: not known
    assert result["g-range"]["generation"] is None


def test_ownership_is_what_each_consumer_has(
    snapshot: Collected, consumers: list[PolledMember]
) -> None:
    client = {row["member_id"]: row["client_id"] for row in rows(snapshot, "members")}
    result: dict[str, set[tuple[str, int]]] = {member.client_id: set() for member in consumers}
    for row in rows(snapshot, "assignments"):
        result[client[row["member_id"]]].add((row["topic"], row["partition"]))
    assert result == {member.client_id: member.owned for member in consumers}


def test_subscriptions_are_what_each_consumer_asked_for(
    snapshot: Collected, consumers: list[PolledMember]
) -> None:
    """The pattern of a new consumer becomes the topics that it matches."""
    client = {row["member_id"]: row["client_id"] for row in rows(snapshot, "members")}
    result: dict[str, set[str]] = defaultdict(set)
    for row in rows(snapshot, "subscriptions"):
        result[client[row["member_id"]]].add(row["topic"])
    wanted = {member.client_id: set(member.topics) for member in consumers}
    wanted["g-new-1"] = {"orders", "clicks"}
    assert result == wanted


def test_members_have_instance_host_and_rack(snapshot: Collected) -> None:
    result = {row["client_id"]: row for row in rows(snapshot, "members")}
    assert result["g-cooperative-1"]["instance_id"] == "static-1"
    assert result["g-range-0"]["instance_id"] is None
    assert (result["g-new-0"]["rack"], result["g-new-1"]["rack"]) == ("a", "b")
    assert {row["host"] for row in result.values()} == {"/127.0.0.1"}


def test_a_rack_can_be_in_the_client_id(broker: Brokers, consumers: list[PolledMember]) -> None:
    """A rack that a member states itself goes before."""
    result = rows(collected_of(broker, rack_pattern=r"(\d)$"), "members")
    racks = {row["client_id"]: row["rack"] for row in result}
    assert (racks["g-range-1"], racks["g-new-1"]) == ("1", "b")


def test_partitions_are_those_of_the_cluster(broker: Brokers, snapshot: Collected) -> None:
    result = [row for row in rows(snapshot, "partitions") if row["topic"] in TOPICS]
    assert len(result) == sum(TOPICS.values())
    item = result[0]
    assert (item["leader"], item["replicas"], item["isr"]) == (1, [1], [1])
    assert len(item["topic_id"]) == 22
    (only,) = rows(snapshot, "brokers")
    assert (only["broker"], only["host"], only["port"]) == (1, "127.0.0.1", broker.ports[0])


def test_offsets_and_lag(broker: Brokers, admin: KafkaAdminClient) -> None:
    """A group without members has them as well; its lag is what is left to read, or below 0."""
    producer = KafkaProducer(bootstrap_servers=broker.bootstrap)
    for _ in range(5):
        producer.send("payments", b"x", partition=1)
    producer.flush()
    consumer = KafkaConsumer(bootstrap_servers=broker.bootstrap, group_id="g-offsets")
    consumer.assign([TopicPartition("payments", 1)])
    consumer.commit(
        {
            TopicPartition("payments", 1): OffsetAndMetadata(3, "", -1),
            TopicPartition("payments", 0): OffsetAndMetadata(9, "", -1),
        }
    )
    consumer.close(autocommit=False)
    producer.close()
    result = collected_of(broker, groups=ClusterSelection(("g-offsets",)))
    beyond, row = rows(result, "offsets")
    assert (row["committed_offset"], row["end_offset"], row["lag"]) == (3, 5, 2)
    assert (row["start_offset"], beyond["start_offset"]) == (0, None)
    assert (beyond["committed_offset"], beyond["lag"]) == (9, beyond["end_offset"] - 9)
    assert beyond["lag"] < 0
    (group,) = rows(result, "groups")
    assert group["state"] == "Empty"


def test_it_only_reads(broker: Brokers, admin: KafkaAdminClient) -> None:
    """Topics and groups are as before, and no topic was made by asking for it."""
    before = set(admin.list_topics()), {g["group_id"] for g in admin.list_groups()}
    collected_of(broker, topics=ClusterSelection(("no-such-topic",)))
    assert (set(admin.list_topics()), {g["group_id"] for g in admin.list_groups()}) == before


def test_topics_that_are_left_out_are_in_no_table(
    broker: Brokers, consumers: list[PolledMember]
) -> None:
    result = collected_of(broker, topics=ClusterSelection(exclude=("clicks", "__*")))
    for table in ("partitions", "subscriptions", "assignments", "offsets"):
        assert {row["topic"] for row in rows(result, table)} <= {"orders", "payments"}, table


@pytest.fixture(scope="module")
def odd_groups(broker: Brokers, admin: KafkaAdminClient) -> Iterator[dict[str, Any]]:
    """Groups that can't be read as others, by name: the row of each and its status."""
    admin.create_topics([NewTopic(name="doomed", num_partitions=2, replication_factor=1)])
    names = ["o-connect", "o-garbage", "o-rubbish", "o-nine", "o-preparing", "o-completing"]
    names.append("o-deleted")
    server = coordinators(broker.bootstrap, names)
    wires = {name: [Wire(server[name], name), Wire(server[name], name)] for name in names}
    reads = subscription(["orders"], generation=3)
    none, all_orders = assignment({}), assignment({"orders": range(6)})

    connect = RawGroup("o-connect", wires["o-connect"], "connect", "sessioned")
    connect.join([b"\0\2http://worker:8083"])
    connect.sync([b"\0\1\0\0\0"])
    garbage = RawGroup("o-garbage", wires["o-garbage"])
    # other garbage makes this broker forget to answer: older ones don't look at it
    garbage.join([b"\0\3\0\0", b"\7"])
    garbage.sync([none, all_orders])
    rubbish = RawGroup("o-rubbish", wires["o-rubbish"])
    rubbish.join([reads])
    rubbish.sync([b"rubbish"])
    nine = RawGroup("o-nine", wires["o-nine"])
    nine.join([subscription(["orders"], 8, "c", version=9) + b"a field to come"])
    nine.sync([all_orders])
    preparing = RawGroup("o-preparing", wires["o-preparing"])
    preparing.join([reads, reads])
    preparing.sync([none, all_orders])
    preparing.begin_rebalance(subscription(["orders", "clicks"]))
    RawGroup("o-completing", wires["o-completing"]).join([reads])
    deleted = RawGroup("o-deleted", wires["o-deleted"])
    deleted.join([subscription(["doomed"])])
    deleted.sync([assignment({"doomed": [0, 1]})])
    admin.delete_topics(["doomed"])
    assert until(lambda: "doomed" not in admin.list_topics())

    result = collected_of(broker, groups=ClusterSelection(("o-*",)))
    assert result.left_out == []
    yield {
        "groups": {row["group"]: row for row in rows(result, "groups")},
        "statuses": {row["group"]: row for row in result.statuses},
        "collected": result,
    }
    for items in wires.values():
        for wire in items:
            wire.close()


@pytest.mark.parametrize(
    ("group", "state", "status", "reason"),
    [
        ("o-connect", "Unknown: what a worker runs", "invalid", "can't be decoded"),
        ("o-rubbish", "Unknown: the assignment", "invalid", "can't be decoded"),
        ("o-garbage", "Stable", "inferred", "subscriptions of 2 of 2 members can't be decoded"),
        ("o-preparing", "PreparingRebalance", "rebalancing", "the owners are those of before"),
        ("o-completing", "CompletingRebalance", "rebalancing", "is rebalancing"),
    ],
)
def test_a_group_that_is_out_of_order_has_a_status_and_a_reason(
    odd_groups: dict[str, Any], group: str, state: str, status: str, reason: str
) -> None:
    assert odd_groups["groups"][group]["state"].startswith(state)
    assert odd_groups["statuses"][group]["status"] == status
    assert reason in odd_groups["statuses"][group]["reason"]


def test_members_that_say_nothing_readable_read_what_their_group_owns(
    odd_groups: dict[str, Any],
) -> None:
    result = [
        r for r in rows(odd_groups["collected"], "subscriptions") if r["group"] == "o-garbage"
    ]
    assert len(result) == 2
    assert {row["topic"] for row in result} == {"orders"}
    assert odd_groups["groups"]["o-garbage"]["subscriptions_inferred"]


def test_a_version_of_the_future_is_read(odd_groups: dict[str, Any]) -> None:
    assert odd_groups["groups"]["o-nine"]["generation"] == 8
    (member,) = [
        row for row in rows(odd_groups["collected"], "members") if row["group"] == "o-nine"
    ]
    assert member["rack"] == "c"


def test_a_rebalancing_group_shows_its_owners_of_before(odd_groups: dict[str, Any]) -> None:
    result = rows(odd_groups["collected"], "assignments")
    assert sum(row["group"] == "o-preparing" for row in result) == 6


def test_a_deleted_topic_stays_in_what_its_group_says(odd_groups: dict[str, Any]) -> None:
    """The plan then says that it isn't there; ends of its partitions aren't known."""
    result = odd_groups["collected"]
    assert sum(row["topic"] == "doomed" for row in rows(result, "assignments")) == 2
    assert not any(row["topic"] == "doomed" for row in rows(result, "partitions"))
    ends = [r["end_offset"] for r in rows(result, "offsets") if r["group"] == "o-deleted"]
    assert ends == [None, None]
