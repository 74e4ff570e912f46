"""A snapshot of DataFrames or of a store: checked, with all that is wrong said at once."""

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from chispa import assert_df_equality
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark import FleetFiles, FleetSnapshot, InputError, audit_fleet, snapshots
from spark.fleet.local_store import write_store
from spark.fleet.schemas import TABLES
from spark.store import Folder
from tests.spark.conftest import Settings
from tests.support.fleets import SNAPSHOT, Fleet, damage_pages

NEWEST, MEANT = f"the newest it has are {SNAPSHOT}", f"did you mean {SNAPSHOT}?"
REQUIRED = [name for name, table in TABLES.items() if table.required]


def small() -> Fleet:
    fleet = Fleet().topic("t", 2).group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a", 3)])
    fleet.add("offsets", group="g", topic="t", partition=0, committed_offset=5, lag=2**40)
    return fleet.add("brokers", broker=1, host="h", port=9092, rack="r")


@pytest.fixture(scope="module")
def made(spark: SparkSession) -> FleetSnapshot:
    return small().snapshot(spark)


@pytest.fixture
def frames(made: FleetSnapshot) -> dict[str, DataFrame]:
    return dict(made.tables)


ONLY_LIVE = {"configs"}
"""Tables that `collect` alone writes."""


def test_a_sound_snapshot_has_exactly_its_columns_and_types(made: FleetSnapshot) -> None:
    assert (made.id, made.notes) == (SNAPSHOT, ())
    assert made.validate() is made
    assert set(made.tables) == set(TABLES) - ONLY_LIVE
    for name, table in made.tables.items():
        result = [(field.name, field.dataType) for field in table.schema]
        assert result == [(column.name, column.type) for column in TABLES[name].columns]


def test_the_id_is_now_in_utc_unless_it_is_stated(frames: dict[str, DataFrame]) -> None:
    id_of_now = FleetSnapshot.of(**frames).id
    assert (len(id_of_now), id_of_now[8], id_of_now[-1]) == (16, "T", "Z")
    assert id_of_now.replace("T", "").rstrip("Z").isdigit()


@pytest.mark.parametrize("bad", ["", "a/b", "../x", "today", "s-1", "20260230T060000Z"])
def test_an_id_has_to_be_a_time(frames: dict[str, DataFrame], bad: str) -> None:
    with pytest.raises(InputError, match="can't be the id of a snapshot"):
        FleetSnapshot.of(**frames, snapshot=bad)


def test_a_table_that_no_store_has_is_bad_input(frames: dict[str, DataFrame]) -> None:
    report = "unknown table 'quotas': choose one of groups, members, "
    with pytest.raises(InputError, match=report):
        FleetSnapshot.of(**frames, quotas=frames["groups"])


def test_optional_tables_and_columns_may_be_absent(frames: dict[str, DataFrame]) -> None:
    keys = {
        name: frames[name].select(*(c.name for c in TABLES[name].columns if c.required))
        for name in REQUIRED
    }
    snapshot = FleetSnapshot.of(**keys)
    assert set(snapshot.tables) == set(REQUIRED)
    assert snapshot.tables["members"].columns == [c.name for c in TABLES["members"].columns]
    (assigned,) = snapshot.tables["assignments"].collect()
    assert (assigned.member_id, assigned.generation) == ("a", None)


def test_unknown_columns_are_left_out_with_a_note(frames: dict[str, DataFrame]) -> None:
    frames["members"] = frames["members"].withColumns({"age": F.lit(1), "a.b `c`": F.lit(2)})
    frames["partitions"] = frames["partitions"].withColumn("isr_count", F.lit(1))
    snapshot = FleetSnapshot.of(**frames)
    assert snapshot.notes == (
        "table members: left out unknown columns age, a.b `c`",
        "table partitions: left out unknown columns isr_count",
    )
    assert "age" not in snapshot.tables["members"].columns


