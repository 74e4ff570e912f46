"""`evenfleet plan` and `demo` as a user runs them: what they say, write and return."""

from __future__ import annotations

import json
import re
import shutil
from functools import partial
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from spark.demo import make_history
from spark.fleet.local_store import write_store
from spark.glossary import GLOSSARY
from spark.jobs import demo
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, is_one_line
from tests.support.small import EARLIER, rows, small


class TestPlan:
    """`evenfleet plan`."""

    def test_both_tables_are_written_by_snapshot(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        """A new user reads what states and columns mean."""
        output = run("plan", store, "--out", tmp_path / "plan")
        assert output.code == 0
        assert re.search(r"empty +1 +no members", output.out)
        assert re.search(r"ok +1 +planned", output.out)
        meanings = [word for word in GLOSSARY if f"{word}: " in output.out]
        assert meanings == ["uneven"]
        assert f"Snapshot {SNAPSHOT} is planned by optimal" in output.err
        assert "now" in output.out
        assert [tuple(row.values())[2:] for row in rows(tmp_path / "plan" / "assignments")] == [
            ("t", 0, "a", "a", "keep"),
            ("t", 1, "b", "a", "move"),
        ]
        groups = rows(tmp_path / "plan" / "groups")
        assert [(row["group"], row["status"]) for row in groups] == [
            ("g", "ok"),
            ("nobody", "empty"),
        ]
        assert {path.name for path in (tmp_path / "plan").glob("[!.]*")} == {
            "assignments",
            "groups",
        }

    def test_json_is_one_object_of_all_tables(self, run: Run, store: Path, tmp_path: Path) -> None:
        output = run("plan", store, "--out", tmp_path / "plan", "--format", "json")
        printed = json.loads(output.out)
        assert [row["fleet"] for row in printed["fleet"]] == ["now", "planned"]
        assert printed["fleet"][1]["moves"] == 1
        assert printed["groups"] == [
            {"snapshot": SNAPSHOT, "status": "empty", "groups": 1},
            {"snapshot": SNAPSHOT, "status": "ok", "groups": 1},
        ]

    def test_what_is_broken_among_all_stops_nobody_else(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        """One file is missing, of another a bit isn't as it was written."""
        for snapshot in (EARLIER, "20261121T040000Z"):
            write_store(small().tables(), store, snapshot)
        shutil.rmtree(store / "members" / "snapshot=20261121T040000Z")
        (part,) = store.glob(f"members/snapshot={EARLIER}/*.parquet")
        raw = part.read_bytes()
        part.write_bytes(raw[:-20] + b"?" + raw[-19:])
        output = run("plan", store, "--out", tmp_path / "p", "--snapshot", "all")
        assert output.code == 2
        assert "Skipped: snapshot 20261121T040000Z isn't whole: it lacks members" in output.err
        assert "evenfleet: 1 of 2 snapshots are planned, the others can't be read: " in output.err
        assert f"{part} can't be read: its bytes aren't those that were written" in output.err
        assert "planned" in output.out
        folders = (tmp_path / "p").glob("*/snapshot=*")
        assert {path.name for path in folders} == {f"snapshot={SNAPSHOT}"}

    def test_every_snapshot_is_planned_for_all(self, run: Run, store: Path, tmp_path: Path) -> None:
        write_store(small().tables(), store, EARLIER)
        output = run(
            "plan", store, "--out", tmp_path / "p", "--snapshot", "all", "--format", "json"
        )
        assert output.code == 0
        fleet = json.loads(output.out)["fleet"]
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
            output = run(*words)
            assert output.code == 0
            assert "table members: left out unknown columns age\n" in output.err


def test_the_demo_runs_the_commands_and_prints_them(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(demo, "make_history", partial(make_history, hours=12))  # of 48
    out = tmp_path / "demo"
    output = run("demo", "--groups", 12, "--out", out, "--history")
    assert output.code == 0
    tried = "--strategies current,range,cooperative-sticky,uniform,optimal"
    (explained,) = re.findall(r"\$ evenfleet explain .*\n", output.err)
    steps = [
        explained,
        f"$ evenfleet audit {out}/store --out {out}/audit\n",
        f"$ evenfleet plan {out}/store --out {out}/plan\n",
        f"$ evenfleet compare {out}/store --out {out}/compare {tried}\n",
        f"$ evenfleet compare {out}/store --out {out}/by-weight --weight column {tried}\n",
        f"$ evenfleet history {out}/store --out {out}/history\n",
        f"$ evenfleet replay {out}/store --out {out}/replay "
        "--strategies current,range,cooperative-sticky,optimal\n",
        f"$ evenfleet report {out}/store --out {out}/report.html --plan {out}/plan "
        f"--audit {out}/audit --compare {out}/compare --by-weight {out}/by-weight "
        f"--history {out}/history\n",
        f"$ evenfleet verify {out}/store {out}/plan\n",
    ]
    assert "could be more even" in output.err
    assert re.findall(r"\$ .*\n", output.err) == steps
    assert "no fault: every partition, measure and proof holds" in output.err
    assert (out / "report.html").is_file()
    assert "restless groups" in output.out and "Best" in output.err
    output = run("demo", "--groups", 12, "--out", out)
    assert (output.code, is_one_line(output)) == (2, True)
    assert f"{out}/store exists: remove it, or choose another --out" in output.err
