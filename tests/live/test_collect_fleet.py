"""Three brokers in three racks: how much is asked for, and what happens when one goes."""

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kafka.admin import NewTopic
from pyspark.sql import SparkSession

from spark import FleetSnapshot, groups as grouped
from spark.sources.live import collect
from spark.sources.live.cluster import Cluster, ClusterSelection
from spark.sources.live.collect import Collected, collect_cluster
from spark.sources.live.connection import Connection
from spark.sources.live.read_cluster import Answers, Report, read_cluster
from tests.live.brokers import Brokers
from tests.live.raw_group import RawGroup, Wire, coordinators
from tests.live.waiting import until
from tests.spark.sources.live.member_bytes import assignment, subscription
from tests.support.said import Run
from tests.support.terminal import tables_of

MEMBERS = 5
FIRST = [f"fleet-{number:02}" for number in range(40)]
ALL = [*FIRST, *(f"more-{number:02}" for number in range(40))]
READ = ("t0", "t1")
RACKS = {1: "a", 2: "b", 3: "c"}


@pytest.fixture(scope="module")
def fleet(three_brokers: Brokers) -> Iterator[Brokers]:
    """80 groups of 5 members, each of which has 4 partitions of two topics."""
    three_brokers.create(dict.fromkeys(READ, 10))
    with three_brokers.admin() as admin:
        admin.create_topics([NewTopic(name="alone", replica_assignments={0: [2], 1: [3]})])
    server = coordinators(three_brokers.bootstrap, ALL)
    metadata = [subscription([*READ, "alone"], 1, "abc"[n % 3]) for n in range(MEMBERS)]
    owned = [assignment({t: [2 * n, 2 * n + 1] for t in READ}) for n in range(MEMBERS)]
    with ExitStack() as opened, ThreadPoolExecutor() as threads:
        wires = {item: [Wire(item) for _ in range(MEMBERS)] for item in set(server.values())}
        for wire in chain.from_iterable(wires.values()):
            opened.callback(wire.close)

        def form_groups(coordinator: str) -> None:
            for name in ALL:
                if server[name] == coordinator:
                    RawGroup(name, wires[coordinator]).form(metadata, owned)

        list(threads.map(form_groups, wires))
        yield three_brokers


def collected(brokers: Brokers, **options: Any) -> Collected:
    return collect_cluster(Cluster("live", (brokers.bootstrap,), **options))


def rows(found: Collected, table: str) -> list[dict[str, Any]]:
    assert found.tables, found.left_out
    result: list[dict[str, Any]] = found.tables[table].to_pylist()
    return result


def test_requests_grow_with_brokers_and_not_with_groups(fleet: Brokers) -> None:
    """One for topics, one for what is being reassigned, one for the topics' settings.

    Then of each: versions, groups, members, offsets, ends, its settings. The bootstrap server's
    connection is that of its broker.
    """
    half = collected(fleet, groups=ClusterSelection(("fleet-*",)))
    whole = collected(fleet, groups=ClusterSelection(("fleet-*", "more-*")))
    assert [len(rows(item, "groups")) for item in (half, whole)] == [40, 80]
    assert [len(rows(item, "members")) for item in (half, whole)] == [200, 400]
    assert [len(rows(item, "assignments")) for item in (half, whole)] == [800, 1600]
    assert half.requests == whole.requests == 1 + 1 + 1 + 3 * 6
    assert half.seconds > 0


def test_partitions_have_the_racks_of_their_brokers(fleet: Brokers) -> None:
    result = collected(fleet)
    assert {row["broker"]: row["rack"] for row in rows(result, "brokers")} == RACKS
    for row in rows(result, "partitions"):
        assert row["leader_rack"] == RACKS[row["leader"]]
        assert row["replica_racks"] == [RACKS[broker] for broker in row["replicas"]]
    assert {row["rack"] for row in rows(result, "members")} == {"a", "b", "c"}


