"""Names that aren't valid UTF-8: their groups are invalid, all others are as ever."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot
from spark.fleet import escaped, escaped_rows, is_named
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.odd_bytes import odd, write_odd_store
from tests.support.said import Run, Said, is_one_line
from tests.support.small import rows

CAFE, SURROGATE, TWIN = odd(b"caf\xe9"), odd(b"caf\xed\xa0\x80"), odd(b"caf\xe8")
SPELLED = r"caf\xe9"
NAMES = (CAFE, SURROGATE, TWIN)
SOUND = ("sound", "naïve 😀", "its-client", "its-host")
READERS = {"a": ["t"], "b": ["t"]}
CLAIMS = [("t", 0, "a"), ("t", 1, "a")]

REASONS = {
    SPELLED: "not valid UTF-8: the name of the group or of its cluster",
    r"caf\xed\xa0\x80": "not valid UTF-8: the name of the group or of its cluster",
    r"caf\xe8": "not valid UTF-8: the name of the group or of its cluster",
    "its-member": rf"not valid UTF-8: member id {SPELLED}",
    "its-topic": rf"not valid UTF-8: topic {SPELLED}",
    "its-claim": rf"not valid UTF-8: topic caf\xe8, member id {SPELLED}",
    "its-instance": rf"not valid UTF-8: instance id {SPELLED}",
    "its-rack": rf"not valid UTF-8: rack {SPELLED}",
    "its-state": rf"not valid UTF-8: state {SPELLED}",
    "its-strategy": rf"not valid UTF-8: strategy {SPELLED}",
    "its-type": rf"not valid UTF-8: type {SPELLED}",
    "everything": rf"not valid UTF-8: member id {SPELLED}, member id {SPELLED}2, topic caf\xe8",
}
"""What is said of each group in cluster c that can't be planned."""


def fleet() -> Fleet:
    made = Fleet().topic("t", 2).topic("t", 2, odd(b"\xff")).topic(CAFE, 1).topic(TWIN, 1)
    made.rows["partitions"][0] |= {"leader_rack": CAFE, "replica_racks": [CAFE, "r", TWIN]}
    for row in made.rows["partitions"]:
        row["leader"] = -1 if row["topic"] == TWIN else 1
    for name in (*SOUND, *NAMES, *(f"its-{item}" for item in ("instance", "rack"))):
        made.group(name, READERS, CLAIMS)
    facts = {
        "its-instance": ("instance_id", CAFE),
        "its-rack": ("rack", CAFE),
        "its-client": ("client_id", CAFE),
        "its-host": ("host", CAFE),
    }
    for row in made.rows["members"]:
        if row["group"] in facts:
            column, name = facts[row["group"]]
            row[column] = name
    made.group("g", READERS, CLAIMS, odd(b"\xff"))
    made.group("its-member", {CAFE: ["t"], "b": ["t"]}, [("t", 0, CAFE)])
    made.group("its-topic", {"a": ["t", CAFE]}, CLAIMS)
    made.group("its-claim", READERS, [(TWIN, 0, "a"), ("t", 0, CAFE)])
    for column in ("state", "strategy", "type"):
        made.group(f"its-{column}", READERS, CLAIMS, **{column: CAFE})
    members = {CAFE: [CAFE], CAFE + "2": [TWIN]}
    return made.group("everything", members, [(CAFE, 0, CAFE)], state=TWIN, strategy=SURROGATE)


def sound() -> Fleet:
    """The same without what is odd."""
    made = Fleet().topic("t", 2)
    for name in SOUND:
        made.group(name, READERS, CLAIMS)
    return made


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_odd_store(fleet(), tmp_path_factory.mktemp("odd") / "store")


def ended_well(said: Said) -> Said:
    assert said.code == 0, said.err
    assert "\ufffd" not in said.out + said.err
    return said


