"""A snapshot's tables as files of a store, whole or not at all."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.errors import InputError
from spark.fleet import local_store as store_files
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
    """A table as found in the store, its columns and rows in the order of the files' names."""
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
    assert parts == ["part-00000.parquet", "part-00001.parquet", "part-00002.parquet"]
    assert read(tmp_path, "members").equals(tables["members"])


def test_columns_that_are_not_given_are_null(tables):
    assert tables["members"]["rack"].null_count == 7
    assert tables["members"].schema == SCHEMAS["members"]


def test_a_write_that_fails_leaves_nothing_behind(tables, tmp_path, monkeypatch):
    def fail_at_subscriptions(table, path):
        if "subscriptions" in str(path):
            raise OSError("no space left")
        path.touch()

    monkeypatch.setattr(store_files.pq, "write_table", fail_at_subscriptions)
    with pytest.raises(OSError, match="no space left"):
        write_store(tables, tmp_path, SNAPSHOT)
    assert list(tmp_path.iterdir()) == []


def test_a_snapshot_that_is_there_stays_as_it_is(tables, tmp_path):
    write_store(tables, tmp_path, SNAPSHOT)
    fewer = {name: table.slice(0, 0) for name, table in tables.items()}
    with pytest.raises(InputError, match="is there already"):
        write_store(fewer, tmp_path, SNAPSHOT)
    assert read(tmp_path, "members").equals(tables["members"])


def test_a_store_holds_many_snapshots_and_nothing_hidden(tables, tmp_path):
    write_store(tables, tmp_path, SNAPSHOT)
    write_store(tables, tmp_path, "20261122T060000Z")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["members", "subscriptions"]
    assert len(list(tmp_path.glob("members/*"))) == 2
