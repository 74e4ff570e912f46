"""A snapshot's tables as files of a store, whole or not at all."""

from __future__ import annotations

import errno
import threading
from concurrent.futures import ThreadPoolExecutor

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.errors import InputError, RunError
from spark.files import LocalStore
from spark.fleet import TABLES, local_store as store_files
from spark.fleet.local_store import SCHEMAS, table_of, write_store

SNAPSHOT = "20261121T060000Z"


@pytest.fixture
def tables() -> dict[str, pa.Table]:
    return {
        "members": table_of(
            "members", {"cluster": ["c"] * 7, "group": ["g"] * 7, "member_id": list("abcdefg")}
        ),
        "subscriptions": table_of(
            "subscriptions", {name: [] for name in SCHEMAS["subscriptions"].names}
        ),
    }


def read(store, table):
    """A table now in the store, its columns and rows in the order of the files' names."""
    parts = sorted((store / table / f"snapshot={SNAPSHOT}").iterdir())
    return pa.concat_tables(pq.ParquetFile(part).read() for part in parts)


def test_what_is_written_is_read_again(tables, tmp_path):
    write_store(tables, tmp_path / "store", SNAPSHOT)
    for name, table in tables.items():
        assert read(tmp_path / "store", name).equals(table)


def test_a_large_table_is_written_as_several_files_in_its_own_order(tables, tmp_path, monkeypatch):
    monkeypatch.setattr(store_files, "ROWS_A_FILE", 3)
    write_store(tables, tmp_path, SNAPSHOT)
    parts = sorted(part.name for part in tmp_path.glob("members/*/*"))
    assert [part[:11] for part in parts] == ["part-00000-", "part-00001-", "part-00002-"]
    assert read(tmp_path, "members").equals(tables["members"])


def test_columns_that_are_not_given_are_null(tables):
    assert tables["members"]["rack"].null_count == 7
    assert tables["members"].schema == SCHEMAS["members"]


def test_a_write_that_fails_leaves_nothing_behind(tables, tmp_path, monkeypatch):
    def fail_at_subscriptions(table, path, **options):
        if "subscriptions" in str(path):
            raise OSError(errno.ENOSPC, "no space left")
        path.touch()

    monkeypatch.setattr(store_files.pq, "write_table", fail_at_subscriptions)
    with pytest.raises(RunError, match="no space left: what was there is unchanged"):
        write_store(tables, tmp_path, SNAPSHOT)
    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_that_is_there_stays_as_it_is(tables, tmp_path):
    write_store(tables, tmp_path, SNAPSHOT)
    fewer = {name: table.slice(0, 0) for name, table in tables.items()}
    with pytest.raises(InputError, match="is there already"):
        write_store(fewer, tmp_path, SNAPSHOT)
    assert read(tmp_path, "members").equals(tables["members"])


@pytest.fixture
def whole(tables) -> dict[str, pa.Table]:
    """All required tables of a cluster; some have no rows."""
    empty = {name: [] for name in ("cluster",)}
    others = ("partitions", "assignments")
    return tables | {name: table_of(name, empty) for name in others}


def of_cluster(tables, cluster):
    """The same rows in another cluster."""
    return {
        name: table.set_column(
            0, table.schema.field(0), pa.array([cluster] * len(table), pa.string())
        )
        for name, table in tables.items()
    }


def test_a_further_cluster_comes_beside_those_that_are_there(whole, tmp_path):
    write_store(whole, tmp_path, SNAPSHOT)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*.parquet")}
    write_store(of_cluster(whole, "d"), tmp_path, SNAPSHOT)
    added = {*tmp_path.rglob("*.parquet")} - before.keys()
    assert [path.parts[-3] for path in added] == ["members"]  # other tables have no rows
    assert all(path.read_bytes() == content for path, content in before.items())
    clusters = sorted(read(tmp_path, "members")["cluster"].to_pylist())
    assert clusters == ["c"] * 7 + ["d"] * 7
    with pytest.raises(InputError, match=r"remove that snapshot, which has 1 cluster \(d\)"):
        write_store(of_cluster(whole, "d"), tmp_path, SNAPSHOT)
    assert not list(tmp_path.glob(".evenfleet/runs/*"))


def test_clusters_that_are_written_at_once_come_beside_each_other(whole, tmp_path, monkeypatch):
    """Each run has begun before any of them ends."""
    begun = threading.Barrier(4)
    write = store_files._write_parts

    def waiting(table, folder, run):
        if "members" in str(folder) and table["cluster"][0].as_py() in first:
            first.remove(table["cluster"][0].as_py())
            begun.wait(30)
        write(table, folder, run)

    first = {*"abcd"}
    monkeypatch.setattr(store_files, "_write_parts", waiting)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda c: write_store(of_cluster(whole, c), tmp_path, SNAPSHOT), "abcd"))
    assert sorted(read(tmp_path, "members")["cluster"].to_pylist()) == sorted([*"abcd"] * 7)
    place = LocalStore(tmp_path)
    assert place.broken(SNAPSHOT, TABLES) is None
    assert len(place.manifest(SNAPSHOT).tables["members"]) == 4
    assert not list(tmp_path.glob(".evenfleet/runs/*"))


def test_no_cluster_is_added_to_a_snapshot_that_is_not_whole(whole, tmp_path):
    """It would look whole, with half a cluster in it."""
    write_store({"members": whole["members"]}, tmp_path, SNAPSHOT)
    with pytest.raises(InputError, match="which isn't whole"):
        write_store(of_cluster(whole, "d"), tmp_path, SNAPSHOT)
    assert [path.name for path in tmp_path.glob("[!.]*")] == ["members"]


def test_a_cluster_whose_name_is_not_utf8_is_a_cluster(whole, tmp_path):
    odd = pa.array([b"caf\xe9"] * 7, pa.binary()).cast(pa.string(), safe=False)
    members = whole["members"].set_column(0, SCHEMAS["members"].field("cluster"), odd)
    write_store(whole | {"members": members}, tmp_path, SNAPSHOT)
    write_store(whole, tmp_path, SNAPSHOT)
    with pytest.raises(InputError, match=r"which has 1 cluster \(caf\\xe9\)"):
        write_store({"members": members}, tmp_path, SNAPSHOT)


def test_no_cluster_is_added_to_tables_of_other_columns(whole, tmp_path):
    """Spark takes the columns of a table from any of its files."""
    older = whole | {"members": whole["members"].drop_columns(["capacity"])}
    write_store(older, tmp_path, SNAPSHOT)
    with pytest.raises(InputError, match="has other columns than are written now"):
        write_store(of_cluster(whole, "d"), tmp_path, SNAPSHOT)


def test_adding_that_fails_leaves_the_snapshot_as_it_was(whole, tmp_path, monkeypatch):
    write_store(whole, tmp_path, SNAPSHOT)
    before = sorted(tmp_path.rglob("*"))
    further = of_cluster(whole, "d")
    further["partitions"] = table_of(
        "partitions", {"cluster": ["d"], "topic": ["t"], "partition": [0]}
    )

    def fail(path, run, statistics):
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr("spark.files.local_run.written_file", fail)
    with pytest.raises(RunError, match="no space left"):
        write_store(further, tmp_path, SNAPSHOT)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_store_holds_many_snapshots(tables, tmp_path):
    write_store(tables, tmp_path, SNAPSHOT)
    write_store(tables, tmp_path, "20261122T060000Z")
    assert sorted(path.name for path in tmp_path.glob("[!.]*")) == ["members", "subscriptions"]
    assert len(list(tmp_path.glob("members/*"))) == 2