def test_other_widths_of_whole_numbers_and_nulls_of_no_type_will_do(
    frames: dict[str, DataFrame],
) -> None:
    wide = {"partition": F.col("partition").cast("bigint")}
    frames["partitions"] = frames["partitions"].withColumns(
        {
            **wide,
            "replicas": F.array(F.lit(1).cast("bigint")),
            "weight": F.lit(7),
            "isr": F.lit(None),
            "leader": F.lit(None),
        }
    )
    frames["assignments"] = frames["assignments"].withColumns(
        wide | {"generation": F.col("generation").cast("smallint")}
    )
    snapshot = FleetSnapshot.of(**frames).validate()
    (claim,) = snapshot.tables["assignments"].collect()
    assert (claim.partition, claim.generation) == (0, 3)
    (partition, _) = snapshot.tables["partitions"].orderBy("partition").collect()
    assert (partition.replicas, partition.weight) == ([1], 7.0)
    assert (partition.isr, partition.leader) == (None, None)


def faults_of(frames: dict[str, DataFrame]) -> str:
    with pytest.raises(InputError, match=f"^snapshot {SNAPSHOT} can't be used: ") as raised:
        FleetSnapshot.of(**frames, snapshot=SNAPSHOT)
    return str(raised.value).partition(": ")[2]


def test_all_missing_mistyped_and_doubled_columns_are_told_at_once(
    frames: dict[str, DataFrame],
) -> None:
    frames["groups"] = frames["groups"].withColumn("subscriptions_inferred", F.lit("no"))
    frames["members"] = frames["members"].select("cluster", "rack", F.lit("x").alias("Rack"))
    frames["partitions"] = frames["partitions"].withColumns(
        {"partition": F.lit("0"), "replicas": F.array(F.lit("1")), "topic_id": F.lit(1)}
    )
    frames["assignments"] = frames["assignments"].drop("member_id")
    assert faults_of(frames) == (
        "column groups.subscriptions_inferred is string and must be boolean; "
        "table members lacks the column group, member_id; "
        "table members has the column rack more than once; "
        "column partitions.partition is string and must be int; "
        "column partitions.topic_id is int and must be string; "
        "column partitions.replicas is array<string> and must be array<int>; "
        "table assignments lacks the column member_id"
    )


def test_of_names_and_numbers_of_other_programs_it_is_told_what_to_do(
    frames: dict[str, DataFrame],
) -> None:
    """Databases write names in capitals and whole numbers as decimals."""
    frames["members"] = frames["members"].toDF(*map(str.upper, frames["members"].columns))
    frames["partitions"] = frames["partitions"].withColumns(
        {"partition": F.expr("cast(partition as decimal(10, 0))"), "leader": F.lit(1.0)}
    )
    assert faults_of(frames) == (
        "table members has the column CLUSTER, which has to be called cluster; "
        "table members has the column GROUP, which has to be called group; "
        "table members has the column MEMBER_ID, which has to be called member_id; "
        "column partitions.partition is decimal(10,0) and must be int: write it as "
        "cast(partition as int); "
        "column partitions.leader is double and must be int: write it as cast(leader as int)"
    )


