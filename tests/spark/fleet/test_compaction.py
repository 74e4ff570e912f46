"""Many small files of a snapshot that become few."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot
from spark.errors import RunError, UnreadableError
from spark.fleet import (
    TABLES,
    Scattered,
    clusters_in,
    compaction,
    contents_of,
    scattered_in,
    snapshots,
)
from spark.fleet.compaction import compact
from spark.store import Folder, Run
from tests.spark.fleet.test_clusters import fleet_of, keep
from tests.spark.store.killed_at_each_step import running_run
from tests.support.fleets import SNAPSHOT, odd

CLUSTERS = ("a", "b", "c")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A snapshot to which clusters were added one by one: a file of each table for each."""
    for cluster in CLUSTERS:
        keep(tmp_path, SNAPSHOT, cluster)
    return tmp_path


def files(store: Path, table: str = "*") -> list[Path]:
    return sorted(store.glob(f"{table}/snapshot={SNAPSHOT}/*.parquet"))


def content(store: Path) -> dict[str, pa.Table]:
    """The rows of each table, in the order of the names of its files."""
    return {
        table: pa.concat_tables(pq.ParquetFile(path).read() for path in files(store, table))
        for table in TABLES
        if files(store, table)
    }


def gather(store: Path) -> list[Scattered]:
    place = Folder(store)
    result, left = scattered_in(place)
    assert left == {}
    for item in result:
        compact(place, item)
    return result


def test_each_table_becomes_one_file_with_the_same_rows(store: Path) -> None:
    before, report = content(store), contents_of(Folder(store), [SNAPSHOT])
    (item,) = gather(store)
    tables = {path.parts[-3] for path in files(store)}
    assert (item.files, item.fewer) == (3 * len(tables), len(tables))
    assert len(files(store)) == len(tables)
    after = content(store)
    assert all(after[table].equals(rows) for table, rows in before.items())
    place = Folder(store)
    assert snapshots(place, "") == [SNAPSHOT]
    assert contents_of(place, [SNAPSHOT]) == report
    assert clusters_in(place, "", [SNAPSHOT]) == {SNAPSHOT: [*CLUSTERS]}
    assert place.broken(SNAPSHOT, TABLES) is None
    assert all(place.parts(table, SNAPSHOT) for table in tables)  # their checksums are right
    assert gather(store) == []


def test_clusters_can_be_added_as_before(store: Path) -> None:
    gather(store)
    keep(store, SNAPSHOT, "d")
    assert len(files(store, "members")) == 2
    gather(store)
    assert clusters_in(Folder(store), "", [SNAPSHOT]) == {SNAPSHOT: [*CLUSTERS, "d"]}


def test_what_spark_has_written(spark: SparkSession, tmp_path: Path) -> None:
    fleet = fleet_of(*CLUSTERS).snapshot(spark)
    tables = {name: rows.repartition(3) for name, rows in fleet.tables.items()}
    FleetSnapshot.of(snapshot=SNAPSHOT, **tables).write(str(tmp_path))
    assert len(files(tmp_path, "partitions")) > 1
    before = content(tmp_path)
    assert gather(tmp_path)
    assert len(files(tmp_path, "partitions")) == 1
    assert content(tmp_path) == before
    FleetSnapshot.read(spark, str(tmp_path)).validate()


def test_a_large_table_stays_as_several_files(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = content(store)
    monkeypatch.setattr(compaction, "ROWS_A_FILE", 4)
    gather(store)
    parts = [pq.ParquetFile(path).metadata.num_rows for path in files(store, "partitions")]
    assert parts == [4, 2]
    assert content(store)["partitions"].equals(before["partitions"])
    assert gather(store) == []


def test_names_that_are_no_utf_8_and_nulls_stay(tmp_path: Path) -> None:
    for cluster in "ab":
        fleet = fleet_of(cluster)
        fleet.rows["partitions"][0]["topic_id"] = odd(b"caf\xe9")
        fleet.store(tmp_path)
    gather(tmp_path)
    result = content(tmp_path)["partitions"]["topic_id"].cast(pa.binary()).to_pylist()
    assert result == [b"caf\xe9", None, b"caf\xe9", None]


def test_what_cannot_become_one_is_named_and_stays(store: Path) -> None:
    rows = pq.ParquetFile(files(store, "members")[0]).read()
    (store / ".evenfleet/manifests" / f"snapshot={SNAPSHOT}" / "000003.json").unlink()
    for path in files(store, "members"):
        pq.write_table(rows.append_column("x", pa.array([1] * len(rows))), path)
    first, *_ = files(store, "partitions")
    there = pq.ParquetFile(first).read()
    longs = there.set_column(2, "partition", pc.cast(there["partition"], pa.int64()))
    pq.write_table(longs, first)
    result, left = scattered_in(Folder(store))
    assert left == {
        SNAPSHOT: "members has columns of another program, x first; the files of partitions don't "
        "have the same columns"
    }
    assert set(result[0].tables) == {"groups", "subscriptions", "assignments"}


def test_what_is_not_whole_or_is_being_written_stays(store: Path) -> None:
    written = "it is being written, or its writing was cut short"
    with running_run(store, f"members/snapshot={SNAPSHOT}"):
        assert scattered_in(Folder(store)) == ([], {SNAPSHOT: written})
    files(store, "members")[0].unlink()
    result, left = scattered_in(Folder(store))
    assert result == []
    assert left[SNAPSHOT].endswith("is missing")


def test_a_broken_file_is_not_written_anew(store: Path) -> None:
    result, _ = scattered_in(Folder(store))
    path = files(store, "members")[0]
    path.write_bytes(path.read_bytes()[:-20] + bytes(20))
    before = {path: path.read_bytes() for path in store.rglob("*.parquet")}
    with pytest.raises(UnreadableError, match="its bytes aren't those that were written"):
        compact(Folder(store), result[0])
    assert before == {path: path.read_bytes() for path in store.rglob("*.parquet")}


def test_of_two_who_write_one_is_told(store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    result, _ = scattered_in(Folder(store))
    commit = Run.commit

    def late(run: Run, *arguments: object, **options: object) -> None:
        monkeypatch.setattr(Run, "commit", commit)
        keep(store, SNAPSHOT, "d")
        commit(run, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(Run, "commit", late)
    with pytest.raises(RunError, match="another run wrote snapshot"):
        compact(Folder(store), result[0])
    assert clusters_in(Folder(store), "", [SNAPSHOT]) == {SNAPSHOT: [*CLUSTERS, "d"]}
    assert snapshots(Folder(store), "") == [SNAPSHOT]


def test_a_mark_of_hadoop_stays(store: Path) -> None:
    mark = store / "members" / f"snapshot={SNAPSHOT}" / "_SUCCESS"
    mark.touch()
    gather(store)
    assert mark.exists()
    assert not (store / "groups" / f"snapshot={SNAPSHOT}" / "_SUCCESS").exists()
