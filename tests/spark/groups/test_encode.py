"""From tables to encoded rows: what the worker can't see for itself."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from pyspark.sql import SparkSession

from spark.groups.encode import encode
from spark.groups.group import FleetGroup, read_group
from tests.support.fleets import Fleet

HEX = "0123456789abcdef0123456789abcdef"
BASE64 = "ASNFZ4mrze8BI0VniavN7w"
"""The same id as Kafka prints it."""
DASHES = "01234567-89AB-CDEF-0123-456789ABCDEF"
OTHER = "ffffffffffffffffffffffffffffffff"

SHARED = "has a topic id that another topic has too"
NO_ID = "has a topic id that is neither 32 hex digits nor Kafka's 22 characters"


class Case:
    """Group NAME in cluster NAME reads topic t; `ids` of its partitions, `other` is topic u's."""

    def __init__(self, ids: Sequence[str | None], fault: str | None, other: str | None = None):
        self.ids, self.fault, self.other = ids, fault, other


CASES = {
    "no id": Case([None, None], None),
    "an id in hex": Case([HEX, HEX], None, OTHER),
    "an id in some rows": Case([None, HEX], None, OTHER),
    "one id spelt in three ways": Case([HEX, BASE64, DASHES], None),
    "two ids": Case([HEX, OTHER], "has two topic ids"),
    "an id that another topic has": Case([HEX, HEX], SHARED, HEX),
    "an id that another topic has, spelt differently": Case([HEX, HEX], SHARED, BASE64),
    "a bad id": Case([HEX[:-1], HEX[:-1]], NO_ID),
    "a bad id among good ones": Case([HEX, "?" * 22], NO_ID),
    "an empty id": Case([""], NO_ID),
    "an id of another topic only": Case([None], None, HEX),
}

RACKED = "racks"


def fleet() -> Fleet:
    made = Fleet()
    for name, case in CASES.items():
        for number, topic_id in enumerate(case.ids):
            made.add("partitions", cluster=name, topic="t", partition=number, topic_id=topic_id)
        made.add("partitions", cluster=name, topic="u", partition=0, topic_id=case.other)
        made.group(name, {"a": ["t"]}, cluster=name)
    # the topic that nobody reads any more comes before the others, one topic knows no racks
    racks = {
        ("t", 0): ("b", ["b", "a"]),
        ("t", 1): (None, ["a", "b"]),
        ("t", 2): ("a", ["a", None]),
        ("t", 3): ("a", None),
        ("t", 4): (None, None),
        ("v", 0): ("b", ["b", "a"]),
        ("old", 0): ("z", ["z"]),
    }
    for (topic, number), (leader, replicas) in racks.items():
        facts = {"leader_rack": leader, "replica_racks": replicas}
        made.add("partitions", cluster=RACKED, topic=topic, partition=number, **facts)
    made.topic("u", 2, cluster=RACKED)
    members = {"a": ["t", "u"], "b": ["v", "u"]}
    return made.group(RACKED, members, [("old", 0, "a")], cluster=RACKED)


@pytest.fixture(scope="module")
def groups(spark: SparkSession) -> dict[str, FleetGroup]:
    rows = encode(fleet().snapshot(spark), racks=True).toPandas().itertuples(index=False)
    return {row.group: read_group(row) for row in rows}


@pytest.mark.parametrize("name", CASES)
def test_a_bad_topic_id_is_a_fault_of_the_topic(groups: dict[str, FleetGroup], name: str) -> None:
    group, case = groups[name], CASES[name]
    if case.fault:
        assert (group.status, group.reason) == ("invalid", f"topic 't' {case.fault}")
    else:
        assert (group.status, group.reason) == ("ok", None)


def test_an_id_comes_as_hex_however_it_is_spelt(groups: dict[str, FleetGroup]) -> None:
    wanted = {
        "no id": None,
        "an id in hex": HEX,
        "an id in some rows": HEX,
        "one id spelt in three ways": HEX,
        "an id of another topic only": None,
    }
    for name, topic_id in wanted.items():
        problem = groups[name].problem
        assert problem is not None
        assert problem.kafka.topic_ids == [topic_id and topic_id.upper()]


def test_each_partition_has_the_racks_of_its_leader_and_replicas(
    groups: dict[str, FleetGroup],
) -> None:
    """Racks of replicas in any order, without those that aren't known."""
    problem = groups[RACKED].problem
    assert problem is not None
    assert problem.topics == ["old", "t", "u", "v"]
    both = ("a", "b")
    assert problem.leader_racks == [None, "b", None, "a", "a", None, None, None, "b"]
    assert problem.replica_racks == [(), both, both, ("a",), (), (), (), (), both]


def test_racks_come_only_if_they_are_asked_for(spark: SparkSession) -> None:
    columns = encode(fleet().snapshot(spark)).columns
    assert not [column for column in columns if column.startswith("place_")]
