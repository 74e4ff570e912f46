"""Rows in batches of Arrow's, which become groups, in as many tasks as a fleet takes."""

from collections.abc import Iterator
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pyspark.sql import SparkSession, functions as F

from spark.groups import encode, tasks_for_rows, workers
from spark.groups.columns import batch_of, rows_of, schema_of
from spark.groups.cut import groups_of
from spark.groups.memory import portions
from spark.groups.rows import Parts, parts_in
from spark.groups.workers import _in_tables
from spark.solve.solved_row import SolvedRow
from tests.support.fleets import Fleet


def test_rows_of_a_batch() -> None:
    batch = pa.RecordBatch.from_pydict({"group": ["a", None], "leader": [1, None]})
    assert [(row.group, row.leader) for row in rows_of(batch)] == [("a", 1), (None, None)]


def test_portions_are_small_or_of_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"claim_topics": [1], "subscription_members": [1]}
    sizes = (np.array([size, -1]) for size in (3, 4, 9, 20, 1, 1))
    rows = [[SimpleNamespace(topic_sizes=of_topics, **one)] for of_topics in sizes]
    monkeypatch.setattr("spark.groups.memory.MAX_ROWS", 12)
    result = [[int(row.topic_sizes[0]) for (row,) in portion] for portion in portions(rows)]
    assert result == [[3, 4], [9], [20], [1, 1]]


FACTS = {"cluster": "east", "status": "ok", "reason": None, "strategy": "optimal", "members": 2}


def test_a_batch_has_what_the_rows_have() -> None:
    """Arrays and tuples are lists there, of the types that the columns have; None is null."""
    planned = SolvedRow(
        **FACTS,
        group="a",
        max_load=3,
        balance_optimal=True,
        seconds=0.5,
        certificate=b"\x01",
        names=np.array(["m0", "gone"], object),
        topics=["t"],
        topic=np.array([0, 0], np.int64),
        target=np.array([1, -1], np.int32),
        action=np.array([4, 1], np.int8),
    )
    without = SolvedRow(**FACTS, group="b")
    batch = batch_of([row.cells() for row in (without, planned, without)], schema_of(SolvedRow))
    batch.validate(full=True)
    assert batch.schema.names == schema_of(SolvedRow).names
    for row, report in zip([without, planned, without], batch.to_pylist(), strict=True):
        lists = {name: cell for name, cell in report.items() if isinstance(cell, list)}
        assert {name: list(getattr(row, name)) for name in lists} == lists
        plan = ["names", "topics", "topic", "partition", "target", "previous", "action"]
        assert [*lists] == ["held_by", "limits", *plan]
        assert all(getattr(row, name) == report[name] for name in report.keys() - lists.keys())


COLUMNS = {
    "member": ["cluster", "group", "member_id"],
    "topic": ["cluster", "group", "topic", "topic_sizes"],
    "subscription": ["cluster", "group", "member_id", "topic"],
    "claim": ["cluster", "group", "member_id", "topic", "partition"],
}
"""Of each part; what a group has beside them is in other tests."""

SLOTS = {part: dict(zip(names, names, strict=True)) for part, names in COLUMNS.items()}

ROWS = [
    *((0, member, None, -1, -1) for member in (b"b", b"a")),
    (1, None, b"t", -1, 2),
    *((2, member, b"t", -1, -1) for member in (b"b", b"a")),
    *((3, b"a", b"t", 1, -1), (3, b"z", b"u", 0, -1)),
]
"""Members b and a, who read t; a claims of it, and z, who left, of u."""


def rows(group: bytes, key: int) -> pa.Table:
    part, member, topic, partition, size = zip(*ROWS, strict=True)
    return pa.table(
        {
            "part": pa.array(part, pa.int8()),
            **{"cluster": [b"c"] * len(ROWS), "group": [group] * len(ROWS)},
            **{"member_id": member, "topic": topic},
            **{"partition": partition, "topic_sizes": size, "key": [key] * len(ROWS)},
        }
    )


def parts(*tables: pa.Table) -> Parts:
    return parts_in(pa.concat_tables(tables), SLOTS)


def test_names_are_the_groups_own_first_and_then_all_others() -> None:
    for row in groups_of(parts(rows(b"h", 1), rows(b"g", 2))):
        assert (row.member_ids.tolist(), row.all_members.tolist()) == (["a", "b"], ["a", "b", "z"])
        assert (row.topics.tolist(), row.all_topics.tolist()) == (["t"], ["t", "u"])
        assert (row.claim_members.tolist(), row.claim_topics.tolist()) == ([0, 2], [0, 1])
        assert row.subscriber_counts.tolist() == [2] and row.topic_sizes.tolist() == [2]


@pytest.mark.parametrize("size", [1, 3, 7, 100])
def test_a_group_is_whole_wherever_a_batch_ends(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("spark.groups.workers.TABLE_ROWS", 8)
    table = pa.concat_tables([rows(name, at) for at, name in enumerate((b"g", b"i", b"h"))])
    batches = table.combine_chunks().to_batches(max_chunksize=size)
    groups = [row for some in _in_tables(SLOTS, batches) for row in some]
    assert sorted(row.group for row in groups) == ["g", "h", "i"]
    assert all(len(row.member_ids) == len(row.claim_members) == 2 for row in groups)


def test_a_group_waits_without_the_columns_of_other_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table has the columns of all parts, of which a row fills those of its own."""
    table = pa.concat_tables([rows(b"g", 1)] * 10_000).combine_chunks()
    before, waiting = pa.total_allocated_bytes(), []
    joined = workers.joined

    def noted(*of: Any) -> Parts:
        waiting.append(pa.total_allocated_bytes() - before)
        return joined(*of)

    monkeypatch.setattr(workers, "joined", noted)
    assert len([*_in_tables(SLOTS, table.to_batches(1000))]) == 1
    assert waiting[0] < table.nbytes * 2 / 3


NUMBER = "spark.sql.shuffle.partitions"


@pytest.fixture
def untold(spark: SparkSession) -> Iterator[None]:
    """As a notebook's session that nobody has told a number."""
    before = spark.conf.get(NUMBER)
    spark.conf.unset(NUMBER)
    yield
    assert spark.conf.get(NUMBER, None) is None
    spark.conf.set(NUMBER, before)


def test_a_number_that_the_session_is_told_holds(spark: SparkSession) -> None:
    assert spark.conf.get(NUMBER) == "1"
    assert tasks_for_rows(spark, lambda: 10**9) == 1


@pytest.mark.usefixtures("untold")
def test_few_for_a_small_fleet_and_never_more_than_by_default(spark: SparkSession) -> None:
    """Spark's own default are 200, of which each starts anew."""
    numbers = {0: 4, 80_000: 4, 80_001: 5, 4_000_000: 200, 10**9: 200}
    assert {rows: tasks_for_rows(spark, lambda rows=rows: rows) for rows in numbers} == numbers


@pytest.mark.usefixtures("untold")
def test_claims_and_subscriptions_count(
    spark: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("spark.groups.encode"), "ROWS_A_TASK", 24)
    fleet = Fleet().topic("t", 2)
    for group in range(40):
        fleet.group(f"g{group}", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
    of_rows = encode(fleet.snapshot(spark)).select(F.spark_partition_id().alias("task")).distinct()
    assert sorted(row.task for row in of_rows.collect()) == [0, 1, 2, 3, 4]
