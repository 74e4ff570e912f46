"""What this machine's own folders, Arrow's file systems and Spark's tell of a store is the same."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetFiles, InputError, explain_group
from spark.errors import UnreadableError
from spark.files import (
    DirectStore,
    LocalStore,
    NeedsSparkError,
    TableStore,
    direct_store,
    table_store_of,
)
from spark.files.arrow_store import ArrowStore
from spark.fleet import clusters_in, contents_of
from spark.fleet.local_store import write_store
from spark.fleet.store import states_of
from tests.spark.conftest import Settings
from tests.support.fleets import SNAPSHOT
from tests.support.odd_bytes import write_odd_store
from tests.support.odd_groups import odd_groups
from tests.support.said import Run
from tests.support.small import small

EARLIER, BROKEN, WRITING = (f"20261121T0{hour}0000Z" for hour in (5, 7, 8))


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """Odd groups as another program wrote them, a snapshot of ours, and two that aren't whole."""
    write_odd_store(odd_groups(), tmp_path)
    for table in tmp_path.iterdir():
        (table / f"snapshot={SNAPSHOT}").rename(table / f"snapshot={EARLIER}")
    for snapshot in (SNAPSHOT, BROKEN, WRITING):
        write_store(small().tables(), tmp_path, snapshot)
    (part,) = tmp_path.glob(f"members/snapshot={BROKEN}/*.parquet")
    part.write_bytes(part.read_bytes()[:-9])
    (tmp_path / f"groups/snapshot={WRITING}/_temporary").mkdir()
    (tmp_path / f"groups/snapshot={WRITING}/_temporary/0").touch()
    (tmp_path / f"groups/snapshot={WRITING}/_SUCCESS").touch()
    return tmp_path


def by_arrow(folder: Path) -> ArrowStore:
    """As it would be asked for of an object store."""
    return ArrowStore.at(folder.as_uri())


@pytest.fixture
def by_spark(spark: SparkSession, settings: Settings, store: Path) -> Iterator[TableStore]:
    name = store.name.replace("_", "-")
    with settings({f"fs.viewfs.mounttable.{name}.link./data": f"file://{store}"}):
        yield table_store_of(spark, f"viewfs://{name}/data")


def test_what_there_is(store: Path, by_spark: TableStore) -> None:
    local, arrow = LocalStore(store), by_arrow(store)
    every = [EARLIER, SNAPSHOT, BROKEN, WRITING]
    for place in (local, arrow, by_spark):
        assert place.ids("groups") == place.ids("members") == every
        assert place.ids("brokers") == []
        assert place.being_written(every) == {WRITING}
        assert place.parts("brokers", SNAPSHOT) is None
        with pytest.raises(UnreadableError, match="can't be read"):
            place.parts("members", BROKEN)
    assert [why and why.replace("file://", "") for why in states_of(arrow).values()] == [
        *states_of(local).values()
    ]


def test_how_much_there_is(store: Path, by_spark: TableStore) -> None:
    local, arrow = LocalStore(store), by_arrow(store)
    for columns in ((), ("cluster",), ("type", "strategy", "state"), ("nowhere",)):
        wanted = ("groups", "members", "brokers")
        tally = local.tally(wanted, [EARLIER, SNAPSHOT, "x"], columns)
        assert tally == arrow.tally(wanted, [EARLIER, SNAPSHOT, "x"], columns)
        assert tally == by_spark.tally(wanted, [EARLIER, SNAPSHOT, "x"], columns)
    tally = local.tally(["groups"], [SNAPSHOT, EARLIER], ["cluster"])
    assert tally["groups", SNAPSHOT] == Counter({(b"c",): 2})
    assert tally["groups", EARLIER].keys() == {(b"c",), (b"d",)}


def test_lists_of_snapshots(store: Path, by_spark: TableStore) -> None:
    local, arrow = LocalStore(store), by_arrow(store)
    every = [EARLIER, SNAPSHOT, BROKEN]
    contents = contents_of(local, every)
    assert contents == contents_of(arrow, every) == contents_of(by_spark, every)
    assert {
        item: of_it.unreadable_tables for item, of_it in contents.items() if of_it.unreadable_tables
    } == {BROKEN: ("members",)}
    assert clusters_in(local, "", every) == clusters_in(arrow, "", every)


