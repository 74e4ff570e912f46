"""`evenfleet reassign-verify` on what Kafka's own tools printed of a cluster."""

import json
from pathlib import Path

import pytest

from spark import InputError
from spark.reassign.files import read_move
from tests.spark.reassign.captures import CAPTURES, stored
from tests.support.said import Run, check_refused
from tests.support.terminal import tables_of


def verified(run: Run, store: Path, file: str) -> tuple[int | None, dict[str, str]]:
    output = run("reassign-verify", store, CAPTURES / file, "--format", "json")
    rows = tables_of(output)["partitions"]
    return output.code, {f"{row['topic']}-{row['partition']}": row["state"] for row in rows}


@pytest.mark.parametrize(
    ("topics", "file", "code", "state"),
    [
        ("topics_before", "move.json", 1, "not started"),
        ("topics_during", "move.json", 1, "running"),
        ("topics_after", "move.json", 0, "done"),
        ("rf_up_topics_during", "rf_up.json", 1, "running"),
        ("topics_during", "move_other.json", 1, "diverged"),
    ],
)
def test_each_step_of_a_move_is_told(
    run: Run, tmp_path: Path, topics: str, file: str, code: int, state: str
) -> None:
    result, states = verified(run, stored(run, tmp_path, topics), file)
    assert result == code
    if file == "move.json":
        assert states.pop("orders-5") == "done"  # which the file leaves as it is
    assert set(states.values()) == {state}


def test_a_cancelled_move_whose_order_did_not_come_back_has_diverged(
    run: Run, tmp_path: Path
) -> None:
    """The rollback beside a move tells what was there before it."""
    store = stored(run, tmp_path, "cancel_reorder_4_topics_after")
    move = tmp_path / "01-move.json"
    move.write_text((CAPTURES / "cancel_reorder.json").read_text())
    ((name, _),) = read_move(move).items()
    partition = {"topic": name[0], "partition": name[1], "replicas": [3, 2]}
    (tmp_path / "01-rollback.json").write_text(json.dumps({"partitions": [partition]}))
    output = run("reassign-verify", store, move)
    assert output.code == 1
    assert "diverged" in output.out


@pytest.mark.parametrize(
    ("file", "fault"),
    [
        ("bad_empty.json", "lists no partitions"),
        ("bad_no_replicas.json", "has no replicas"),
        ("bad_duplicate_replica.json", "has a broker twice"),
        ("bad_json.json", "isn't JSON"),
        ("absent.json", "can't be read"),
    ],
)
def test_files_that_kafka_refuses_are_refused(file: str, fault: str) -> None:
    with pytest.raises(InputError, match=fault):
        read_move(CAPTURES / file)


def test_brokers_that_the_cluster_does_not_have_are_refused(run: Run, tmp_path: Path) -> None:
    """One that is being added, or is down and has replicas, is one of the cluster's."""
    (move := tmp_path / "m").write_text(
        '{"partitions": [{"topic": "orders", "partition": 0, "replicas": [1, 9]}]}'
    )
    output = run("reassign-verify", stored(run, tmp_path, "topics_before"), move)
    check_refused(output, "orders-0 is to be on broker 9, and cluster lab doesn't have it")
    down = stored(run, tmp_path, "dead_topics", "dead_brokers")
    move.write_text(move.read_text().replace("9", "3"))
    assert run("reassign-verify", down, move).code == 1


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ('[{"topic": "t", "partition": 0, "replicas": [1]}]', "holds no JSON object"),
        ('Current\n{"version": 1}', "isn't JSON"),
        ('Current partition replica assignment\n{"version": 1}\n\nPro', "then a proposed one"),
        ('{"version": 1, "partitions": {"topic": "t"}}', "lists no partitions"),
        ('{"version": 1, "partitions": [["t", 0, [1]]]}', "has to have a topic, a partition"),
        ('{"version": 1, "partitions": [' + "[" * 100_000, "isn't JSON"),
        *(
            (f'{{"version": {version}, "partitions": []}}', f"has version {version}: Kafka reads")
            for version in ("true", "1.0", "null", "[1]")
        ),
        *(
            (
                f'{{"partitions": [{{"topic": "t", "partition": {number}, "replicas": {row}}}]}}',
                fault,
            )
            for number, row, fault in (
                ("0", '["1", "2"]', 't-0 has "1", where Kafka reads whole numbers of 32 bits'),
                ("0", "[3000000000]", "t-0 has 3000000000, where"),
                ("0", "[1, true]", "t-0 has true, where"),
                ("0", "[1.0]", "t-0 has 1.0, where"),
                ('"0"', "[1]", 't-"0" has "0", where'),
                ("1e3", "[1]", "t-1000.0 has 1000.0, where"),
                ("4294967296", "[1]", "has 4294967296, where"),
                ("0", '"12"', "has to have a topic, a partition and replicas"),
                ("0", "null", "has to have a topic, a partition and replicas"),
            )
        ),
        ('{"partitions": [{"topic": 7, "partition": 0, "replicas": [1]}]}', "to have a topic"),
    ],
)
def test_what_kafka_does_not_decode_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "01-move.json"
    path.write_text(text)
    with pytest.raises(InputError) as raised:
        read_move(path)
    assert fault in str(raised.value)


@pytest.mark.parametrize(
    ("version", "folders", "fault"),
    [
        ("2", '["any", "any"]', "has version 2: Kafka reads version 1"),
        ('"1"', '["any", "any"]', 'has version "1"'),
        ("1", '["any"]', r't-0 has 2 replicas, and log_dirs \["any"\]: list one for each replica'),
        ("1", '"any"', 'log_dirs "any"'),
        ("1", '["any", "/a"]', None),
    ],
)
def test_versions_and_log_directories_are_read_as_kafka_does(
    tmp_path: Path, version: str, folders: str, fault: str | None
) -> None:
    path = tmp_path / "01-move.json"
    item = f'{{"topic":"t","partition":0,"replicas":[1,2],"log_dirs":{folders}}}'
    path.write_text(f'{{"version":{version},"partitions":[{item}]}}')
    if fault is None:
        assert read_move(path) == {("t", 0): [1, 2]}
    else:
        with pytest.raises(InputError, match=fault):
            read_move(path)
