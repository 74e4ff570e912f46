"""One broker with a group of every kind, as it is collected; commands on kinds need no broker."""

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pytest

from spark.sources.live.cluster import Cluster, ClusterSelection
from spark.sources.live.collect import collect_cluster
from tests.live.brokers import Brokers
from tests.live.consumers import by_librdkafka, closing
from tests.live.heartbeats import join_share_group, join_streams_group
from tests.live.raw_group import RawGroup, Wire, coordinators, wires_of
from tests.live.waiting import until
from tests.spark.sources.live.member_bytes import assignment, orders, subscription, worker

TOPIC, PARTITIONS = "kinds", 4
RAW = ("k-classic", "k-connect", "k-connect-eager", "k-registry", "k-tasks")
TYPES = {
    **{"k-classic": "classic", "k-connect": "connect", "k-connect-eager": "connect"},
    **{"k-consumer": "consumer", "k-registry": "other", "k-share": "share"},
    **{"k-streams": "streams", "k-tasks": "streams"},
}


@pytest.fixture(scope="module")
def broker_of_all_kinds(broker: Brokers) -> Iterator[Brokers]:
    broker.create({TOPIC: PARTITIONS})
    server = coordinators(broker.bootstrap, [*TYPES])
    with wires_of(broker.bootstrap, RAW, members=2) as wires:
        _form(wires)
        join_share_group(server["k-share"], "k-share", [TOPIC])
        join_streams_group(server["k-streams"], "k-streams", [TOPIC])
        with closing([by_librdkafka(broker.bootstrap, "k-consumer", "k", [TOPIC])]) as (consumer,):
            until(lambda: len(consumer.owned) == PARTITIONS, "the consumer owns all partitions")
            yield broker
    with broker.admin() as admin:
        admin.delete_topics([TOPIC])
        until(lambda: TOPIC not in admin.list_topics(), "the topic is deleted")


def _form(wires: dict[str, list[Wire]]) -> None:
    """Groups of two members each that speak the classic protocol, or another by its means."""
    reads = [subscription([TOPIC])] * 2
    halves = [assignment({TOPIC: [0, 1]}), assignment({TOPIC: [2, 3]})]
    eager = [orders({"sink": [-1, 0]}, version=0), orders({"sink": [1]}, version=0)]
    connect = [orders({}, {"sink": [-1]}), orders({"sink": [-1], "src": [0]})]
    runs = [worker({"sink": [-1, 0, 1, 2, 3, 4, 5]}), worker()]
    for name, protocol, strategy, metadata, assignments in (
        ("k-classic", "consumer", "range", reads, halves),
        ("k-tasks", "consumer", "stream", reads, halves),
        ("k-registry", "sr", "v0", [b'{"host":"a"}', b'{"host":"b"}'], [b"{}", b"{}"]),
        ("k-connect", "connect", "sessioned", runs, connect),
        ("k-connect-eager", "connect", "default", [worker(version=0)] * 2, eager),
    ):
        RawGroup(name, wires[name], protocol, strategy).form(metadata, assignments)


@pytest.fixture(scope="module")
def tables(broker_of_all_kinds: Brokers) -> Mapping[str, pa.Table]:
    """What is collected of them, which is whole."""
    chosen = ClusterSelection(("k-*",))
    collected = collect_cluster(Cluster("live", (broker_of_all_kinds.bootstrap,), groups=chosen))
    assert collected.left_out == []
    return collected.tables


def test_each_group_is_as_its_broker_tells(tables: Mapping[str, pa.Table]) -> None:
    rows = {name: table.to_pylist() for name, table in tables.items()}
    types = {row["group"]: row["type"] for row in rows["groups"]}
    assert types == TYPES
    owned = {(row["group"], row["topic"]) for row in rows["assignments"]}
    assert not any(group == "k-share" for group, _ in owned)
    connectors = {("k-connect", "k-connect/sink"), ("k-connect", "k-connect/src")}
    assert owned >= {("k-tasks", TOPIC), *connectors}
    for name in ("k-share", "k-streams"):
        reads = [row["topic"] for row in rows["subscriptions"] if row["group"] == name]
        assert set(reads) == {TOPIC}
    assert all(row["hidden_topics"] == [] for row in rows["groups"])
    listed = [row["topic"] for row in rows["partitions"]]
    assert (listed.count("k-connect/sink"), listed.count("k-connect-eager/sink")) == (6, 2)
    configs = {(row["scope"], row["name"], row["key"]): row["value"] for row in rows["configs"]}
    assert configs["topic", TOPIC, "unclean.leader.election.enable"] == "false"
    assert configs["topic", TOPIC, "cleanup.policy"] == "delete"
    (broker,) = {name for scope, name, _ in configs if scope == "broker"}
    assert configs["broker", broker, "offsets.retention.minutes"] == "10080"
    assert len(configs["cluster", "", "cluster.id"]) == 22