def test_a_group_by_way_of_arrow(store: Path) -> None:
    for snapshot, group in ((EARLIER, "claims"), (EARLIER, "reads-racked"), (SNAPSHOT, "g")):
        local = FleetFiles.read(str(store), snapshot)
        arrow = FleetFiles.read(store.as_uri(), snapshot, place=by_arrow(store))
        assert explain_group(local, group) == explain_group(arrow, group)
        assert local.clusters() == arrow.clusters()


def test_files_that_a_run_has_left_aside_or_that_were_changed(store: Path) -> None:
    """A manifest tells where they are; where Arrow looks no file is fetched to be checked."""
    (part,) = store.glob(f"members/snapshot={SNAPSHOT}/*.parquet")
    run = part.stem.partition("-")[2].partition("-")[2]
    aside = store / ".evenfleet/runs" / run / "members" / f"snapshot={SNAPSHOT}"
    aside.mkdir(parents=True)
    shutil.move(part, aside / part.name)
    part.parent.rmdir()
    assert explain_group(FleetFiles.read("", SNAPSHOT, place=by_arrow(store)), "g").status == "ok"
    (groups,) = store.glob(f"groups/snapshot={SNAPSHOT}/*.parquet")
    shutil.copy(next(store.glob(f"groups/snapshot={EARLIER}/*.parquet")), groups)
    fleets = [
        FleetFiles.read("", SNAPSHOT, place=item) for item in (by_arrow(store), LocalStore(store))
    ]
    changes = [[change.replace("file://", "") for change in fleet.changes] for fleet in fleets]
    assert changes[0] == changes[1] != []
    groups.write_bytes(groups.read_bytes()[:-9])
    with pytest.raises(InputError, match=r"isn't whole: .* can't be read: it has .* bytes instead"):
        FleetFiles.read("", SNAPSHOT, place=by_arrow(store))


def test_who_opens_what(monkeypatch: pytest.MonkeyPatch) -> None:
    for path in ("out", "/x/out/", "file:/x/out", "file:///x/out"):
        assert isinstance(direct_store(path), LocalStore)
    for path in ("viewfs://x/y", "s3a://bucket/out", "nonsense://x"):
        with pytest.raises(NeedsSparkError, match="can't be opened without Spark") as error:
            direct_store(path)
        assert error.value.why is None
    with pytest.raises(NeedsSparkError):
        direct_store("/x/out", default="hdfs://here")
    monkeypatch.setenv("HADOOP_CONF_DIR", "/etc/hadoop")
    with pytest.raises(NeedsSparkError):
        direct_store("/x/out")


def test_what_arrow_knows_and_can_not_open(
    run: Run, asked: list, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark is asked then, and it is told why."""

    class Shut:
        @staticmethod
        def from_uri(_: str) -> tuple[Shut, str]:
            return Shut(), "bucket/out"

        def get_file_info(self, _: str) -> None:
            raise OSError("no credentials\nat all")

    monkeypatch.setattr("spark.files.arrow_store.fs.FileSystem", Shut)
    output = run("snapshots", "s3://bucket/out")
    report = "s3://bucket/out can't be opened without Spark: no credentials. Spark is asked.\n"
    assert (output.code, output.err.startswith(report), len(asked)) == (2, True, 1)


def test_spark_is_asked_where_arrow_can_not(
    run: Run, asked: list, spark: SparkSession, settings: Settings, tmp_path: Path
) -> None:
    write_store(small().tables(), tmp_path, SNAPSHOT)
    name = tmp_path.name.replace("_", "-")
    with settings({f"fs.viewfs.mounttable.{name}.link./data": f"file://{tmp_path}"}):
        output = run("explain", f"viewfs://{name}/data", "--group", "g", "--format", "json")
        listed = run("snapshots", f"viewfs://{name}/data", "--format", "json")
    assert len(asked) == 2
    assert output.out == run("explain", tmp_path, "--group", "g", "--format", "json").out
    assert listed.out == run("snapshots", tmp_path, "--format", "json").out
    assert len(asked) == 2


def test_a_direct_store_is_open(tmp_path: Path) -> None:
    """It opens itself, whatever it is called."""
    place: DirectStore = LocalStore(tmp_path)
    assert table_store_of(place, "elsewhere") is place
