"""`evenfleet explain` and `snapshots` without Spark: what they say is the same as with it."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.fleet.local_store import write_store
from tests.paths import ROOT
from tests.support.fleets import SNAPSHOT, write_files
from tests.support.odd_groups import odd_groups
from tests.support.said import Run, check_refused
from tests.support.terminal import tables_of


@pytest.fixture
def demo_store(tmp_path: Path, demo_tables: dict[str, pa.Table]) -> Path:
    write_store(demo_tables, tmp_path / "demo", SNAPSHOT)
    return tmp_path / "demo"


def both_ways(run: Run, monkeypatch: pytest.MonkeyPatch, *words: object) -> tuple[Any, Any]:
    """What a command says of its own, and what where only Spark may open the store."""
    alone = run(*words)
    with monkeypatch.context() as elsewhere:
        elsewhere.setattr("spark.terminal.stores.by_submit", lambda: True)
        by_spark = run(*words)
    return alone, by_spark


def test_snapshots_says_the_same(
    run: Run, demo_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of snapshots that are whole and that aren't, and of files that are broken."""
    write_files(odd_groups().tables(), demo_store.with_name("other"))
    for table in demo_store.with_name("other").iterdir():
        folder = demo_store / table.name / "snapshot=20261121T050000Z"
        (table / f"snapshot={SNAPSHOT}").rename(folder)
    (demo_store / "members/snapshot=20261121T070000Z").mkdir()
    (demo_store / "members/snapshot=20261121T070000Z/x.parquet").write_bytes(b"nothing of Parquet")
    alone, by_spark = both_ways(run, monkeypatch, "snapshots", demo_store, "--format", "json")
    assert alone == by_spark
    states = [row["state"] for row in tables_of(alone)["snapshots"]]
    assert states == ["whole", "whole", "members can't be read"]
    assert tables_of(alone)["snapshots"][0]["other_kinds"]


def test_neither_starts_spark_nor_loads_what_takes_long(store: Path) -> None:
    code = f"""
import sys, evenfleet.command as c
for words in (["snapshots", {str(store)!r}], ["explain", {str(store)!r}, "--group=g"], ["--help"]):
    sys.argv = ["evenfleet", *words]
    try:
        c.main()
    except SystemExit as end:
        print(end.code, *{{"pandas", "graphframes", "kafka"}} & {{*sys.modules}}, file=sys.stderr)
from pyspark import SparkContext
print(SparkContext._gateway, file=sys.stderr)
"""
    ended = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    lines = ended.stderr.splitlines()
    assert lines[-1] == "None"
    assert lines.count("0") == 3


def test_limits_of_options_that_nothing_fits_end_the_command(run: Run, store: Path) -> None:
    """Those that are beside others are only said."""
    words = ("explain", store, "--group", "g", "--goal")
    output = run(*words, "exclude={members = 'nobody'}")
    check_refused(output, "no member or partition fits the limits of --goal (exclusion of nobody)")
    output = run(*words, "exclude=[{members = 'nobody'}, {members = '*', topics = 'nothing*'}]")
    assert output.code == 2
    output = run(*words, "max_per_topic=[{topics = 'nothing', most = 1}, 50]")
    assert output.code == 0
    said = "No member or partition fits a limit: at most 1 partition of nothing a member."
    assert said in output.err.replace("\n", " ")


def test_a_flipped_bit_where_no_manifest_tells(run: Run, store: Path) -> None:
    """Pages have checksums of their own, where their writer makes any."""
    (part,) = store.glob("assignments/*/*.parquet")
    table = pq.ParquetFile(part).read()
    pq.write_table(table, part, write_page_checksum=True, compression="none")
    column = pq.ParquetFile(part).metadata.row_group(0).column(1)
    raw = bytearray(part.read_bytes())
    raw[column.data_page_offset + column.total_compressed_size - 3] ^= 16
    part.write_bytes(raw)
    output = run("explain", store, "--group", "g")
    check_refused(output, f"table assignments can't be read from {part}: ")


def test_columns(run: Run, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (part,) = store.glob("members/*/*.parquet")
    table = pq.ParquetFile(part).read()
    for kind in (pa.uint16(), pa.uint64(), pa.float32(), pa.binary(), pa.timestamp("us")):
        odd = table.set_column(2, "member_id", pa.nulls(len(table), kind))
        pq.write_table(odd.drop_columns(["group"]), part)
        alone, by_spark = both_ways(run, monkeypatch, "explain", store, "--group", "g")
        assert alone == by_spark
        assert "lacks the column group; column members.member_id is " in alone.err
