"""Three brokers in three racks: replicas and leaders go where they are planned, in traffic."""

import itertools
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import NewTopic

from tests.live.brokers import Brokers
from tests.live.conftest import Keep
from tests.live.waiting import until
from tests.support.said import Run
from tests.support.terminal import tables_of

TOPIC = "moved"
PARTITIONS = 6
MUCH = 3  # MiB of each partition: a follower's first request brings one, however it is throttled
REASSIGN = "reassign.ReassignPartitionsCommand"


class Traffic:
    """A producer that goes on all the while; `sent` are the messages that were acknowledged."""

    def __init__(self, bootstrap: str) -> None:
        self.sent: list[bytes] = []
        self._producer = KafkaProducer(bootstrap_servers=bootstrap, acks="all", retries=20)
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._send_on, daemon=True)

    def begin(self) -> None:
        for number in range(MUCH * 4 * PARTITIONS):
            value = b"%06d" % number + bytes(256 * 1024)
            self._producer.send(TOPIC, value, partition=number % PARTITIONS)
            self.sent.append(value[:6])
        self._producer.flush()
        self._thread.start()

    def _send_on(self) -> None:
        for number in itertools.count(len(self.sent)):
            value = b"%06d" % number
            self._producer.send(TOPIC, value, partition=number % PARTITIONS).get(60)
            self.sent.append(value)
            if self._ended.wait(0.02):
                return

    def end(self) -> None:
        self._ended.set()
        self._thread.join(60)
        self._producer.close()


class Moves:
    """A store of the cluster, looked at again and again, and the files of a plan."""

    def __init__(self, brokers: Brokers, run: Run, folder: Path) -> None:
        self.brokers, self.run = brokers, run
        self.store, self.out = folder / "store", folder / "moves"
        self._looks = itertools.count()

    def look(self) -> None:
        minute, second = divmod(next(self._looks), 60)
        snapshot = f"20261123T10{minute:02}{second:02}Z"
        words = ("--cluster", "live", "--snapshot", snapshot, "--groups", "none")
        output = self.run(
            "collect", "--bootstrap", self.brokers.bootstrap, "--out", self.store, *words
        )
        assert output.code == 0, output.err

    def plan(self, *words: object) -> Any:
        inputs = ("--topics", TOPIC, "--out", self.out, *words)
        output = self.run("reassign", self.store, *inputs, "--format", "json")
        return output, tables_of(output) if output.out else None

    def execute(self, *words: object) -> str:
        live = ("--execute", "--bootstrap", self.brokers.bootstrap, "--no-dry-run")
        self.look()
        output, _ = self.plan(*words, *live)
        assert output.code == 0, output.err
        err: str = output.err
        return err

    def undo(self) -> None:
        """First as a dry run, then carried out, then there is nothing left to undo."""
        words = ("--undo", self.out, "--bootstrap", self.brokers.bootstrap)
        reports = ("add --apply", "ollback of batch 1 is done", "Nothing to send")
        for more, report in zip(((), ("--apply",), ()), reports, strict=True):
            output = self.run("reassign", *words, *more)
            assert output.code == 0, output.err
            assert report in output.err

    def states(self, number: int) -> set[str]:
        self.look()
        file = self.out / f"{number:02}-move.json"
        output = self.run("reassign-verify", self.store, file, "--format", "json")
        rows = tables_of(output)["partitions"]
        assert (output.code == 0) == all(row["state"] == "done" for row in rows)
        return {row["state"] for row in rows}


@pytest.fixture(scope="module")
def fresh_brokers(jars: list[str], keep: Keep) -> Brokers:
    """A cluster that no other test has ended brokers of."""
    return keep("fresh_brokers", Brokers(jars, 3, racks=["a", "b", "c"]))


@pytest.fixture
def admin(fresh_brokers: Brokers) -> Iterator[KafkaAdminClient]:
    on_first = {number: [1] for number in range(PARTITIONS)}
    with fresh_brokers.admin() as client:
        client.create_topics([NewTopic(name=TOPIC, replica_assignments=on_first)])
        yield client


def replicas(admin: KafkaAdminClient) -> dict[int, list[int]]:
    (topic,) = admin.describe_topics([TOPIC])
    return {item["partition_index"]: item["replica_nodes"] for item in topic["partitions"]}


def await_brokers(admin: KafkaAdminClient, *brokers: int) -> None:
    """Until each partition has a replica on each of these, and none elsewhere."""

    def reached() -> bool:
        return all(sorted(row) == [*brokers] for row in replicas(admin).values())

    until(reached, f"replicas of all partitions are on {brokers}", lambda: replicas(admin))


def await_leaders(admin: KafkaAdminClient, *wanted: int) -> None:
    """Until these lead, each as often as it is named; any broker tells, some later."""

    def leaders() -> tuple[int, ...]:
        (topic,) = admin.describe_topics([TOPIC])
        return tuple(sorted(partition["leader_id"] for partition in topic["partitions"]))

    until(lambda: leaders() == wanted, f"leaders are {wanted}", leaders)


