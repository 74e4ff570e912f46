"""What is told of a group's partitions: who reads them, and which stand still."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark.explain import explain_rows, lags_of, stalled_in
from spark.fleet import FleetFiles, FleetSnapshot
from spark.groups import read_or_failed
from spark.settings import Copartitioned, FleetGoals
from spark.solve.homogeneous import plan_homogeneous
from tests.support.fleets import Fleet
from tests.support.rows import rows_of, solved

BESIDE = (("other", 0, "z"),)
"""A claim in another group of the cluster."""


@pytest.mark.parametrize(
    ("state", "claims", "beside", "unread", "given"),
    [
        ("Stable", [("t", 0, "a"), ("t", 1, "b"), ("t", 2, "b")], (), 0, 0),
        ("Stable", [("t", 1, "b")], (), 2, 2),
        (None, [("t", 1, "b")], (), 2, 2),
        # whom somebody claims, though in vain, is another trouble
        ("Stable", [("t", 0, "gone"), ("t", 1, "a"), ("t", 1, "b")], (), 1, 3),
        # nothing tells who owns what
        ("Stable", [], (), None, 3),
        *((state, [], BESIDE, None, 3) for state in (None, "Empty")),
        ("Stable", [], BESIDE, 3, 3),
    ],
)
def test_partitions_that_nobody_reads(
    state: str | None, claims: Any, beside: Any, unread: int | None, given: int
) -> None:
    fleet = Fleet().topic("t", 3).topic("nobody reads it", 2).topic("other", 1)
    fleet.group("g", {"a": ["t"], "b": ["t"]}, claims, state=state)
    fleet.group("h", {"z": ["other"]}, beside, state="Stable")
    row = rows_of(fleet, "g")
    assert (read_or_failed(row).unread, solved(row).unread) == (unread, unread)
    at_once = plan_homogeneous({0: (row, read_or_failed(row))}, "optimal")
    assert [item.unread for item in at_once.values()] in ([unread], [])
    (explained,) = explain_rows([row])
    assert explained.unread == unread
    taken = [row for row in explained.changes if not row["from"].startswith(("a (", "b ("))]
    assert len(taken) == given


def test_copartitioned_topics_stay_together() -> None:
    """In the plan that a group is advised, whose topics an assignor would part."""
    topics = {"a": ["t", "u"], "b": ["t", "u"], "c": ["t", "u"]}
    fleet = Fleet().topic("t", 3).topic("u", 3)
    fleet.group("g", topics, [("t", p, "a") for p in range(3)] + [("u", p, "b") for p in range(3)])
    goals = FleetGoals(joined=(Copartitioned(("t", "u", "no other")),))
    (apart,), (joined,) = (explain_rows([rows_of(fleet)], of) for of in (FleetGoals(), goals))
    assert apart.advised.advice_strategy == "cooperative-sticky"
    assert str(joined.advised.advice).startswith("It breaks a limit")
    counts = {(member, topic): planned for member, topic, _, planned in joined.by_topic}
    assert {counts.get((m, "t"), 0) - counts.get((m, "u"), 0) for m in topics} == {0}


def test_who_gets_them_is_said() -> None:
    fleet = Fleet().topic("t", 3).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a")])
    (explained,) = explain_rows([rows_of(fleet)])
    assert [tuple(row.values()) for row in explained.changes] == [
        ("t-1", "nobody", "a (1 → 2)"),
        ("t-2", "nobody", "b (0 → 1)"),
    ]


BEFORE = "20261121T050000Z"


def fleet(*offsets: tuple[int, int, int]) -> Fleet:
    fleet = Fleet().topic("t", 4).group("g", {"a": ["t"]}, [("t", p, "a") for p in range(3)])
    for number, committed, lag in offsets:
        cells = {"topic": "t", "partition": number, "committed_offset": committed, "lag": lag}
        fleet.add("offsets", group="g", **cells).add("offsets", group="other", **cells)
    return fleet


def test_what_stands_still_while_records_come_in(spark: SparkSession, tmp_path: Path) -> None:
    now = fleet((0, 10, 7), (1, 20, 2), (2, 30, 0), (3, 5, 9))
    fleet((0, 10, 4), (1, 15, 2)).store(tmp_path, BEFORE)
    now.store(tmp_path)
    files = FleetFiles.read(str(tmp_path))
    before = files.before()
    assert [before and before.id, before and before.before()] == [BEFORE, None]
    rows = lags_of(files, before, "c", "g")
    assert [tuple(row.values()) for row in rows] == [
        ("t-3", None, 5, 9, None, None),
        ("t-0", "a", 10, 7, 0, 3),
        ("t-1", "a", 20, 2, 5, 5),
    ]
    assert [row["partition"] for row in stalled_in(rows)] == ["t-0"]
    by_spark = FleetSnapshot.read(spark, str(tmp_path))
    assert lags_of(by_spark, by_spark.before(), "c", "g") == rows
    # without the one before nothing is known to stand still, nor where it can't be read
    for file in tmp_path.glob(f"offsets/snapshot={BEFORE}/*.parquet"):
        pq.write_table(pq.read_table(file).select(["topic"]), file)
    for unknown in (None, before):
        assert stalled_in(lags_of(files, unknown, "c", "g")) == []