def test_null_keys_are_named_by_table_and_column_with_their_rows(spark: SparkSession) -> None:
    fleet = small().add("members", group=None, member_id=None).add("members", group=None)
    fleet.add("offsets", group="g", topic=None, partition=1).add("brokers", broker=None)
    # what isn't a key may be null
    fleet.add("assignments", group="g", topic="t", partition=1, member_id=None)
    with pytest.raises(InputError) as raised:
        fleet.snapshot(spark).validate()
    assert str(raised.value) == (
        f"snapshot {SNAPSHOT} has keys that are null or beyond an int (brokers.broker: 1 rows; "
        "members.group: 2 rows; members.member_id: 2 rows; offsets.topic: 1 rows): "
        "remove those rows or fill them in"
    )


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_a_number_beyond_an_int_is_no_other_number(
    frames: dict[str, DataFrame], settings: Settings, ansi: str
) -> None:
    """2³² would be partition 0 where Spark casts as Java does, and end the job otherwise."""
    frames["partitions"] = frames["partitions"].withColumn("partition", F.lit(2**32))
    with (
        settings({"spark.sql.ansi.enabled": ansi}),
        pytest.raises(InputError, match=r"\(partitions\.partition: 2 rows\)"),
    ):
        FleetSnapshot.of(**frames).validate()


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store of one snapshot, written without Spark."""
    return small().store(tmp_path / "store")


def part_of(store: Path, table: str, snapshot: str = SNAPSHOT) -> Path:
    return next((store / table / f"snapshot={snapshot}").glob("*.parquet"))


def test_what_is_written_is_read_again(
    spark: SparkSession, made: FleetSnapshot, tmp_path: Path
) -> None:
    made.write(str(tmp_path / "s"))
    read = FleetSnapshot.read(spark, f"{tmp_path}/s/")
    assert (read.id, read.notes, set(read.tables)) == (SNAPSHOT, (), set(made.tables))
    for name, table in made.tables.items():
        assert read.tables[name].schema == table.schema
        again = read.tables[name]
        assert_df_equality(again, table, ignore_row_order=True, ignore_nullable=True)


def test_a_table_without_rows_is_a_table(spark: SparkSession, tmp_path: Path) -> None:
    """Nobody owns anything yet."""
    Fleet().topic("t", 2).group("g", {"a": ["t"]}).snapshot(spark).write(str(tmp_path))
    snapshot = FleetSnapshot.read(spark, str(tmp_path))
    assert snapshot.tables["assignments"].count() == 0


def test_the_newest_whole_snapshot_is_read_unless_one_is_named(store: Path) -> None:
    """A broken one doesn't matter to others."""
    lacking = dict(zip((f"20261121T0700{at:02}Z" for at in range(4)), REQUIRED, strict=True))
    for snapshot in ("20261121T040000Z", "20261121T050000Z", *lacking):
        write_store(small().tables(lacking.get(snapshot, "")), store, snapshot)
    part_of(store, "members", "20261121T040000Z").write_bytes(b"no parquet")
    place = Folder(store)
    assert snapshots(place, "") == ["20261121T050000Z", SNAPSHOT]
    assert FleetFiles.read(str(store)).id == SNAPSHOT
    assert FleetFiles.read(str(store), "20261121T050000Z").id == "20261121T050000Z"
    for snapshot, table in lacking.items():
        with pytest.raises(InputError, match=f"{snapshot} of .* isn't whole: it lacks {table}$"):
            FleetFiles.read(str(store), snapshot)


def test_the_one_before_is_known(spark: SparkSession, store: Path) -> None:
    """The same part of it, if it is sound; an audit in Python looks at it as the command does."""
    small().store(store, "20261121T050000Z")
    newest = FleetSnapshot.read(spark, str(store)).matching("c", "g*")
    older = newest.before()
    assert older
    assert (older.id, older.part, older.before()) == ("20261121T050000Z", newest.part, None)
    with audit_fleet(newest) as audit:
        assert "avoidable-moves" not in audit.not_run


def test_what_is_no_snapshot_is_not_taken_for_one(store: Path) -> None:
    """Empty and hidden folders, what Spark leaves behind when it is killed, other files."""
    for table in REQUIRED:
        (store / table / "snapshot=20270101T000000Z").mkdir()
        killed = store / table / "snapshot=20270102T000000Z" / "_temporary" / "0"
        killed.mkdir(parents=True)
        (killed / "part-0.parquet").touch()
        (store / table / ".snapshot=20270103T000000Z").mkdir()
        (store / table / "snapshot=20270104T000000Z").mkdir()
        (store / table / "snapshot=20270104T000000Z" / "README.txt").touch()
        (store / table / "notes.txt").touch()
    assert snapshots(Folder(store), "") == [SNAPSHOT]


