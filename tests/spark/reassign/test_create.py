"""`evenfleet reassign --create`: topics to come, on a cluster that Kafka's own tools printed."""

import json
from collections import Counter
from pathlib import Path

import pytest

from optimizer.replicas import check_replicas
from spark import FleetFiles, InputError
from spark.reassign import ReassignRequest, cluster_facts, new_topic, place_new, topics_in
from spark.reassign.create import GOALS
from spark.reassign.facts import PartitionFacts, ReplicaFacts
from tests.spark.reassign.captures import reassigned
from tests.support.said import Run


def lists(text: str) -> list[list[int]]:
    return [[int(broker) for broker in row.split(":")] for row in text.strip().split(",")]


def test_a_new_topic_is_even_over_brokers_and_moves_nothing(run: Run, before: Path) -> None:
    report = reassigned(run, before, "--create", "new:12:3")
    (row,) = report["assignments"]
    replicas = lists(row["replica_assignment"])
    assert [len(set(one)) for one in replicas] == [3] * 12
    racks = {broker["broker"]: broker["rack"] for broker in report["brokers"]}
    assert all(len({racks[broker] for broker in one}) == 3 for one in replicas)
    placed = Counter(broker for one in replicas for broker in one)
    assert (
        {broker["broker"]: broker["planned"] - broker["replicas"] for broker in report["brokers"]}
        == {1: 6, 2: 12, 3: 12, 4: 6}
        == placed
    )
    assert Counter(one[0] for one in replicas) == {1: 3, 2: 3, 3: 3, 4: 3}
    (path,) = (item["file"] for item in report["files"])
    assert lists(Path(path).read_text()) == replicas


def test_a_new_topic_is_on_all_brokers_though_some_are_empty() -> None:
    """Brokers 3 to 5 are empty: to even out the cluster alone, they would take all of it."""
    old = [PartitionFacts("old", n, n % 3, [n % 3], [n % 3], [], []) for n in range(60)]
    current = ReplicaFacts("lab", "now", dict.fromkeys(range(6)), old)
    placement = place_new(current, [new_topic("new:6:2")], ReassignRequest())
    rows = [placement.plan.replicas["new", number] for number in range(6)]
    assert Counter(broker for row in rows for broker in row) == dict.fromkeys(range(6), 2)
    assert sorted(row[0] for row in rows) == [0, 1, 2, 3, 4, 5]


def test_the_checker_proves_it_and_refutes_a_worse_one(before: Path) -> None:
    current = cluster_facts(FleetFiles.read(str(before)))
    placement = place_new(current, [new_topic("new:4:2"), new_topic("more:3:3")], ReassignRequest())
    replicas = dict(placement.plan.replicas)
    assert check_replicas(placement.cluster, replicas, GOALS) == []
    assert "The checker proves the placement of new, more." in next(placement.sentences())
    worse = replicas | {("new", number): [1, 2] for number in range(4)}
    assert check_replicas(placement.cluster, worse, GOALS)


def test_a_drained_broker_gets_nothing(run: Run, before: Path) -> None:
    report = reassigned(run, before, "--create", "new:8:2", "--drain", 4)
    assert {4} & {
        b for row in lists(report["assignments"][0]["replica_assignment"]) for b in row
    } == set()


def test_topics_to_move_are_those_of_kafkas_file(run: Run, before: Path) -> None:
    file = before.parent / "topics_to_move.json"
    file.write_text('{"version": 1, "topics": [{"topic": "orders"}]}')
    report = reassigned(run, before, "--topics-to-move", file)
    moves = [json.loads(Path(row["file"]).read_text()) for row in report["files"]]
    assert {item["topic"] for move in moves for item in move["partitions"]} == {"orders"}


def test_a_file_without_topics_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "topics.json"
    file.write_text('{"topics": [{"name": "orders"}]}')
    with pytest.raises(InputError, match="lists no topics"):
        topics_in(file)
