from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from spark.errors import InputError
from spark.fleet import SourceTables
from spark.sources.kafka_text.cli_text import read_cli_text

COLUMNS = {
    "groups": [
        *("cluster", "group", "state", "strategy", "generation", "subscriptions_inferred"),
        *("type", "coordinator"),
    ],
    "members": [
        *("cluster", "group", "member_id", "instance_id", "client_id"),
        *("host", "rack", "generation", "capacity"),
    ],
    "subscriptions": ["cluster", "group", "member_id", "topic"],
    "partitions": [
        *("cluster", "topic", "partition", "topic_id", "leader", "replicas", "isr"),
        *("leader_rack", "replica_racks", "weight", "adding_replicas", "removing_replicas"),
        "min_insync_replicas",
    ],
    "assignments": ["cluster", "group", "topic", "partition", "member_id", "generation"],
    "offsets": [
        *("cluster", "group", "topic", "partition"),
        *("committed_offset", "end_offset", "lag", "start_offset"),
    ],
    "brokers": ["cluster", "broker", "host", "port", "rack"],
}
KEYS = {
    "groups": ("cluster", "group"),
    "members": ("cluster", "group", "member_id"),
    "subscriptions": ("cluster", "group", "member_id", "topic"),
    "partitions": ("cluster", "topic", "partition"),
    "assignments": ("cluster", "group", "topic", "partition", "member_id"),
    "offsets": ("cluster", "group", "topic", "partition"),
    "brokers": ("cluster", "broker"),
}
BROKERS = "".join(
    f"127.0.0.1:290{n} (id: {n} rack: rack-{n} isFenced: false) -> (\n)\n" for n in "123"
)
VIEWS = ("members_verbose", "offsets_plain", "state_verbose", "list_state")

Import = Callable[..., SourceTables]


@pytest.fixture
def read(captures: Path, write: Callable[..., Path]) -> Import:
    """Reads the captures of the real cluster, with whatever else the test gives."""

    def read(**given: object) -> SourceTables:
        inputs: dict[str, object] = {
            "groups": [captures / f"{view}.txt" for view in VIEWS],
            "topics": [captures / "topics.txt"],
            "brokers": write("brokers.txt", BROKERS),
        }
        return read_cli_text("blue", **(inputs | given))  # type: ignore[arg-type]

    return read


def test_tables_have_the_stores_columns_in_their_order(read: Import) -> None:
    result = read()
    assert result.tables.keys() == COLUMNS.keys()
    for name, table in result.tables.items():
        assert len(table)
        for row in table.to_pylist():
            assert list(row) == COLUMNS[name]
            assert row["cluster"] == "blue"


def test_rows_are_sorted_by_their_keys_which_are_unique_and_never_none(read: Import) -> None:
    for name, table in read().tables.items():
        keys = [tuple(row[column] for column in KEYS[name]) for row in table.to_pylist()]
        assert keys == sorted(set(keys))
        assert not any(value is None for key in keys for value in key)


def test_nothing_of_the_real_captures_is_lost_or_noted(read: Import) -> None:
    result = read()
    assert (result.notes, result.left_out) == ([], [])
    assert {name: len(table) for name, table in result.tables.items()} == {
        "groups": 10,
        "members": 23,
        "subscriptions": 38,
        "partitions": 17,
        "assignments": 62,
        "offsets": 66,
        "brokers": 3,
    }


def test_without_a_brokers_file_racks_are_unknown(read: Import) -> None:
    tables = read(brokers=None).tables
    assert "brokers" not in tables
    assert {(p["leader_rack"], p["replica_racks"]) for p in tables["partitions"].to_pylist()} == {
        (None, None)
    }


def test_racks_come_from_the_brokers(read: Import) -> None:
    row = next(
        p
        for p in read().tables["partitions"].to_pylist()
        if (p["topic"], p["partition"]) == ("t.a-b_c", 1)
    )
    assert (row["leader"], row["replicas"]) == (2, [2, 3, 1])
    assert row["leader_rack"] == "rack-2"
    assert row["replica_racks"] == ["rack-2", "rack-3", "rack-1"]


def test_brokers_that_are_not_in_the_file_are_noted(
    read: Import, write: Callable[..., Path]
) -> None:
    (note,) = read(brokers=write("b.txt", BROKERS.partition(")\n")[0])).notes
    assert note.startswith("2 brokers (2, 3) of the replicas without a line")