def test_what_is_not_there_is_told(spark: SparkSession, store: Path, tmp_path: Path) -> None:
    empty, slip, none = tmp_path / "empty", f"{SNAPSHOT[:-3]}9Z", "20250101T000000Z"
    empty.mkdir()
    nothing = "nothing is in members, subscriptions, partitions, assignments"
    first = "import or write one first"
    sentences = {
        (store, none): f"store {store} has no snapshot {none}: {NEWEST}",
        (store, slip): f"store {store} has no snapshot {slip}: {NEWEST}; {MEANT}",
        (tmp_path / "x", None): f"no folder {tmp_path}/x: {first}",
        (empty, None): f"store {empty} has no whole snapshot ({nothing}): {first}",
    }
    for (place, snapshot), sentence in sentences.items():
        with pytest.raises(InputError) as raised:
            FleetSnapshot.read(spark, str(place), snapshot)
        assert str(raised.value) == sentence
    with pytest.raises(InputError, match=r"nofs://x/y can't be opened: there is no such"):
        FleetSnapshot.read(spark, "nofs://x/y")


def test_optional_tables_may_be_missing(spark: SparkSession, store: Path) -> None:
    optional = sorted(set(TABLES) - set(REQUIRED) - ONLY_LIVE)
    for table in optional:
        shutil.rmtree(store / table)
    fleet = FleetSnapshot.read(spark, str(store))
    assert set(fleet.tables) == set(REQUIRED)
    assert fleet.changes == tuple(
        f"table {table} of snapshot {SNAPSHOT} was removed since" for table in optional
    )


def test_all_broken_tables_and_wrong_columns_are_told_at_once(
    spark: SparkSession, store: Path
) -> None:
    shutil.rmtree(store / ".evenfleet")  # as other programs write a store
    part_of(store, "members").write_bytes(b"no parquet at all")
    part_of(store, "groups").write_bytes(b"no parquet either")
    pq.write_table(pa.table({"cluster": ["c"]}), part_of(store, "partitions"))
    with pytest.raises(InputError) as raised:
        FleetSnapshot.read(spark, str(store))
    output = str(raised.value)
    assert output.startswith(f"snapshot {SNAPSHOT} can't be used: table groups can't be read")
    assert f"table members can't be read from {store}/members/snapshot={SNAPSHOT}/part-" in output
    assert "table partitions lacks the column topic, partition" in output
    assert "\n" not in output
    assert "SQLSTATE" not in output


def test_a_file_without_a_byte_is_no_table_without_rows(store: Path) -> None:
    """Spark passes over such a file without a word; here no manifest tells its size either."""
    shutil.rmtree(store / ".evenfleet")
    path = part_of(store, "groups")
    path.write_bytes(b"")
    with pytest.raises(InputError) as raised:
        FleetFiles.read(str(store))
    assert str(raised.value) == (
        f"snapshot {SNAPSHOT} of store {store} isn't whole: {path} can't be read: it has 0 "
        "bytes, which is no Parquet"
    )


def test_a_broken_page_of_data_is_told_with_its_file(spark: SparkSession, store: Path) -> None:
    """The footer is whole, so that it shows only when the keys are read."""
    path = part_of(store, "members")
    damage_pages(path, statistics=False)
    report = rf"the fleet of {SNAPSHOT} can't be read: .*{path.name}"
    with pytest.raises(InputError, match=report):
        FleetSnapshot.read(spark, str(store)).validate()


def test_a_snapshot_is_never_written_over(made: FleetSnapshot, store: Path) -> None:
    """Whole or not: the tables of two snapshots would be taken for one."""
    before = {path: path.read_bytes() for path in sorted(store.rglob("*.parquet"))}
    for table in ("", "assignments"):
        if table:
            shutil.rmtree(store / table)
        with pytest.raises(InputError, match=f"has a snapshot {SNAPSHOT} already, in "):
            made.write(str(store))
        after = {path: path.read_bytes() for path in sorted(store.rglob("*.parquet"))}
        assert after == {p: raw for p, raw in before.items() if table not in p.parts}
