"""`evenfleet compare` and `verify` as a user runs them."""

import json
from pathlib import Path

from spark.fleet.local_store import write_store
from tests.support.fleets import SNAPSHOT, Fleet
from tests.support.said import Run
from tests.support.small import rows

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

    def test_a_plan_without_any_partition_verifies(self, run: Run, tmp_path: Path) -> None:
        """Not one group has members."""
        write_store(Fleet().group("g", {}).tables(), tmp_path / "store", SNAPSHOT)
        assert run("plan", tmp_path / "store", "--out", tmp_path / "plan").code == 0
        assert rows(tmp_path / "plan" / "assignments") == []
        output = run("verify", tmp_path / "store", tmp_path / "plan", "--format", "json")
        assert (output.code, json.loads(output.out)) == (0, {"faults": [], "clusters": CLUSTERS})