def messages(bootstrap: str) -> list[bytes]:
    """The beginnings of all messages of the topic, in any order."""
    consumer = KafkaConsumer(bootstrap_servers=bootstrap, auto_offset_reset="earliest")
    parts = [TopicPartition(TOPIC, number) for number in range(PARTITIONS)]
    consumer.assign(parts)
    ends = consumer.end_offsets(parts)
    result = []
    while any(consumer.position(part) < ends[part] for part in parts):
        for claim in consumer.poll(timeout_ms=500).values():
            result += [item.value[:6] for item in claim]
    consumer.close()
    return result


@pytest.fixture
def traffic(fresh_brokers: Brokers, admin: KafkaAdminClient) -> Iterator[Traffic]:
    producer = Traffic(fresh_brokers.bootstrap)
    producer.begin()
    yield producer
    producer.end()


def test_a_topic_of_one_broker_moves_as_planned_and_loses_nothing(
    fresh_brokers: Brokers, admin: KafkaAdminClient, traffic: Traffic, run: Run, tmp_path: Path
) -> None:
    """By Kafka's own tools, back after half a batch, and then by --execute."""
    moves = Moves(fresh_brokers, run, tmp_path)
    files = ("01-move.json", "02-move.json", "02-rollback.json")
    first, second, rollback = (moves.out / name for name in files)

    moves.look()
    _, report = moves.plan("--replication-factor", 3, "--batch-copies", PARTITIONS)
    assert [row["copies"] for row in report["batches"]] == [6, 6]
    assert moves.states(1) == {"not started"}
    fresh_brokers.tool(REASSIGN, "--execute", "--reassignment-json-file", first)
    until(lambda: {len(row) for row in replicas(admin).values()} == {2}, "all have 2 replicas")
    until(lambda: moves.states(1) == {"done"}, "the first move is done")
    origin = replicas(admin)

    slowly = ("--execute", "--throttle", 1000, "--reassignment-json-file", second)
    fresh_brokers.tool(REASSIGN, *slowly)
    assert moves.states(2) <= {"running", "done"}
    assert "running" in moves.states(2)
    fresh_brokers.tool(REASSIGN, "--cancel", "--reassignment-json-file", second)
    fresh_brokers.tool(REASSIGN, "--execute", "--reassignment-json-file", rollback)
    until(lambda: replicas(admin) == origin, "the second move is undone")
    assert moves.states(2) == {"not started"}
    verified = fresh_brokers.tool(REASSIGN, "--verify", "--reassignment-json-file", rollback)
    assert verified.count("is completed") == PARTITIONS

    with pytest.raises(AssertionError, match="holds the rollbacks of a plan that isn't finished"):
        moves.execute("--replication-factor", 3)
    moves.out = tmp_path / "again"
    assert "Batch 1 of 1 is done" in moves.execute("--replication-factor", 3)
    await_brokers(admin, 1, 2, 3)
    await_leaders(admin, 1, 1, 2, 2, 3, 3)
    assert "0 copies" in moves.execute("--drain", 3, "--replication-factor", 2)
    await_brokers(admin, 1, 2)

    moves.look()
    move_to(admin, {0: [3, 2]})
    live = ("--execute", "--bootstrap", fresh_brokers.bootstrap, "--no-dry-run")
    output, _ = moves.plan("--add", 3, *live)
    assert output.code == 1 and "moved-0 is on 3,2, not on " in output.err
    before, moves.out = replicas(admin), tmp_path / "others"
    assert "Batch 2 of 2 is done" in moves.execute("--add", 3, "--batch-copies", 2)
    moves.undo()
    until(lambda: replicas(admin) == before, "the batches are undone")
    assert "Batch 2 of 2 is done" in moves.execute("--add", 3, "--batch-copies", 2)
    assert sorted(b for row in replicas(admin).values() for b in row) == sorted([1, 2, 3] * 4)
    await_leaders(admin, 1, 1, 2, 2, 3, 3)

    move_to(admin, {number: sorted(row) for number, row in replicas(admin).items()})
    admin.elect_leaders(0, {TOPIC: list(range(PARTITIONS))})
    await_leaders(admin, 1, 1, 1, 1, 2, 2)
    moves.out = tmp_path / "leaders"
    assert "0 copies" in moves.execute("--leaders-only")
    await_leaders(admin, 1, 1, 2, 2, 3, 3)
    traffic.end()
    assert sorted(messages(fresh_brokers.bootstrap)) == sorted(traffic.sent)


def move_to(admin: KafkaAdminClient, wanted: dict[int, list[int]]) -> None:
    """What somebody else does meanwhile."""
    admin.alter_partition_reassignments(
        {TopicPartition(TOPIC, number): row for number, row in wanted.items()}
    )
    until(lambda: replicas(admin) | wanted == replicas(admin), f"replicas are {wanted}")
