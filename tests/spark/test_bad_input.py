"""What commands say to bad input, and that nothing is written then."""

from __future__ import annotations

import shutil
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce import PlanFolder
from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet, damage_pages
from tests.support.said import Run, is_one_line
from tests.support.small import EARLIER


class TestBadInput:
    """Each a readable line and exit code 2, and nothing written."""

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (["plan", "s", "--out", "o", "--speed", "9"], "No such option: --speed"),
            (["plan", "s"], "say where the result goes: --out FOLDER"),
            (["plan"], "name a STORE"),
            (["plan", "s", "--out"], "'--out' requires an argument"),
            (["play"], "No such command 'play'"),
            (["audot"], "Did you mean 'audit'? See evenfleet --help"),
            (["plan", "s", "--out", "o", "--format", "xml"], "Invalid value for '--format'"),
            (["demo", "--groups", "0"], "Invalid value for '--groups'"),
            (
                ["plan", "s", "--out", "o", "--strategy", "best"],
                "unknown strategy 'best': choose one of optimal, range, ",
            ),
            (
                ["compare", "s", "--out", "o", "--strategies", "range,best"],
                "unknown strategy 'best': choose from current, optimal, range, ",
            ),
            (["plan", "s", "--out", "o", "--conf", "x"], "--conf 'x' is not of the form KEY=VALUE"),
            (["plan", "s", "--out", ""], "--out is empty: give it a value"),
            (["compare", "s", "--out="], "--out is empty: give it a value"),
            (["plan", "", "--out", "o"], "an argument is empty: give it a value"),
            (["verify", "s", ""], "an argument is empty"),
            (
                ["collect", "--bootstrap", "b:1", "--cluster", "", "--out", "o"],
                "--cluster is empty",
            ),
            (["collect", "--bootstrap", "b:1", "--cluster", " ", "--out", "o"], "name is empty"),
            (["verify", "s", "p", "--conf", "=x"], "--conf '=x' is not of the form KEY=VALUE"),
            (["verify", "s", "p", "--config", "no.toml"], "configuration no.toml can't be read"),
        ],
    )
    def test_options(self, run: Run, asked: list, words: list[str], sentence: str) -> None:
        output = run(*words)
        assert (output.code, is_one_line(output)) == (2, True)
        assert sentence in output.err
        assert asked == []  # it shows before Spark starts

    def test_an_unknown_key_in_the_configuration(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "my.toml").write_text("stratgy = 'range'\n")
        output = run("plan", "s", "--out", "o", "--config", tmp_path / "my.toml")
        assert (output.code, is_one_line(output)) == (2, True)
        assert "my.toml: unknown key 'stratgy' (known are strategy, " in output.err

    @pytest.mark.parametrize("command", ["plan", "compare"])
    def test_an_output_below_a_file(
        self, run: Run, store: Path, tmp_path: Path, command: str
    ) -> None:
        (tmp_path / "file").touch()
        for out in (f"{tmp_path}/file", f"{tmp_path}/file/out", f"file:{tmp_path}/file/out"):
            output = run(command, store, "--out", out)
            assert (output.code, is_one_line(output)) == (2, True)
            assert f"output {out} can't be written: {tmp_path}/file is not a folder" in output.err

    def test_a_table_of_the_output_that_is_a_file(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        """It shows when it is written."""
        out = tmp_path / "plan"
        out.mkdir()
        (out / "assignments").touch()
        output = run("plan", store, "--out", out)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"{out}/assignments can't be written: Not a directory" in output.err
        assert not (out / "groups").exists()

    def test_a_store_as_the_output_would_be_overwritten(self, run: Run, store: Path) -> None:
        """Its tables have the same names."""
        before = {path: path.read_bytes() for path in store.rglob("*.parquet")}
        output = run("plan", store, "--out", f"{store}/")
        assert (output.code, is_one_line(output)) == (2, True)
        assert "holds a store already: choose another folder for a plan" in output.err
        assert {path: path.read_bytes() for path in store.rglob("*.parquet")} == before

    @pytest.mark.parametrize(
        "words", [(), ("--snapshot", "all"), ("--snapshot", SNAPSHOT)], ids=" ".join
    )
    def test_an_empty_store(self, run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
        output = run("plan", tmp_path / "nowhere", "--out", tmp_path / "plan", *words)
        assert (output.code, is_one_line(output)) == (2, True)
        assert "import or write one first" in output.err
        assert list(tmp_path.iterdir()) == []

    def test_no_such_snapshot(self, run: Run, store: Path, tmp_path: Path) -> None:
        output = run("compare", store, "--out", tmp_path / "o", "--snapshot", EARLIER)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"has no snapshot {EARLIER}: the newest it has are {SNAPSHOT}" in output.err

    @pytest.mark.parametrize("command", ["explain", "frontier"])
    def test_no_such_cluster(self, run: Run, tmp_path: Path, command: str) -> None:
        fleet = Fleet().topic("t", 1, cluster="prod").group("g", {"a": ["t"]}, cluster="prod")
        write_store(fleet.tables(), tmp_path, SNAPSHOT)
        output = run(command, tmp_path, "--group", "g", "--cluster", "pord")
        assert (output.code, is_one_line(output)) == (2, True)
        assert "has no cluster 'pord'; did you mean prod?" in output.err

    def break_table(self, store: Path, how: str) -> str:
        """Do something to the members; what is said of it."""
        (part,) = store.glob("members/*/*.parquet")
        table = pq.ParquetFile(part).read()
        if how == "missing table":
            shutil.rmtree(store / "members")
            return "isn't whole: it lacks members"
        if how == "broken footer":
            part.write_bytes(part.read_bytes()[:-9])
            return f"isn't whole: {part} can't be read: it has "
        if how == "broken page":
            damage_pages(part, statistics=True)
            return f"Encountered error while reading file file://{part}."
        if how == "missing column":
            pq.write_table(table.drop_columns("member_id"), part)
            return "table members lacks the column member_id"
        if how == "mistyped column":
            pq.write_table(table.set_column(2, "member_id", pa.array([1] * len(table))), part)
            return "column members.member_id is bigint and must be string"
        nobodys = {"cluster": "c", "group": None, "member_id": "z"}
        pq.write_table(pa.Table.from_pylist([nobodys], table.schema), part)
        return "(members.group: 1 rows)"

    @pytest.mark.parametrize(
        "how",
        [
            *("missing table", "broken footer", "broken page"),
            *("missing column", "mistyped column", "null key"),
        ],
    )
    def test_a_broken_table(self, run: Run, store: Path, tmp_path: Path, how: str) -> None:
        sentence = self.break_table(store, how)
        output = run("plan", store, "--out", tmp_path / "plan")
        assert (output.code, is_one_line(output)) == (2, True)
        assert sentence in output.err
        assert not (tmp_path / "plan").exists()


NO_ORDER = "has no group 'order'; did you mean orders?"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (("snapshots", "{}/stor"), "no folder {}/stor; did you mean {}/store?"),
        (("explain", "{}/stor", "--group", "g"), "no folder {}/stor; did you mean {}/store?"),
        (("verify", "{}/store", "{}/pln"), "no folder {}/pln; did you mean {}/plan?"),
        (("explain", "{}/store", "--group", "order"), NO_ORDER),
        (("frontier", "{}/store", "--group", "order"), NO_ORDER),
        (("simulate", "{}/store", "--group", "order"), NO_ORDER),
        (("simulate", "{}/store", "--group", "orders"), "give a scenario: --scenario rolling-dep"),
        (("audit", "{}/store", "--group", "order"), "matching 'order'; did you mean orders?"),
        (("members", "{}/store", "--split", "pai"), "subscribes to topic pai; did you mean paid?"),
        (
            ("whatif", "{}/store", "--event", "crash-host=mars"),
            "no member is on host mars; the snapshot names no host of any member",
        ),
        (
            ("enforce", "{}/plan", "--bootstrap", "h:1", "--group", "order"),
            "{}/plan has no plan of a group 'order'; did you mean orders?",
        ),
    ],
    ids=" ".join,
)
def test_near_misses_are_proposed(
    run: Run, tmp_path: Path, words: tuple[str, ...], sentence: str
) -> None:
    """A path, group, topic, rack or host that isn't there: the nearest one, or those that are."""
    fleet = Fleet().topic("paid", 1).group("orders", {"a": ["paid"]}, [("paid", 0, "a")])
    write_store(fleet.tables(), tmp_path / "store", SNAPSHOT)
    plans = PlanFolder(tmp_path / "plan")
    plans.put(GroupPlan("c", "orders", SNAPSHOT, {"a": {"paid": [0]}}))
    plans.finish(SNAPSHOT, [])
    output = run(*(word.replace("{}", str(tmp_path)) for word in words))
    assert (output.code, is_one_line(output)) == (2, True), output.err
    assert sentence.replace("{}", str(tmp_path)) in output.err