def test_a_members_epoch_is_its_claims_generation(read: Import) -> None:
    claims = [
        row for row in read().tables["assignments"].to_pylist() if row["group"] == "g848-idle"
    ]
    assert claims == [
        {
            "cluster": "blue",
            "group": "g848-idle",
            "topic": "one",
            "partition": 0,
            "member_id": "ZFw6URctRGyN1jxF5j3SwQ",
            "generation": 3,
        }
    ]


def subscriptions(result: SourceTables, group: str) -> dict[str, set[str]]:
    outcome: dict[str, set[str]] = {}
    for row in result.tables["subscriptions"].to_pylist():
        if row["group"] == group:
            outcome.setdefault(row["member_id"], set()).add(row["topic"])
    return outcome


def inferred(result: SourceTables) -> dict[str, bool]:
    return {
        row["group"]: row["subscriptions_inferred"] for row in result.tables["groups"].to_pylist()
    }


def test_subscriptions_are_inferred_unless_there_is_nobody_to_infer_for(read: Import) -> None:
    result = read()
    assert [name for name, guessed in inferred(result).items() if not guessed] == ["g-empty"]
    assert list(subscriptions(result, "g-range").values()) == [{"orders", "t.a-b_c"}] * 3


def test_owned_infers_each_members_own_topics(read: Import) -> None:
    result = read(infer="owned")
    assert list(subscriptions(result, "g-range").values()) == [
        {"orders", "t.a-b_c"},
        {"t.a-b_c"},
        {"orders", "t.a-b_c"},
    ]
    assert inferred(result)["g-range"]


def test_groups_in_the_subscriptions_file_are_not_inferred_and_others_are(
    read: Import, write: Callable[..., Path]
) -> None:
    path = write("s.csv", "group,client_id,topic\ng-rr,rr0,orders\ng-rr,rr1,one\n")
    result = read(subscriptions=path)
    assert {id_[:3]: topics for id_, topics in subscriptions(result, "g-rr").items()} == {
        "rr0": {"orders"},
        "rr1": {"one"},
    }
    assert (inferred(result)["g-rr"], inferred(result)["g-range"]) == (False, True)


def test_faults_of_every_file_are_reported_together(
    read: Import, captures: Path, write: Callable[..., Path]
) -> None:
    result = read(
        groups=[write("g.txt", (captures / "members_verbose.txt").read_text() + "what 1\n")],
        topics=[write("t.txt", (captures / "topics.txt").read_text() + "what 2\n")],
        brokers=write("b.txt", BROKERS + "what 3\n"),
        subscriptions=write("s.csv", "group,client_id,topic\nwhat,4,five\n"),
    )
    assert [
        (Path(line.split(":")[0]).name, int(line.split(":")[1])) for line in result.left_out
    ] == [
        ("g.txt", 44),
        ("t.txt", 22),
        ("b.txt", 7),
        ("s.csv", 2),
    ]


def test_topics_that_are_owned_and_not_described_are_noted(
    read: Import, write: Callable[..., Path]
) -> None:
    topic = "Topic: orders\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
    partition = "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    (note,) = read(topics=[write("t.txt", topic + partition)]).notes
    assert note.startswith("2 topics (one, t.a-b_c) with subscribers are not among")


def test_a_rebalancing_group_keeps_its_state(
    read: Import, captures: Path, write: Callable[..., Path]
) -> None:
    moving = write("r.txt", "\nWarning: Consumer group 'g-rr' is rebalancing.\n")
    result = read(groups=[captures / "members_verbose.txt", moving])
    (row,) = (row for row in result.tables["groups"].to_pylist() if row["group"] == "g-rr")
    assert row["state"] == "PreparingRebalance"


@pytest.mark.parametrize("name", ["groups", "topics", "brokers", "subscriptions"])
def test_a_missing_file_is_an_input_error_that_names_it(
    read: Import, tmp_path: Path, name: str
) -> None:
    gone = tmp_path / "gone"
    with pytest.raises(InputError, match=r"gone: No such file or directory; expected \w+"):
        read(**{name: [gone] if name in ("groups", "topics") else gone})


@pytest.mark.parametrize("name", ["groups", "topics", "brokers"])
def test_files_that_were_mixed_up_are_input_errors(
    read: Import, captures: Path, write: Callable[..., Path], name: str
) -> None:
    wrong = captures / ("topics.txt" if name == "groups" else "state.txt")
    with pytest.raises(InputError, match=rf"{wrong.name}: .* expected the text of kafka-"):
        read(**{name: [wrong] if name in ("groups", "topics") else wrong})


def test_the_same_input_gives_the_same_tables_in_any_order_of_files(
    read: Import, captures: Path
) -> None:
    reversed_files = [captures / f"{view}.txt" for view in reversed(VIEWS)]
    assert read(groups=reversed_files) == read()
