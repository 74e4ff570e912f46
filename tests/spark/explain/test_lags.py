"""How far a group is behind, by partition, and which partitions stand still."""

from pathlib import Path

import pyarrow.parquet as pq
from pyspark.sql import SparkSession

from spark.explain import lags_of, stalled_in
from spark.fleet import FleetFiles, FleetSnapshot, write_store
from tests.support.fleets import SNAPSHOT, Fleet

BEFORE = "20261121T050000Z"


def fleet(*offsets: tuple[int, int, int]) -> Fleet:
    fleet = Fleet().topic("t", 4).group("g", {"a": ["t"]}, [("t", p, "a") for p in range(3)])
    for number, committed, lag in offsets:
        cells = {"topic": "t", "partition": number, "committed_offset": committed, "lag": lag}
        fleet.add("offsets", group="g", **cells).add("offsets", group="other", **cells)
    return fleet


def test_what_stands_still_while_records_come_in(spark: SparkSession, tmp_path: Path) -> None:
    now = fleet((0, 10, 7), (1, 20, 2), (2, 30, 0), (3, 5, 9))
    write_store(fleet((0, 10, 4), (1, 15, 2)).tables(), tmp_path, BEFORE)
    write_store(now.tables(), tmp_path, SNAPSHOT)
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
