"""One broker with a group of every kind: each command says the right thing of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from kafka import KafkaAdminClient
from kafka.admin import NewTopic

from tests.live.brokers import Brokers
from tests.live.heartbeats import join_share_group, join_streams_group
from tests.live.members import PolledMember, of_new_protocol, polled
from tests.live.raw_group import RawGroup, Wire, assignment, coordinators, subscription
from tests.live.waiting import until
from tests.spark.sources.live.workers import orders, worker
from tests.support.said import Run, flat

TOPIC, PARTITIONS = "kinds", 4
RAW = ("k-classic", "k-connect", "k-connect-eager", "k-registry", "k-tasks")
STATUSES = {
    "k-classic": ("classic", "ok"),
    "k-connect": ("connect", "ok"),
    "k-connect-eager": ("connect", "ok"),
    "k-consumer": ("consumer", "ok"),
    "k-registry": ("other", "unsupported"),
    "k-share": ("share", "unsupported"),
    "k-streams": ("streams", "unsupported"),
    "k-tasks": ("classic", "unsupported"),
}


@pytest.fixture(scope="module")
def broker_of_all_kinds(broker: Brokers) -> Iterator[Brokers]:
    admin = KafkaAdminClient(bootstrap_servers=broker.bootstrap)
    admin.create_topics([NewTopic(name=TOPIC, num_partitions=PARTITIONS, replication_factor=1)])
    server = coordinators(broker.bootstrap, [*STATUSES])
    wires = {name: [Wire(server[name], f"{name}-{n}") for n in range(2)] for name in RAW}
    _form(wires)
    join_share_group(server["k-share"], "k-share", [TOPIC])
    join_streams_group(server["k-streams"], "k-streams", [TOPIC])
    consumer = of_new_protocol(broker.bootstrap, "k-consumer", 0, [TOPIC], "a")
    with polled([consumer]):
        assert until(lambda: _owns_all(consumer))
        yield broker
    for items in wires.values():
        for wire in items:
            wire.close()
    admin.delete_topics([TOPIC])
    assert until(lambda: TOPIC not in admin.list_topics())
    admin.close()


def _owns_all(member: PolledMember) -> bool:
    return len(member.owned) == PARTITIONS


def _form(wires: dict[str, list[Wire]]) -> None:
    """Groups of two members each that speak the classic protocol, or another by its means."""
    reads, halves = [subscription([TOPIC])] * 2, [{TOPIC: [0, 1]}, {TOPIC: [2, 3]}]
    classic = RawGroup("k-classic", wires["k-classic"])
    classic.join(reads)
    classic.sync([assignment(half) for half in halves])
    tasks = RawGroup("k-tasks", wires["k-tasks"], strategy="stream")
    tasks.join(reads)
    tasks.sync([assignment(half) for half in halves])
    registry = RawGroup("k-registry", wires["k-registry"], "sr", "v0")
    registry.join([b'{"host":"a"}', b'{"host":"b"}'])
    registry.sync([b"{}", b"{}"])
    connect = RawGroup("k-connect", wires["k-connect"], "connect", "sessioned")
    connect.join([worker({"sink": [-1, 0, 1, 2, 3, 4, 5]}), worker()])
    connect.sync([orders({}, {"sink": [-1]}), orders({"sink": [-1], "src": [0]})])
    eager = RawGroup("k-connect-eager", wires["k-connect-eager"], "connect", "default")
    eager.join([worker(version=0)] * 2)
    eager.sync([orders({"sink": [-1, 0]}, version=0), orders({"sink": [1]}, version=0)])


@pytest.fixture
def store(broker_of_all_kinds: Brokers, run: Run, tmp_path: Path) -> Path:
    """What `collect` makes of them, which is whole."""
    where = ("--bootstrap", broker_of_all_kinds.bootstrap, "--cluster", "live")
    output = run("collect", *where, "--out", tmp_path / "store", "--groups", "k-*")
    assert output.code == 0, output.err
    assert "isn't whole" not in output.err
    return tmp_path / "store"


def rows(folder: Path, table: str) -> list[dict[str, Any]]:
    result: list[dict[str, Any]] = pq.read_table(folder / table).to_pylist()
    return result


def test_a_share_group_is_shown_with_what_it_reads(store: Path, run: Run) -> None:
    of_group = [row for row in rows(store, "subscriptions") if row["group"] == "k-share"]
    assert {row["topic"] for row in of_group} == {TOPIC}
    assert not any(row["group"] == "k-share" for row in rows(store, "assignments"))
    output = run("explain", store, "--group", "k-share", "--format", "json")
    (topic,) = json.loads(output.out)["topics"]
    assert (topic["topic"], topic["members"]) == (TOPIC, len(of_group))


def test_each_group_is_what_it_is(store: Path, run: Run, tmp_path: Path) -> None:
    assert run("plan", store, "--out", tmp_path / "plan").code == 0
    types = {row["group"]: row["type"] for row in rows(store, "groups")}
    planned = {row["group"]: row for row in rows(tmp_path / "plan", "groups")}
    assert {name: (types[name], row["status"]) for name, row in planned.items()} == STATUSES
    assert "no one owner" in planned["k-share"]["reason"]
    assert "one owner each" in planned["k-streams"]["reason"]
    assert "Kafka Streams (strategy 'stream')" in planned["k-tasks"]["reason"]
    # worker 0 has six tasks, worker 1 one
    connect = planned["k-connect"]
    assert (connect["max_load"], connect["min_load"], connect["moves"]) == (4, 3, 2)
    assert planned["k-connect-eager"]["moves"] == 0
    assert run("verify", store, tmp_path / "plan").code == 0


def test_owners_of_tasks_stay_in_the_tables(store: Path) -> None:
    owned = {(row["group"], row["topic"]) for row in rows(store, "assignments")}
    assert ("k-tasks", TOPIC) in owned
    connectors = {("k-connect", "k-connect/sink"), ("k-connect", "k-connect/src")}
    assert connectors <= owned
    listed = [row["topic"] for row in rows(store, "partitions")]
    assert (listed.count("k-connect/sink"), listed.count("k-connect-eager/sink")) == (6, 2)


def test_an_audit_finds_what_is_uneven_and_nothing_unsupported(
    store: Path, run: Run, tmp_path: Path
) -> None:
    output = run("audit", store, "--out", tmp_path / "found", "--format", "json")
    assert output.code == 0
    result = [row for row in rows(tmp_path / "found", "findings") if row["group"] is not None]
    about = {(row["group"], row["finding"]) for row in result}
    assert ("k-connect", "unbalanced") in about
    assert {name for name, _ in about} <= {
        name for name, (_, status) in STATUSES.items() if status == "ok"
    }
    (unbalanced,) = [row for row in result if row["finding"] == "unbalanced"]
    assert "KAFKA-12495" in unbalanced["advice"]
    kinds = {row["kind"]: row["groups"] for row in json.loads(output.out)["other_kinds"]}
    assert kinds == {"connect": 2, "other": 1, "share": 1, "streams": 2}
    assert not any(row["finding"] == "leaderless" for row in rows(tmp_path / "found", "findings"))


@pytest.mark.parametrize(
    "words",
    [
        ("snapshots",),
        ("compare", "--strategies", "current,sticky,optimal"),
        ("explain", "--group", "k-connect"),
        ("explain", "--group", "k-share"),
        ("graph", "--question", "coupled-groups"),
    ],
)
def test_other_commands_take_them(
    store: Path, run: Run, tmp_path: Path, words: tuple[str, ...]
) -> None:
    command, *options = words
    out = ("--out", tmp_path / "out") if command == "compare" else ()
    output = run(command, store, *options, *out)
    assert output.code == 0, output.err
    if command == "snapshots":
        assert "2 connect, 1 other, 1 share, 2 streams" in flat(output.err)


def test_settings_come_by_name_and_with_the_clusters_own_id(store: Path) -> None:
    configs = {
        (row["scope"], row["name"], row["key"]): row["value"] for row in rows(store, "configs")
    }
    assert configs["topic", TOPIC, "unclean.leader.election.enable"] == "false"
    assert configs["topic", TOPIC, "cleanup.policy"] == "delete"
    (broker,) = {name for scope, name, _ in configs if scope == "broker"}
    assert configs["broker", broker, "offsets.retention.minutes"] == "10080"
    assert len(configs["cluster", "", "cluster.id"]) == 22
