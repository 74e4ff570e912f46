from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.topics import Node, Nodes, racks_of

Read = Callable[[str], Nodes]

VERSIONS = "\tProduce(0): 0 to 13 [usable: 13],\n\tFetch(1): 4 to 18 [usable: 18]\n)\n"


@pytest.fixture
def read(write: Callable[..., Path]) -> Read:
    return lambda text: Nodes().read([write("brokers.txt", text)])


def test_brokers_are_read_with_and_without_the_fence(read: Read) -> None:
    """And with versions as they were printed before 2.0."""
    result = read(
        f"kafka-1:9092 (id: 2 rack: us east-1 isFenced: true) -> (\n{VERSIONS}"
        f"10.0.0.1:9093 (id: 1 rack: a) -> (\n{VERSIONS}"
        f"[::1]:9094 (id: 3 rack: null isFenced: false) -> (\n{VERSIONS}"
        "kafka-4:9092 (id: 4 rack: b) -> ERROR: org.apache.kafka.common.errors.TimeoutException\n"
        "kafka-5:9092 (id: 5 rack: null)\n"
        "k:9092 (id: 0 rack: null) -> {\nProduce(0): 0 to 2,\nLeaderAndIsr(4): 0,\n}\n"
    )
    assert (result.notes, result.unreadable_lines) == ([], [])
    assert result.brokers == [
        Node(0, "k", 9092, None),
        Node(1, "10.0.0.1", 9093, "a"),
        Node(2, "kafka-1", 9092, "us east-1"),
        Node(3, "[::1]", 9094, None),
        Node(4, "kafka-4", 9092, "b"),
        Node(5, "kafka-5", 9092, None),
    ]


def test_of_two_lines_of_one_broker_the_last_counts(read: Read) -> None:
    result = read("k:9092 (id: 1 rack: a) -> (\nk:9092 (id: 1 rack: b) -> (\n")
    assert result.brokers == [Node(1, "k", 9092, "b")]
    (note,) = result.notes
    assert note.startswith("1 broker (1) more than once in ")


@pytest.mark.parametrize(
    "line", [*(f"k:9092 (id: {id_} rack: a) -> (" for id_ in ("x", "-1", "9999999999")), "what"]
)
def test_a_strange_line_or_one_without_a_proper_id_is_reported(read: Read, line: str) -> None:
    result = read(f"k:9092 (id: 1 rack: a) -> (\n{line}\n")
    assert [(line.line, line.text) for line in result.unreadable_lines] == [(2, line)]


def test_a_file_without_brokers_is_refused(read: Read) -> None:
    with pytest.raises(InputError, match=r"brokers\.txt: no broker is in it; expected the text"):
        read("nothing\n")


def test_racks_come_in_the_replicas_order_and_unknown_ones_are_left_out() -> None:
    racks = {1: "a", 2: "b", 3: None, 4: "a"}
    assert racks_of([4, 2, 3, 9, 1], racks) == ["a", "b", "a"]
    assert [racks_of(replicas, racks) for replicas in ([3, 9], [], None)] == [None] * 3
