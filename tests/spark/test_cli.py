"""Every command as a user runs it, in the tests' session: what it says, writes and returns."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from optimizer import STRATEGIES
from spark.sources.store_files import write_store
from tests.spark.fleets import SNAPSHOT, Fleet, damage_pages
from tests.spark.said import Run, flat, is_one_line

CAPTURES = Path(__file__).parents[1] / "data" / "cli"
EARLIER = "20261121T050000Z"


def small() -> Fleet:
    """Two partitions with a, who gives one to b; and a group that can't be planned."""
    fleet = Fleet().topic("t", 2)
    fleet.group("g", {"a": ["t"], "b": ["t"]}, [("t", 0, "a"), ("t", 1, "a")])
    return fleet.group("nobody", {})


@pytest.fixture
def store(tmp_path: Path) -> Path:
    write_store(small().tables(), tmp_path / "store", SNAPSHOT)
    return tmp_path / "store"


def rows(folder: Path, snapshot: str = SNAPSHOT) -> list[dict[str, Any]]:
    (part,) = (folder / f"snapshot={snapshot}").glob("*.parquet")
    return list(pq.ParquetFile(part).read().to_pylist())


COMMANDS = ("plan", "compare", "verify", "import-cli", "demo")


class TestHelp:
    """`--help`."""

    @pytest.mark.parametrize("command", COMMANDS)
    def test_each_command_shows_an_example(self, run: Run, command: str) -> None:
        said = run(command, "--help")
        assert said.code == 0
        assert re.search(rf"Example: evenfleet {command} ", said.out)

    @pytest.mark.parametrize("words", [[], ["--help"]])
    def test_all_commands_are_listed(self, run: Run, words: list[str]) -> None:
        said = run(*words)
        assert said.code == 0
        assert all(f" {command} " in said.out for command in COMMANDS)

    def test_strategies_are_listed(self, run: Run) -> None:
        said = " ".join(run("plan", "--help").out.replace("│", " ").split())
        assert all(strategy in said for strategy in STRATEGIES)

    @pytest.mark.parametrize("command", ["plan", "compare", "verify", "demo"])
    def test_each_command_that_uses_spark_takes_its_options(self, run: Run, command: str) -> None:
        said = run(command, "--help").out
        assert all(option in said for option in ("--master", "--conf", "--format"))


