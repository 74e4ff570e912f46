"""Two clusters collected an hour apart and a third only imported: every command shows all three."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from spark.fleet.local_store import write_store
from tests.paths import DATA
from tests.support.fleets import Fleet
from tests.support.said import Run, flat, is_one_line
from tests.support.small import rows

SIX, SEVEN = "20261121T060000Z", "20261121T070000Z"
CAPTURES = DATA / "cli"
IMPORT = (
    *("import-cli", "--topics", CAPTURES / "topics.txt", "--snapshot", SIX),
    *("--groups", CAPTURES / "members_verbose.txt", "--groups", CAPTURES / "state.txt"),
)
INSTANTS = {"east": SEVEN, "imported": SIX, "west": SIX}
TOLD = f"Read snapshot {SEVEN}: 1 cluster (east); snapshot {SIX}: 2 clusters (imported, west).\n"


def collected(cluster: str) -> Fleet:
    """One member owns what two could share."""
    fleet = Fleet().topic("t", 2, cluster=cluster)
    for row in fleet.rows["partitions"]:
        row["leader"] = 1
    claims = [("t", 0, "a"), ("t", 1, "a")]
    name = f"g-{cluster}"
    return fleet.group(name, {"a": ["t"], "b": ["t"]}, claims, cluster=cluster)


@pytest.fixture
def store(tmp_path: Path, run: Run) -> Path:
    """West at six, into which a third cluster is imported, and east at seven."""
    store = tmp_path / "store"
    write_store(collected("west").tables(), store, SIX)
    write_store(collected("east").tables(), store, SEVEN)
    assert run(*IMPORT, "--cluster", "imported", "--out", store).code == 0
    return store


def told_in(printed: str) -> dict[str, str]:
    return {row["cluster"]: row["snapshot"] for row in json.loads(printed)["clusters"]}


def clusters_in(table: Any) -> set[str]:
    return {row["cluster"] for row in table}


class TestEveryCommand:
    """Nothing is left out in silence."""

    def test_plan_and_verify_and_export(self, run: Run, store: Path, tmp_path: Path) -> None:
        out = tmp_path / "plan"
        output = run("plan", store, "--out", out)
        assert (output.code, TOLD in output.err) == (0, True)
        for table in ("groups", "assignments"):
            assert clusters_in(rows(out / table, SEVEN)) == set(INSTANTS)
        write_store(collected("later").tables(), store, "20261121T080000Z")
        for form in ("table", "json"):
            output = run("verify", store, out, "--format", form)
            assert output.code == 0
            assert TOLD in output.err
        assert told_in(output.out) == INSTANTS
        file = tmp_path / "west.json"
        output = run("export-plan", store, out, "--group", "g-range", "--out", file)
        assert (output.code, TOLD in output.err) == (0, True)
        assert f"cluster imported, snapshot {SEVEN}" in output.err
        assert json.loads(file.read_text())["cluster"] == "imported"

    def test_a_cluster_that_the_plan_lost_is_a_fault(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        out = tmp_path / "plan"
        run("plan", store, "--out", out)
        alone = tmp_path / "alone"
        run("plan", store, "--out", alone, "--snapshot", SEVEN)
        for table in ("groups", "assignments"):
            shutil.rmtree(out / table)
            shutil.copytree(alone / table, out / table)
        output = run("verify", store, out, "--format", "json")
        assert output.code == 1
        assert clusters_in(json.loads(output.out)["faults"]) == {"west", "imported"}

    def test_an_id_is_that_snapshot_alone(self, run: Run, store: Path, tmp_path: Path) -> None:
        output = run(
            "plan", store, "--out", tmp_path / "p", "--snapshot", "all", "--format", "json"
        )
        assert output.code == 0
        assert json.loads(output.out)["clusters"] == [
            {"cluster": "imported", "snapshot": SIX},
            {"cluster": "west", "snapshot": SIX},
            {"cluster": "east", "snapshot": SEVEN},
        ]
        assert clusters_in(rows(tmp_path / "p" / "groups", SEVEN)) == {"east"}
        output = run("verify", store, tmp_path / "p")
        assert output.code == 0
        assert f"Read snapshot {SEVEN}: 1 cluster (east).\n" in output.err

    def test_compare(self, run: Run, store: Path, tmp_path: Path) -> None:
        words = ("--strategies", "current,optimal", "--format", "json")
        output = run("compare", store, "--out", tmp_path / "out", *words)
        assert (output.code, TOLD in output.err) == (0, True)
        assert told_in(output.out) == INSTANTS
        assert clusters_in(rows(tmp_path / "out" / "comparison", SEVEN)) == set(INSTANTS)

    def test_audit(self, run: Run, store: Path, tmp_path: Path) -> None:
        output = run("audit", store, "--out", tmp_path / "out", "--format", "json")
        assert (output.code, TOLD in output.err) == (0, True)
        assert told_in(output.out) == INSTANTS
        result = rows(tmp_path / "out" / "findings", SEVEN)
        assert clusters_in(result) == set(INSTANTS)

    @pytest.mark.parametrize("cluster", ["east", "west"])
    def test_explain(self, run: Run, store: Path, cluster: str) -> None:
        output = run("explain", store, "--group", f"g-{cluster}")
        assert (output.code, TOLD in output.err) == (0, True)
        assert f"Group g-{cluster} of cluster {cluster} could be more even" in output.err

    def test_graph(self, run: Run, store: Path, graphframes: object) -> None:
        words = ("--question", "coupled-groups", "--format", "json", "--rows", 0)
        output = run("graph", store, *words)
        assert (output.code, TOLD in output.err) == (0, True)
        assert clusters_in(json.loads(output.out)["groups"]) == set(INSTANTS)

    def test_snapshots(self, run: Run, store: Path) -> None:
        listed = json.loads(run("snapshots", store, "--format", "json").out)["snapshots"]
        assert [row["clusters"] for row in listed] == [["imported", "west"], ["east"]]
        write_store(collected("east").tables(), store, "20261121T080000Z")
        printed = flat(run("snapshots", store).out)
        assert f"clusters - {SIX}: imported, west - {SEVEN} to 20261121T080000Z: east" in printed

    def test_a_smaller_age_is_configured(self, run: Run, store: Path, tmp_path: Path) -> None:
        config = tmp_path / "my.toml"
        config.write_text("max_age = '59m'\n")
        output = run("explain", store, "--group", "g-west", "--config", config)
        assert output.code == 2
        assert "has no group 'g-west'" in output.err


class TestImport:
    """`evenfleet import-cli` into a snapshot that is there."""

    def test_what_is_there_stays_untouched(self, run: Run, store: Path) -> None:
        before = {path: path.read_bytes() for path in store.rglob("*.parquet")}
        assert run(*IMPORT, "--cluster", "second", "--out", store).code == 0
        after = {path: path.read_bytes() for path in store.rglob("*.parquet")}
        assert before.items() < after.items()
        listed = json.loads(run("snapshots", store, "--format", "json").out)["snapshots"]
        assert listed[0]["clusters"] == ["imported", "second", "west"]
        assert listed[0]["state"] == "whole"

    def test_a_cluster_that_it_has_is_refused(self, run: Run, store: Path) -> None:
        before = sorted(store.rglob("*"))
        output = run(*IMPORT, "--cluster", "imported", "--out", store)
        assert output.code == 2
        assert "remove that snapshot, which has 1 cluster (imported)\n" in output.err
        assert sorted(store.rglob("*")) == before

    def test_a_snapshot_that_is_not_whole_is_refused(self, run: Run, store: Path) -> None:
        """It would look whole, with half a cluster in it."""
        shutil.rmtree(store / "assignments" / f"snapshot={SIX}")
        output = run(*IMPORT, "--cluster", "second", "--out", store)
        assert (output.code, is_one_line(output)) == (2, True)
        assert "remove that snapshot, which isn't whole\n" in output.err
