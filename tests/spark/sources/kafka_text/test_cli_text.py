from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark.fleet import SourceTables
from spark.fleet.schemas import TABLES
from spark.sources.kafka_text.cli_text import read_cli_text

BROKERS = "".join(
    f"127.0.0.1:290{n} (id: {n} rack: rack-{n} isFenced: false) -> (\n)\n" for n in "123"
)
VIEWS = ("members_verbose", "offsets_plain", "state_verbose", "list_state")

ROW_COUNTS = {
    **{"groups": 10, "members": 23, "subscriptions": 38, "partitions": 17},
    **{"assignments": 62, "offsets": 66, "brokers": 3, "configs": 7},
}
GROUP = {"cluster": "blue", "group": "g848-idle"}
OWNER = {"member_id": "ZFw6URctRGyN1jxF5j3SwQ"}
ROWS: dict[str, dict[str, Any]] = {
    "groups": {
        **GROUP,
        **{"state": "Stable", "strategy": "range", "generation": 3},
        **{"subscriptions_inferred": True, "type": "consumer", "coordinator": 1},
        "hidden_topics": None,
    },
    "members": {
        **(GROUP | OWNER),
        **{"instance_id": None, "client_id": "ni0", "host": "/127.0.0.1"},
        **{"rack": None, "generation": 3, "capacity": None},
    },
    "subscriptions": {**GROUP, **OWNER, "topic": "one"},
    "assignments": {**GROUP, "topic": "one", "partition": 0, **OWNER, "generation": 3},
    "offsets": {
        **{**GROUP, "topic": "one", "partition": 0},
        **{"committed_offset": None, "end_offset": 0, "lag": None, "start_offset": None},
    },
    "partitions": {
        **{"cluster": "blue", "topic": "t.a-b_c", "partition": 1},
        **{"topic_id": "U_j-uXWFQMKvHsBvNDOrBg", "leader": 2, "replicas": [2, 3, 1]},
        **{"isr": [2, 3, 1], "leader_rack": "rack-2"},
        **{"replica_racks": ["rack-2", "rack-3", "rack-1"], "weight": None},
        **{"adding_replicas": None, "removing_replicas": None, "min_insync_replicas": 1},
    },
    "brokers": {
        **{"cluster": "blue", "broker": 1, "host": "127.0.0.1", "port": 2901},
        "rack": "rack-1",
    },
    "configs": {
        **{"cluster": "blue", "scope": "topic", "name": "t.a-b_c"},
        **{"key": "min.insync.replicas", "value": "1"},
    },
}
"""A row of each table: of a group, a topic's second partition and a broker."""

Import = Callable[..., SourceTables]
Write = Callable[..., Path]


@pytest.fixture
def read(captures: Path, write: Write) -> Import:
    """Reads the captures of the real cluster, with whatever else the test gives."""

    def read(**given: object) -> SourceTables:
        inputs: dict[str, object] = {
            "groups": [captures / f"{view}.txt" for view in VIEWS],
            "topics": [captures / "topics.txt"],
            "brokers": [write("brokers.txt", BROKERS)],
        }
        return read_cli_text("blue", **(inputs | given))  # type: ignore[arg-type]

    return read


def test_nothing_of_the_real_captures_is_lost_noted_or_twice(read: Import) -> None:
    result = read()
    assert (result.notes, result.left_out) == ([], [])
    assert {name: len(table) for name, table in result.tables.items()} == ROW_COUNTS
    for name, table in result.tables.items():
        rows = table.to_pylist()
        assert ROWS[name] in rows
        assert table.column_names == [*ROWS[name]]
        required = [column.name for column in TABLES[name].columns if column.required]
        keys = [tuple(row[column] for column in required) for row in rows]
        assert keys == sorted(set(keys))
        assert not any(value is None for key in keys for value in key)


def test_without_a_brokers_file_racks_are_unknown(read: Import, write: Write) -> None:
    tables = read(brokers=[]).tables
    assert "brokers" not in tables
    assert {(p["leader_rack"], p["replica_racks"]) for p in tables["partitions"].to_pylist()} == {
        (None, None)
    }
    (note,) = read(brokers=[write("b.txt", BROKERS.partition(")\n")[0])]).notes
    assert note.startswith("2 brokers (2, 3) of the replicas without a line")


def test_settings_of_a_file_of_their_own_reach_the_partitions(read: Import, write: Write) -> None:
    """They count before those that the list of topics tells."""
    setting = "  min.insync.replicas=2 sensitive=false synonyms={}"
    text = f"Dynamic configs for topic t.a-b_c are:\n{setting}\n"
    tables = read(configs=[write("configs.txt", text)]).tables
    rows = [row for row in tables["configs"].to_pylist() if row["name"] == "t.a-b_c"]
    assert [(row["key"], row["value"]) for row in rows] == [("min.insync.replicas", "2")]
    partitions = [row for row in tables["partitions"].to_pylist() if row["topic"] == "t.a-b_c"]
    assert {row["min_insync_replicas"] for row in partitions} == {2}


def subscriptions(result: SourceTables, group: str) -> list[set[str]]:
    """The topics of each member of a group, by its id."""
    outcome: dict[str, set[str]] = {}
    for row in result.tables["subscriptions"].to_pylist():
        if row["group"] == group:
            outcome.setdefault(row["member_id"], set()).add(row["topic"])
    return [*outcome.values()]


def not_inferred(result: SourceTables) -> list[str]:
    rows = result.tables["groups"].to_pylist()
    return [row["group"] for row in rows if not row["subscriptions_inferred"]]


def test_subscriptions_are_inferred_where_a_group_has_members_and_no_row_in_the_file(
    read: Import, write: Write
) -> None:
    both = {"orders", "t.a-b_c"}
    result, owned = read(), read(infer="owned")
    assert not_inferred(result) == not_inferred(owned) == ["g-empty"]
    assert subscriptions(result, "g-range") == [both] * 3
    assert subscriptions(owned, "g-range") == [both, {"t.a-b_c"}, both]
    path = write("s.csv", "group,client_id,topic\ng-rr,rr0,orders\ng-rr,rr1,one\n")
    result = read(subscriptions=path)
    assert subscriptions(result, "g-rr") == [{"orders"}, {"one"}]
    assert not_inferred(result) == ["g-empty", "g-rr"]


def test_faults_of_every_file_are_reported_together(
    read: Import, captures: Path, write: Write
) -> None:
    result = read(
        groups=[write("g.txt", (captures / "members_verbose.txt").read_text() + "what 1\n")],
        topics=[write("t.txt", (captures / "topics.txt").read_text() + "what 2\n")],
        brokers=[write("b.txt", BROKERS + "what 3\n")],
        subscriptions=write("s.csv", "group,client_id,topic\nwhat,4,five\n"),
    )
    places = [Path(line.split(": ")[0]).name for line in result.left_out]
    assert places == ["g.txt:44", "t.txt:22", "b.txt:7", "s.csv:2"]


def test_topics_that_are_owned_and_not_described_are_noted(read: Import, write: Write) -> None:
    topic = "Topic: orders\tPartitionCount: 1\tReplicationFactor: 1\tConfigs: \n"
    partition = "\tTopic: orders\tPartition: 0\tLeader: 1\tReplicas: 1\tIsr: 1\n"
    (note,) = read(topics=[write("t.txt", topic + partition)]).notes
    assert note.startswith("The topics described lack 2 topics (one, t.a-b_c) with subscribers: ")