class TestPlan:
    """`evenfleet plan`."""

    def test_both_tables_are_written_by_snapshot(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        said = run("plan", store, "--out", tmp_path / "plan")
        assert said.code == 0
        assert f"Snapshot {SNAPSHOT} is planned by optimal" in said.err
        assert "as found" in said.out
        assert [tuple(row.values())[2:] for row in rows(tmp_path / "plan" / "assignments")] == [
            ("t", 0, "a", "a", "keep"),
            ("t", 1, "b", "a", "move"),
        ]
        groups = rows(tmp_path / "plan" / "groups")
        assert [(row["group"], row["status"]) for row in groups] == [
            ("g", "ok"),
            ("nobody", "empty"),
        ]
        assert {path.name for path in (tmp_path / "plan").iterdir()} == {"assignments", "groups"}

    def test_json_is_one_object_of_all_tables(self, run: Run, store: Path, tmp_path: Path) -> None:
        said = run("plan", store, "--out", tmp_path / "plan", "--format", "json")
        printed = json.loads(said.out)
        assert [row["fleet"] for row in printed["fleet"]] == ["as found", "planned"]
        assert printed["fleet"][1]["moves"] == 1
        assert printed["groups"] == [
            {"snapshot": SNAPSHOT, "status": "empty", "groups": 1},
            {"snapshot": SNAPSHOT, "status": "ok", "groups": 1},
        ]

    def test_every_snapshot_is_planned_for_all(self, run: Run, store: Path, tmp_path: Path) -> None:
        write_store(small().tables(), store, EARLIER)
        said = run("plan", store, "--out", tmp_path / "p", "--snapshot", "all", "--format", "json")
        assert said.code == 0
        fleet = json.loads(said.out)["fleet"]
        assert [row["snapshot"] for row in fleet] == [EARLIER, EARLIER, SNAPSHOT, SNAPSHOT]
        for table in ("assignments", "groups"):
            assert rows(tmp_path / "p" / table, EARLIER)[0]["cluster"] == "c"
            assert rows(tmp_path / "p" / table, SNAPSHOT)[0]["cluster"] == "c"

    def test_one_snapshot_is_planned_by_its_id_and_again(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        """What was planned before of that snapshot is replaced, that of others stays."""
        write_store(small().tables(), store, EARLIER)
        out = tmp_path / "plan"
        assert run("plan", store, "--out", out).code == 0
        for strategy in ("range", "roundrobin"):
            words = ("--snapshot", EARLIER, "--strategy", strategy)
            assert run("plan", store, "--out", out, *words).code == 0
            assert {row["strategy"] for row in rows(out / "groups", EARLIER)} == {strategy}
        assert {row["strategy"] for row in rows(out / "groups")} == {"optimal"}

    def test_the_configuration_file_is_used_and_options_win(
        self, run: Run, asked: list, store: Path, tmp_path: Path
    ) -> None:
        config = tmp_path / "my.toml"
        config.write_text(
            "strategy = 'range'\n[spark]\n'spark.a' = 1\n'spark.b' = 2\n", encoding="utf-8"
        )
        out = tmp_path / "plan"
        words = ("--config", config, "--conf", "spark.b=x=y", "--master", "local[3]")
        assert run("plan", store, "--out", out, *words).code == 0
        assert rows(out / "groups")[0]["strategy"] == "range"
        assert asked == [("local[3]", {"spark.a": "1", "spark.b": "x=y"})]
        assert run("plan", store, "--out", out, "--strategy", "sticky", *words).code == 0
        assert rows(out / "groups")[0]["strategy"] == "sticky"

    def test_unknown_columns_are_noted(self, run: Run, store: Path, tmp_path: Path) -> None:
        (part,) = store.glob("members/*/*.parquet")
        table = pq.ParquetFile(part).read()
        pq.write_table(table.append_column("age", pa.array([1] * len(table))), part)
        for words in (("plan", store, "--out", tmp_path / "p"), ("verify", store, tmp_path / "p")):
            said = run(*words)
            assert said.code == 0
            assert "table members: left out unknown columns age\n" in said.err


class TestCompareAndVerify:
    """`evenfleet compare` and `evenfleet verify`."""

    def test_a_comparison_is_written_by_group_and_for_the_fleet(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "out"
        words = ("--strategies", "current,optimal", "--format", "json")
        said = run("compare", store, "--out", out, *words)
        assert said.code == 0
        compared = rows(out / "comparison")
        assert [(row["group"], row["strategy"], row["moves"]) for row in compared] == [
            ("g", "current", 0),
            ("g", "optimal", 1),
            ("nobody", "current", None),
            ("nobody", "optimal", None),
        ]
        fleet = rows(out / "fleet")
        assert [row["strategy"] for row in fleet] == ["optimal", "current"]
        assert json.loads(said.out) == {"strategies": fleet}

    def test_a_sound_plan_verifies(self, run: Run, store: Path, tmp_path: Path) -> None:
        run("plan", store, "--out", tmp_path / "plan")
        said = run("verify", store, tmp_path / "plan")
        assert (said.code, said.out) == (0, "")
        assert said.err == (
            f"Snapshot {SNAPSHOT}, 1 planned groups: "
            "no fault: every partition, measure and proof holds.\n"
        )
        said = run("verify", store, tmp_path / "plan", "--format", "json")
        assert (said.code, json.loads(said.out)) == (0, {"faults": []})

    def test_a_plan_without_any_partition_verifies(self, run: Run, tmp_path: Path) -> None:
        """Not one group has members."""
        write_store(Fleet().group("g", {}).tables(), tmp_path / "store", SNAPSHOT)
        assert run("plan", tmp_path / "store", "--out", tmp_path / "plan").code == 0
        assert rows(tmp_path / "plan" / "assignments") == []
        assert run("verify", tmp_path / "store", tmp_path / "plan").code == 0

    def test_a_fault_in_any_snapshot_ends_with_code_1(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        write_store(small().tables(), store, EARLIER)
        plan = tmp_path / "plan"
        run("plan", store, "--out", plan, "--snapshot", "all")
        (part,) = plan.glob(f"assignments/snapshot={EARLIER}/*.parquet")
        table = pq.ParquetFile(part).read()
        pq.write_table(table.slice(1), part)
        crc = part.with_name(f".{part.name}.crc")
        crc.unlink()
        said = run("verify", store, plan, "--format", "json")
        assert said.code == 1
        faults = json.loads(said.out)["faults"]
        assert {fault["snapshot"] for fault in faults} == {EARLIER}
        assert "partition 0 of topic 't' is not in the plan (1 such)" in {
            fault["fault"] for fault in faults
        }
        said = run("verify", store, plan)
        assert said.code == 1
        assert "partition 0 of topic 't' is not in the plan" in flat(said.out)
        assert f"Snapshot {EARLIER}, 1 planned groups: {len(faults)} faults.\n" in said.err
        assert f"Snapshot {SNAPSHOT}, 1 planned groups: no fault: " in said.err

    def test_a_plan_that_is_not_whole_is_bad_input(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        plan = tmp_path / "plan"
        said = run("verify", store, plan)
        assert (said.code, is_one_line(said)) == (2, True)
        assert "has no snapshot in it: make it with `evenfleet plan`" in said.err
        run("plan", store, "--out", plan)
        shutil.rmtree(plan / "groups")
        said = run("verify", store, plan)
        assert (said.code, is_one_line(said)) == (2, True)
        assert f"has no table groups of snapshot {SNAPSHOT}: make it anew" in said.err

    def test_the_plan_of_a_snapshot_that_the_store_lacks_is_bad_input(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        run("plan", store, "--out", tmp_path / "plan")
        shutil.rmtree(store)
        write_store(small().tables(), store, EARLIER)
        said = run("verify", store, tmp_path / "plan")
        assert (said.code, is_one_line(said)) == (2, True)
        assert f"has no snapshot {SNAPSHOT}" in said.err

    def test_what_is_no_plan_is_bad_input(self, run: Run, store: Path) -> None:
        """A store has tables of the same names."""
        said = run("verify", store, store)
        assert (said.code, is_one_line(said)) == (2, True)
        assert "the plan can't be checked: its table assignments lacks the column " in said.err


class TestImportCli:
    """`evenfleet import-cli`, and the way on from there."""

    WORDS = (
        *("import-cli", "--cluster", "prod", "--topics", CAPTURES / "topics.txt"),
        *("--groups", CAPTURES / "members_verbose.txt", "--groups", CAPTURES / "state.txt"),
        *("--groups", CAPTURES / "offsets_plain.txt"),
    )

    def test_what_kafkas_tools_print_is_planned_as_inferred(
        self, run: Run, asked: list, tmp_path: Path
    ) -> None:
        store = tmp_path / "store"
        said = run(*self.WORDS, "--out", store, "--snapshot", SNAPSHOT, "--format", "json")
        assert said.code == 0
        assert asked == []  # no session is needed
        counts = {row["table"]: row["rows"] for row in json.loads(said.out)["tables"]}
        assert counts["groups"] == 10
        assert counts["assignments"] == 62
        assert said.err.endswith(f"Next: evenfleet plan {store} --out plan\n")
        assert run("plan", store, "--out", tmp_path / "plan").code == 0
        groups = {row["group"]: row for row in rows(tmp_path / "plan" / "groups")}
        assert {row["status"] for row in groups.values()} == {"inferred", "empty"}
        assert groups["g-empty"]["status"] == "empty"
        assert len(rows(tmp_path / "plan" / "assignments")) == 62
        assert run("verify", store, tmp_path / "plan").code == 0

    def test_subscriptions_that_are_told_are_not_inferred(self, run: Run, tmp_path: Path) -> None:
        told = tmp_path / "told.csv"
        told.write_text("group,client_id,topic\ng-idle,idle0,one\ng-idle,idle1,one\n")
        words = ("--subscriptions", told, "--out", tmp_path / "store", "--snapshot", SNAPSHOT)
        assert run(*self.WORDS, *words).code == 0
        groups = {row["group"]: row for row in rows(tmp_path / "store" / "groups")}
        assert groups["g-idle"]["subscriptions_inferred"] is False
        assert groups["g-range"]["subscriptions_inferred"] is True

    def test_lines_that_can_not_be_read_are_told_with_file_and_number(
        self, run: Run, tmp_path: Path
    ) -> None:
        text = (CAPTURES / "members_verbose.txt").read_text()
        (tmp_path / "odd.txt").write_text(text + "\nwhat is this line?\n")
        said = run(
            *("import-cli", "--cluster", "c", "--topics", CAPTURES / "topics.txt"),
            *("--groups", tmp_path / "odd.txt", "--out", tmp_path / "store"),
        )
        assert said.code == 0
        number = len(text.splitlines()) + 2
        assert re.search(rf"odd\.txt:{number}: .*what is this line\?", said.err)
        assert "1 lines could not be read." in said.err

    @pytest.mark.parametrize("option", ["--groups", "--topics"])
    def test_text_that_is_not_kafkas_is_bad_input(
        self, run: Run, tmp_path: Path, option: str
    ) -> None:
        (tmp_path / "poem.txt").write_text("roses are red\nviolets are blue\n")
        files = {"--groups": CAPTURES / "state.txt", "--topics": CAPTURES / "topics.txt"}
        words = [
            word for pair in (files | {option: tmp_path / "poem.txt"}).items() for word in pair
        ]
        said = run("import-cli", "--cluster", "c", *words, "--out", tmp_path / "store")
        assert (said.code, is_one_line(said)) == (2, True)
        assert "poem.txt" in said.err
        assert not (tmp_path / "store").exists()

    def test_a_snapshot_is_not_written_over(self, run: Run, tmp_path: Path) -> None:
        words = (*self.WORDS, "--out", tmp_path / "store", "--snapshot", SNAPSHOT)
        assert run(*words).code == 0
        said = run(*words)
        assert said.code == 2
        assert "is there already: choose another snapshot id" in said.err.splitlines()[-1]

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (["--snapshot", "../x"], "'../x' can't be the id of a snapshot"),
            (["--infer", "guess"], "Invalid value for '--infer'"),
            (["--groups", "missing.txt"], "missing.txt"),
        ],
    )
    def test_a_wrong_option_is_bad_input(
        self, run: Run, tmp_path: Path, words: list[str], sentence: str
    ) -> None:
        said = run(*self.WORDS, "--out", tmp_path / "store", *words)
        assert (said.code, is_one_line(said)) == (2, True)
        assert sentence in said.err
        assert not (tmp_path / "store").exists()


def test_the_demo_runs_the_commands_and_prints_them(run: Run, tmp_path: Path) -> None:
    out = tmp_path / "demo"
    said = run("demo", "--groups", 12, "--out", out)
    assert said.code == 0
    steps = [
        f"$ evenfleet plan {out}/store --out {out}/plan\n",
        f"$ evenfleet compare {out}/store --out {out}/compare\n",
        f"$ evenfleet verify {out}/store {out}/plan\n",
    ]
    assert re.findall(r"\$ .*\n", said.err) == steps
    assert "no fault: every partition, measure and proof holds" in said.err
    said = run("demo", "--groups", 12, "--out", out)
    assert (said.code, is_one_line(said)) == (2, True)
    assert "is there already: remove it, or choose another --out" in said.err


class TestBadInput:
    """Each a readable line and exit code 2, and nothing written."""

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (["plan", "s", "--out", "o", "--speed", "9"], "No such option: --speed"),
            (["plan", "s"], "Missing option '--out'"),
            (["plan"], "Missing argument"),
            (["plan", "s", "--out"], "'--out' requires an argument"),
            (["play"], "No such command 'play'"),
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
            (["verify", "s", "p", "--conf", "=x"], "--conf '=x' is not of the form KEY=VALUE"),
            (["verify", "s", "p", "--config", "no.toml"], "configuration no.toml can't be read"),
        ],
    )
    def test_options(self, run: Run, asked: list, words: list[str], sentence: str) -> None:
        said = run(*words)
        assert (said.code, is_one_line(said)) == (2, True)
        assert sentence in said.err
        assert asked == []  # it shows before Spark starts

    def test_an_unknown_key_in_the_configuration(self, run: Run, tmp_path: Path) -> None:
        (tmp_path / "my.toml").write_text("stratgy = 'range'\n")
        said = run("plan", "s", "--out", "o", "--config", tmp_path / "my.toml")
        assert (said.code, is_one_line(said)) == (2, True)
        assert "my.toml: unknown key 'stratgy' (known are strategy, " in said.err

    @pytest.mark.parametrize("command", ["plan", "compare"])
    def test_an_output_below_a_file(
        self, run: Run, store: Path, tmp_path: Path, command: str
    ) -> None:
        (tmp_path / "file").touch()
        for out in (f"{tmp_path}/file", f"{tmp_path}/file/out", f"file:{tmp_path}/file/out"):
            said = run(command, store, "--out", out)
            assert (said.code, is_one_line(said)) == (2, True)
            assert f"output {out} can't be written: {tmp_path}/file is not a folder" in said.err

    def test_a_table_of_the_output_that_is_a_file(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        """It shows when it is written."""
        out = tmp_path / "plan"
        out.mkdir()
        (out / "assignments").touch()
        said = run("plan", store, "--out", out)
        assert (said.code, is_one_line(said)) == (2, True)
        assert f"{out}/assignments/snapshot={SNAPSHOT} can't be written: " in said.err
        assert not (out / "groups").exists()

    def test_a_store_as_the_output_would_be_overwritten(self, run: Run, store: Path) -> None:
        """Its tables have the same names."""
        before = {path: path.read_bytes() for path in store.rglob("*.parquet")}
        said = run("plan", store, "--out", f"{store}/")
        assert (said.code, is_one_line(said)) == (2, True)
        assert "is a store, whose tables a plan would overwrite: choose another" in said.err
        assert {path: path.read_bytes() for path in store.rglob("*.parquet")} == before

    @pytest.mark.parametrize(
        "words", [(), ("--snapshot", "all"), ("--snapshot", SNAPSHOT)], ids=" ".join
    )
    def test_an_empty_store(self, run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
        said = run("plan", tmp_path / "nowhere", "--out", tmp_path / "plan", *words)
        assert (said.code, is_one_line(said)) == (2, True)
        assert "import or write one first" in said.err
        assert list(tmp_path.iterdir()) == []

    def test_no_such_snapshot(self, run: Run, store: Path, tmp_path: Path) -> None:
        said = run("compare", store, "--out", tmp_path / "o", "--snapshot", EARLIER)
        assert (said.code, is_one_line(said)) == (2, True)
        assert f"has no snapshot {EARLIER}: the newest it has are {SNAPSHOT}" in said.err

    def break_table(self, store: Path, how: str) -> str:
        """Do something to the members; what is said of it."""
        (part,) = store.glob("members/*/*.parquet")
        table = pq.ParquetFile(part).read()
        if how == "missing table":
            shutil.rmtree(store / "members")
            return "no whole snapshot (nothing is in members)"
        if how == "broken footer":
            part.write_bytes(part.read_bytes()[:-9])
            return "table members can't be read from "
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
        said = run("plan", store, "--out", tmp_path / "plan")
        assert (said.code, is_one_line(said)) == (2, True)
        assert sentence in said.err
        assert not (tmp_path / "plan").exists()


class TestRunFailed:
    """What is nobody's input."""

    def test_an_error_of_our_own_is_code_3(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        for error in (RuntimeError("no luck\nat all"), ValueError("odd"), KeyError(), OSError()):

            def fail(*_: Any, error: Exception = error) -> None:
                raise error

            monkeypatch.setattr("spark.jobs.plan.plan_store", fail)
            said = run("plan", "s", "--out", "o")
            assert (said.code, is_one_line(said)) == (3, True)
            assert said.err.startswith(f"evenfleet: {type(error).__name__}: ")

    def test_a_failed_task_is_code_3_in_one_line(
        self, run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """And what was planned before stays, or goes wholly."""

        def fail(solved: Any) -> Any:
            return solved.selectExpr("assert_true(1 = 2, 'no luck')")

        monkeypatch.setattr("spark.plan.summarize", fail)
        monkeypatch.setattr("spark.plan.plan_groups", fail)
        said = run("plan", store, "--out", tmp_path / "plan")
        assert (said.code, is_one_line(said)) == (3, True)
        assert "no luck" in said.err
        monkeypatch.undo()

    def test_an_interrupt_is_told(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        def interrupt(*_: Any) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("spark.jobs.plan.plan_store", interrupt)
        said = run("plan", "s", "--out", "o")
        assert (said.code, said.err) == (130, "evenfleet: interrupted\n")


def test_jobs_have_a_label_in_sparks_ui(
    run: Run, spark: SparkSession, store: Path, tmp_path: Path
) -> None:
    run("plan", store, "--out", tmp_path / "plan")
    label = spark.sparkContext.getLocalProperty("spark.job.description")
    assert label == f"evenfleet plan by optimal: snapshot {SNAPSHOT}"
