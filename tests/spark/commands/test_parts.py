"""Parts of a fleet by patterns, and how names that aren't valid UTF-8 are spelled and found."""

from functools import reduce
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark import FleetSnapshot
from spark.fleet import escape, escaped_rows, is_named
from tests.support.fleets import SNAPSHOT, Fleet, write_files
from tests.support.small import EARLIER
from tests.support.torture import CAFE, CLUSTERS

FIT = {
    "*": {"a*b", "a%b", "axb", r"caf\xe9", "é", "", "a\nb"},
    "a?b": {"a*b", "a%b", "axb", "a\nb"},
    "a%b": {"a%b"},
    "a_b": set(),
    "caf*": {r"caf\xe9"},
    r"caf\xe9": {r"caf\xe9"},
    r"caf\x??": {r"caf\xe9"},
    "caf?": set(),
    "?": {"é"},
    "*xb": {"axb"},
}


def test_patterns(spark: SparkSession, tmp_path: Path) -> None:
    fleet = Fleet().topic("t", 1)
    for name in ("a*b", "a%b", "axb", "a\nb", CAFE, "é", ""):
        fleet.group(name, {"m": ["t"]})
    whole = FleetSnapshot.read(spark, str(write_files(fleet.tables(), tmp_path)))

    def names(pattern: str) -> DataFrame:
        members = whole.matching(group=pattern).tables["members"]
        return members.select(F.lit(pattern), F.col("group").cast("binary"))

    result: dict[str, set[str]] = {pattern: set() for pattern in FIT}
    for pattern, name in reduce(DataFrame.union, map(names, FIT)).collect():
        result[pattern].add(bytes(name).decode("utf-8", "backslashreplace"))
    assert result == FIT
    assert whole.matching(group="a?b").tables["partitions"].count() == 1
    assert whole.matching(group="a?b").has_groups()
    assert not whole.matching(group="a_b").has_groups()


def test_the_part_of_a_snapshot(spark: SparkSession, torture: Path) -> None:
    """A cluster that only an older snapshot has is of that."""
    whole = FleetSnapshot.read(spark, str(torture))
    assert whole.instants == whole.clusters() == CLUSTERS
    part = whole.matching("old", "l?ft")
    assert (part.id, part.instants, str(part.part)) == (
        *(EARLIER, {"old": EARLIER}),
        "groups matching 'l?ft' of cluster old",
    )
    assert part.tables["groups"].count() == 1
    assert part.tables["partitions"].count() == 2
    assert whole.matching(group="pay*").id == SNAPSHOT
    assert not whole.matching("north").has_groups()
    without = {"members": whole.tables["members"].limit(0)}
    assert FleetSnapshot(SNAPSHOT, whole.tables | without).matching("west").has_groups()


LEADING = (0x00, 0x5C, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1)
LEADING += (0xEC, 0xED, 0xEE, 0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF)


def spelled(raw: bytes) -> str:
    """What Python would make of it."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return raw.replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def test_any_bytes_are_spelled_as_python_does(spark: SparkSession, tmp_path: Path) -> None:
    """Bytes at the borders of what is valid, in all orders: no two broken names become one."""
    items = [bytes(item) for length in (1, 2, 3) for item in product(LEADING, repeat=length)]
    items += ["é€😀".encode(), "€".encode() + b"\xf0\x9f\x98", b"\xed\xa0\x80" * 3, b""]
    items += [b"\xe9" + b"x" * 100_000, "é".encode() * 50_000 + b"\xff"]
    strings = pa.Array.from_buffers(
        pa.string(), len(items), (raw := pa.array(items, pa.binary())).buffers()
    )
    pq.write_table(pa.table({"name": strings, "raw": raw}), tmp_path / "x.parquet")
    table = spark.read.parquet(str(tmp_path / "x.parquet"))
    result = table.selectExpr("raw", f"{escape('name')} as name").collect()
    assert {bytes(row.raw): row.name for row in result} == {item: spelled(item) for item in items}
    broken = [spelled(item) for item in items if spelled(item).encode() != item]
    assert len({*broken}) == len(broken) > 1000


def test_rows_and_those_of_a_name(spark: SparkSession) -> None:
    """Nulls stay, and what isn't text."""
    raw = "cast(X'FF' as string)"
    items = spark.sql(f"select {raw} as one, array('a', null, {raw}) as many, 1 as n, null as no")
    assert escaped_rows(items).collect() == [(r"\xff", ["a", None, r"\xff"], 1, None)]
    assert items.where(is_named("one", ["x", r"\xff"])).count() == 1
    assert items.where(is_named("one", ["x", "y"])).isEmpty()
    assert spark.sql("select 'x' as one").where(is_named("one", ["x", r"\xff"])).count() == 1