def test_a_broker_that_is_killed_meanwhile_costs_what_it_alone_knows(
    fleet: Brokers, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """At first its groups, and the run ends with 1; later nothing, for others have taken over."""

    def read_while_it_is_killed(cluster: Cluster, brokers: Connection, tell: Report) -> Answers:
        fleet.kill(2)
        return read_cluster(cluster, brokers, tell)

    store = tmp_path / "store"
    words = ("collect", "--bootstrap", fleet.bootstrap, "--cluster", "prod", "--out", store)
    words = (*words, "--timeout", 2)
    try:
        begun = time.monotonic()
        with monkeypatch.context() as patched:
            patched.setattr(collect, "read_cluster", read_while_it_is_killed)
            output = run(*words, "--format", "json")
        assert time.monotonic() - begun < 60
        assert output.code == 1, output.err
        (cluster,) = tables_of(output)["clusters"]
        assert cluster["state"] == "incomplete"
        assert 0 < cluster["groups"] < len(ALL)
        assert "prod: broker 2 did not answer" in output.err
        (members,) = (pq.read_table(file) for file in (store / "members").rglob("*.parquet"))
        assert len(members) == cluster["members"] > 0

        left = snapshot_when(led_anew, fleet)
        partitions = {(r["topic"], r["partition"]): r for r in rows(left, "partitions")}
        lost = partitions["alone", 0]
        assert (lost["leader"], lost["leader_rack"], lost["replicas"]) == (None, None, [2])
        assert any("1 topic (alone) with partitions that have no leader" in n for n in left.notes)
        assert {row["end_offset"] for row in rows(left, "offsets")} == {0}
        output = run(*words)
        assert ". 1 topic had partitions without a leader.\n" in output.err
        assert (output.code, "It is incomplete" in output.err) == (1, True)
    finally:
        fleet.start(2)
        snapshot_when(in_sync, fleet)


def led_anew(found: Collected) -> bool:
    """Whether others have taken over what a broker led that is gone."""
    return not found.left_out and len(rows(found, "groups")) == len(ALL)


def in_sync(found: Collected) -> bool:
    """Whether nothing tells any more that a broker was away."""
    partitions = rows(found, "partitions")
    return led_anew(found) and all(len(p["isr"]) == len(p["replicas"]) for p in partitions)


def snapshot_when(true: Callable[[Collected], bool], brokers: Brokers) -> Collected:
    """The first snapshot of all groups of which that is true."""
    result: list[Collected] = []

    def reached() -> bool:
        result.append(collected(brokers, timeout=2, retries=1))
        return true(result[-1])

    what = f"a snapshot is {true.__name__}"
    until(reached, what, lambda: (result[-1].left_out, result[-1].notes))
    return result[-1]


def test_a_broker_that_hangs_is_waited_for_within_bounds(fleet: Brokers) -> None:
    with fleet.paused(3):
        begun = time.monotonic()
        result = collected(fleet, timeout=2, retries=1)
        # to be let in, and 2 requests of 2 s each, once, after which it isn't asked any more
        assert time.monotonic() - begun < 30
    assert any("broker 3 did not answer" in reason for reason in result.left_out), result.left_out
    assert rows(result, "brokers")
    snapshot_when(in_sync, fleet)


def test_the_command_says_what_it_read_and_writes_a_store(
    fleet: Brokers, spark: SparkSession, run: Run, tmp_path: Path
) -> None:
    """One cluster that isn't there doesn't keep others from being read."""
    store, file = tmp_path / "store", tmp_path / "clusters.toml"
    file.write_text(
        f"[cluster.here]\nbootstrap = '{fleet.bootstrap}'\n"
        "[cluster.there]\nbootstrap = '127.0.0.1:1'\nretries = 0"
    )
    words = ("--clusters", file, "--groups", "fleet-*", "--format", "json")
    output = run("collect", *words, "--out", store)
    assert output.code == 1, output.err
    here, there = tables_of(output)["clusters"]
    assert (here["cluster"], here["state"], here["groups"]) == ("here", "whole", 40)
    assert (there["cluster"], there["state"]) == ("there", "unreachable")
    assert here["requests"] <= 1 + 1 + 1 + 3 * 6
    snapshot = FleetSnapshot.read(spark, str(store))
    assert snapshot.tables["assignments"].count() == 800
    groups = snapshot.tables["groups"].select("cluster", "group")
    result = grouped.coordinators(groups, snapshot.tables).collect()
    assert {row.inferred for row in result} == {False}
    # the rule that is used where the source doesn't tell
    assert [row.coordinator for row in result] == [row.offsets_leader for row in result]
    assert len({row.coordinator for row in result}) > 1


def test_the_data_source_has_a_partition_for_each_cluster(
    fleet: Brokers, spark: SparkSession, tmp_path: Path
) -> None:
    from spark.sources.live.data_source import KafkaGroups  # noqa: PLC0415

    file = tmp_path / "clusters.toml"
    item = f"bootstrap = '{fleet.bootstrap}'\ngroups = 'fleet-*'\n"
    file.write_text(f"[cluster.one]\n{item}[cluster.two]\n{item}")
    spark.dataSource.register(KafkaGroups)
    reader = spark.read.format("kafka_groups").option("clusters", str(file))
    members = reader.option("table", "members").load()
    counts = {row.cluster: row["count"] for row in members.groupBy("cluster").count().collect()}
    assert counts == {"one": 200, "two": 200}
    assert members.rdd.getNumPartitions() == 2