class TestCommands:
    """Each with the store of all odd names."""

    def test_plan_and_verify(self, run: Run, store: Path, tmp_path: Path) -> None:
        """Every group has its row; the sound ones are planned as they would be without the rest."""
        ended_well(run("plan", store, "--out", tmp_path / "plan"))
        groups = {(row["cluster"], row["group"]): row for row in rows(tmp_path / "plan/groups")}
        reports = {key: row["reason"] for key, row in groups.items() if row["status"] == "invalid"}
        assert reports == {("c", group): reason for group, reason in REASONS.items()} | {
            (r"\xff", "g"): "not valid UTF-8: the name of the group or of its cluster"
        }
        assert groups.keys() - reports.keys() == {("c", group) for group in SOUND}
        assert groups["c", "its-member"]["members"] == 2

        alone = write_odd_store(sound(), tmp_path / "alone")
        ended_well(run("plan", alone, "--out", tmp_path / "of-them"))
        planned = rows(tmp_path / "plan/assignments")
        assert planned == rows(tmp_path / "of-them/assignments")
        output = ended_well(run("verify", store, tmp_path / "plan"))
        assert f"{len(SOUND)} planned groups: no fault" in output.err

    def test_racks_of_partitions(self, run: Run, store: Path, tmp_path: Path) -> None:
        """They are only compared: no group is invalid for one."""
        for options in (("--rack", "any"), ("--strategy", "range")):
            plan = tmp_path / options[1]
            ended_well(run("plan", store, "--out", plan, *options))
            result = {row["group"] for row in rows(plan / "groups") if row["status"] == "ok"}
            assert result == {*SOUND}
            ended_well(run("verify", store, plan))

    def test_compare(self, run: Run, store: Path, tmp_path: Path) -> None:
        words = ("--strategies", "current,range,optimal", "--format", "json")
        output = ended_well(run("compare", store, "--out", tmp_path, *words))
        for row in json.loads(output.out)["strategies"]:
            assert (row["groups"], row["why"]) == (len(SOUND), f"{len(REASONS) + 1} invalid")

    def test_audit(self, run: Run, store: Path, tmp_path: Path) -> None:
        """What can't be judged is told, and what else is known of names that are odd."""
        metrics = tmp_path / "evenfleet.prom"
        words = ("--out", tmp_path, "--prometheus", metrics, "--format", "json")
        output = ended_well(run("audit", store, *words))
        findings = rows(tmp_path / "findings")
        reports = {row["group"]: row["sentence"] for row in findings if row["cluster"] == "c"}
        for group, reason in REASONS.items():
            assert reports[group] == f"Group {group} can't be judged: {reason}."
        assert {row["cluster"] for row in findings} == {"c", r"\xff"}
        (leaderless,) = (row for row in findings if row["finding"] == "leaderless")
        assert leaderless["subject"] == r"topic caf\xe8"
        assert r"topic caf\xe8" in leaderless["sentence"]
        assert f"Not judged: {len(REASONS) + 1} invalid" in output.err
        assert r'group="caf\\xe8"' in metrics.read_text(encoding="utf-8")

    def test_explain(self, run: Run, store: Path) -> None:
        """A group is found by the name that is shown of it."""
        for group, reason in REASONS.items():
            if group in (SPELLED, "its-claim", "everything"):
                output = ended_well(run("explain", store, "--group", group))
                assert f"is invalid: {reason}." in output.err
        words = ("--group", "g", "--cluster", r"\xff")
        assert "is invalid" in ended_well(run("explain", store, *words)).err
        output = ended_well(run("explain", store, "--group", "sound"))
        assert "could be more even (status ok)" in output.err

    def test_snapshots_and_the_clusters_of_a_fleet(self, run: Run, store: Path) -> None:
        output = ended_well(run("snapshots", store, "--format", "json"))
        assert json.loads(output.out)["snapshots"][0]["clusters"] == [r"\xff", "c"]

    def test_export_plan(self, run: Run, store: Path, tmp_path: Path) -> None:
        """By a client id that nobody has, no member would find its part of the plan."""
        plan, file = tmp_path / "plan", tmp_path / "g.json"
        ended_well(run("plan", store, "--out", plan))
        words = ("export-plan", store, plan, "--out", file, "--group")
        for group, why in (
            (SPELLED, r"group 'caf\\xe9' has no plan, it is invalid: not valid UTF-8"),
            ("its-client", rf"with a client.id that isn't valid UTF-8, {SPELLED}: give"),
        ):
            output = run(*words, group)
            assert (output.code, is_one_line(output)) == (2, True)
            assert why in output.err
        assert not file.exists()

    @pytest.mark.usefixtures("graphframes")
    def test_graph(self, run: Run, store: Path) -> None:
        words = ("graph", store, "--question", "coupled-groups", "--format", "json", "--rows", 0)
        printed = json.loads(ended_well(run(*words)).out)
        assert {row["group"] for row in printed["groups"]} == {*REASONS, *SOUND, "g"}


def test_clusters_of_several_snapshots(spark: SparkSession, tmp_path: Path) -> None:
    """One that is in an older snapshot alone is taken from there, whatever it is called."""
    write_odd_store(fleet(), tmp_path)
    for table in tmp_path.iterdir():
        (table / f"snapshot={SNAPSHOT}").rename(table / "snapshot=20261121T050000Z")
    write_odd_store(sound(), tmp_path)
    result = FleetSnapshot.read(spark, str(tmp_path))
    assert result.instants == {r"\xff": "20261121T050000Z", "c": SNAPSHOT}
    assert result.tables["groups"].count() == 1 + len(SOUND)
    assert result.clusters() == result.instants


def test_a_valid_name_that_is_another_one_spelled(run: Run, tmp_path: Path) -> None:
    """The two can't be told apart in a table: they are one row, and nothing is planned for it."""
    made = sound().group(SPELLED, READERS, CLAIMS).group(CAFE, READERS, CLAIMS)
    store = write_odd_store(made, tmp_path / "store")
    ended_well(run("plan", store, "--out", tmp_path / "plan"))
    result = {row["group"]: row["status"] for row in rows(tmp_path / "plan/groups")}
    assert result == dict.fromkeys(SOUND, "ok") | {SPELLED: "invalid"}
    ended_well(run("verify", store, tmp_path / "plan"))


def test_a_plan_with_names_of_its_own_is_checked(
    spark: SparkSession, run: Run, tmp_path: Path
) -> None:
    """What was done to the files of a plan shows as a fault."""
    store = write_odd_store(sound(), tmp_path / "store")
    ended_well(run("plan", store, "--out", tmp_path / "plan"))
    (part,) = (tmp_path / "plan/assignments").glob("*/*.parquet")
    table = pq.ParquetFile(part).read()
    topics = table["topic"].combine_chunks().cast(pa.binary()).to_pylist()
    raw = pa.array([b"\xff", *topics[1:]], pa.binary())
    broken = pa.Array.from_buffers(pa.string(), len(raw), raw.buffers())
    at = table.schema.get_field_index("topic")
    part.with_name(f".{part.name}.crc").unlink()
    pq.write_table(table.set_column(at, "topic", broken), part)
    output = run("verify", store, tmp_path / "plan")
    assert output.code == 1
    assert r"\xff-" in output.out


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
    result = table.selectExpr("raw", f"{escaped('name')} as name").collect()
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
