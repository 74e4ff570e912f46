"""`evenfleet compare` and `verify` as a user runs them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq

from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run, flat, is_one_line
from tests.support.small import EARLIER, rows, small

CLUSTERS = [{"cluster": "c", "snapshot": SNAPSHOT}]


class TestCompareAndVerify:
    """`evenfleet compare` and `evenfleet verify`."""

    def test_a_comparison_is_written_by_group_and_for_the_fleet(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "out"
        words = ("--strategies", "current,optimal", "--format", "json")
        output = run("compare", store, "--out", out, *words)
        assert output.code == 0
        compared = rows(out / "comparison")
        assert [(row["group"], row["strategy"], row["moves"]) for row in compared] == [
            ("g", "current", 0),
            ("g", "optimal", 1),
            ("nobody", "current", None),
            ("nobody", "optimal", None),
        ]
        fleet = rows(out / "fleet")
        assert [row["strategy"] for row in fleet] == ["optimal", "current"]
        cure = {"set": "a plan", "then": 1.0, "moves": 1}
        assert json.loads(output.out) == {
            "strategies": fleet,
            "groups to change": [{"cluster": "c", "group": "g", "now": 2.0, "best": 1.0} | cure],
            "clusters": CLUSTERS,
        }

    def test_a_sound_plan_verifies(self, run: Run, store: Path, tmp_path: Path) -> None:
        run("plan", store, "--out", tmp_path / "plan")
        output = run("verify", store, tmp_path / "plan")
        assert (output.code, output.out) == (0, "")
        assert output.err == (
            f"Read snapshot {SNAPSHOT}: 1 cluster (c).\n"
            f"Snapshot {SNAPSHOT}, 1 planned groups: "
            "no fault: every partition, measure and proof holds.\n"
            f"Next: evenfleet report {store} --out report.html --plan {tmp_path / 'plan'}\n"
        )

    def test_a_plan_without_any_partition_verifies(self, run: Run, tmp_path: Path) -> None:
        """Not one group has members."""
        write_store(Fleet().group("g", {}).tables(), tmp_path / "store", SNAPSHOT)
        assert run("plan", tmp_path / "store", "--out", tmp_path / "plan").code == 0
        assert rows(tmp_path / "plan" / "assignments") == []
        output = run("verify", tmp_path / "store", tmp_path / "plan", "--format", "json")
        assert (output.code, json.loads(output.out)) == (0, {"faults": [], "clusters": CLUSTERS})

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
        output = run("verify", store, plan, "--format", "json")
        assert output.code == 1
        faults = json.loads(output.out)["faults"]
        assert {fault["snapshot"] for fault in faults} == {EARLIER}
        assert "t-0 is not in the plan (1 such)" in {fault["fault"] for fault in faults}
        output = run("verify", store, plan)
        assert output.code == 1
        assert "t-0 is not in the plan" in flat(output.out)
        assert f"Snapshot {EARLIER}, 1 planned groups: {len(faults)} faults.\n" in output.err
        assert f"Snapshot {SNAPSHOT}, 1 planned groups: no fault: " in output.err

    def test_a_plan_that_is_not_whole_is_bad_input(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        plan = tmp_path / "plan"
        output = run("verify", store, plan)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"no folder {plan}: write it with `evenfleet plan`" in output.err
        plan.mkdir()
        output = run("verify", store, plan)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"plan {plan} is empty: write it with `evenfleet plan`" in output.err
        run("plan", store, "--out", plan)
        shutil.rmtree(plan / "groups")
        output = run("verify", store, plan)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"has no table groups of snapshot {SNAPSHOT}: name a folder that plan" in output.err

    def test_the_plan_of_a_snapshot_that_the_store_lacks_is_bad_input(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        run("plan", store, "--out", tmp_path / "plan")
        shutil.rmtree(store)
        write_store(small().tables(), store, EARLIER)
        output = run("verify", store, tmp_path / "plan")
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"has no snapshot {SNAPSHOT}" in output.err

    def test_what_is_no_plan_is_bad_input(self, run: Run, store: Path) -> None:
        """A store has tables of the same names."""
        output = run("verify", store, store)
        assert (output.code, is_one_line(output)) == (2, True)
        assert "the plan can't be checked: its table assignments lacks the column " in output.err
