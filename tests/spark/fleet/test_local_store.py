"""A snapshot's tables as files of a store, whole or not at all."""

import errno
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from spark.errors import InputError, RunError
from spark.fleet import TABLES, local_store as store_files
from spark.fleet.local_store import SCHEMAS, table_of, write_store
from spark.store import File, Folder, Run
from tests.spark.fleet.test_compaction import content, files
from tests.support.fleets import SNAPSHOT, Fleet, odd


def members_of(cluster: str) -> dict[str, pa.Table]:
    """All required tables of a cluster with seven members; the others have no rows."""
    return Fleet().group("g", dict.fromkeys("abcdefg", ()), cluster=cluster).tables("groups")


def keep(store: Path, cluster: str = "c") -> None:
    write_store(members_of(cluster), store, SNAPSHOT)


def clusters(store: Path) -> list[str]:
    return sorted(content(store)["members"]["cluster"].to_pylist())


def test_columns_that_are_not_given_are_null() -> None:
    keys = {name: ["a", "b"] for name in ("cluster", "group", "member_id")}
    table = table_of("members", keys)
    assert table["rack"].null_count == 2
    assert table.schema == SCHEMAS["members"]


def test_a_large_table_is_written_as_several_files_in_its_own_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store_files, "ROWS_A_FILE", 3)
    keep(tmp_path)
    parts = [part.name[:11] for part in files(tmp_path, "members")]
    assert parts == ["part-00000-", "part-00001-", "part-00002-"]
    assert content(tmp_path) == members_of("c")


def test_a_further_cluster_comes_beside_those_that_are_there(tmp_path: Path) -> None:
    keep(tmp_path)
    before = {path: path.read_bytes() for path in files(tmp_path)}
    keep(tmp_path, "d")
    added = {*files(tmp_path)} - before.keys()
    assert [path.parts[-3] for path in added] == ["members"]  # other tables have no rows
    with pytest.raises(InputError, match=r"is there already.*, which has 1 cluster \(d\)"):
        keep(tmp_path, "d")
    assert all(path.read_bytes() == content for path, content in before.items())
    assert clusters(tmp_path) == ["c"] * 7 + ["d"] * 7
    assert not list(tmp_path.glob(".evenfleet/runs/*"))


def test_clusters_that_are_written_at_once_come_beside_each_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each run has begun before any of them ends."""
    begun, first = threading.Barrier(4), {*"abcd"}
    write = store_files._write_parts

    def waiting(table: pa.Table, run: Run, name: str) -> list[File]:
        if name == "members" and (cluster := table["cluster"][0].as_py()) in first:
            first.remove(cluster)
            begun.wait(30)
        return write(table, run, name)

    monkeypatch.setattr(store_files, "_write_parts", waiting)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda cluster: keep(tmp_path, cluster), "abcd"))
    assert clusters(tmp_path) == sorted([*"abcd"] * 7)
    place = Folder(tmp_path)
    assert place.broken(SNAPSHOT, TABLES) is None
    assert len(place.manifest(SNAPSHOT).tables["members"]) == 4
    assert not list(tmp_path.glob(".evenfleet/runs/*"))


def test_no_cluster_is_added_to_a_snapshot_that_is_not_whole(tmp_path: Path) -> None:
    """It would look whole, with half a cluster in it."""
    write_store({"members": members_of("c")["members"]}, tmp_path, SNAPSHOT)
    with pytest.raises(InputError, match="which isn't whole"):
        keep(tmp_path, "d")
    assert [path.name for path in tmp_path.glob("[!.]*")] == ["members"]


def test_a_cluster_whose_name_is_not_utf8_is_a_cluster(tmp_path: Path) -> None:
    for cluster in (odd(b"caf\xe9"), "c"):
        keep(tmp_path, cluster)
    with pytest.raises(InputError, match=r"which has 1 cluster \(caf\\xe9\)"):
        keep(tmp_path, odd(b"caf\xe9"))


def test_no_cluster_is_added_to_tables_of_other_columns(tmp_path: Path) -> None:
    """Spark takes the columns of a table from any of its files."""
    tables = members_of("c")
    older = tables | {"members": tables["members"].drop_columns(["capacity"])}
    write_store(older, tmp_path, SNAPSHOT)
    with pytest.raises(InputError, match="has other columns than are written now"):
        keep(tmp_path, "d")


@pytest.mark.parametrize("there", [[], ["c"]])
def test_a_write_that_fails_leaves_all_as_it_was(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, there: list[str]
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    store = tmp_path / "deep" / "store"
    for cluster in there:
        keep(store, cluster)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.setattr("spark.store.commit.write_file", fail)
    with pytest.raises(RunError, match="no space left, free some: what was there is unchanged"):
        keep(store, "d")
    assert sorted(tmp_path.rglob("*")) == before
