"""`evenfleet audit` and `evenfleet snapshots` as a user runs them."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from prometheus_client.parser import text_string_to_metric_families

from spark.audit.finding import COLUMNS
from spark.audit.fleet_audit import COORDINATORS
from spark.audit.registry import FINDINGS
from spark.audit.summary import AuditSummary
from spark.fleet.local_store import write_store
from tests.support.fleets import Fleet, damage_pages
from tests.support.said import Run, flat, is_one_line

FIRST, SECOND, THIRD, FOURTH, FIFTH, SIXTH = (f"20261121T0{hour}0000Z" for hour in range(6))


def well() -> Fleet:
    """A group as it should be, in which one member has nothing because there is nothing left."""
    fleet = Fleet().topic("t", 2)
    members = {"a": ["t"], "b": ["t"], "c": ["t"]}
    return fleet.group("g", members, [("t", 0, "a"), ("t", 1, "b")])


def troubled() -> Fleet:
    """Two members own one partition, which is critical; nobody owns another, which is a warning."""
    fleet = Fleet().topic("t", 4)
    claims = [("t", 0, "a"), ("t", 0, "b"), ("t", 1, "a"), ("t", 2, "b")]
    return fleet.group("g", {"a": ["t"], "b": ["t"]}, claims).group("nobody", {})


def half_write(store: Path, snapshot: str) -> None:
    """What a writer leaves that is cut short before the last table."""
    write_store(well().tables(), store, snapshot)
    shutil.rmtree(store / "partitions" / f"snapshot={snapshot}")


def be_writing(store: Path, snapshot: str) -> None:
    """What Spark makes while it writes a table again."""
    write_store(well().tables(), store, snapshot)
    (store / "members" / f"snapshot={snapshot}" / "_temporary" / "0").mkdir(parents=True)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store"


class TestAudit:
    """What is found, and where it goes."""

    def test_troubles_are_told_written_and_counted(
        self, run: Run, store: Path, tmp_path: Path
    ) -> None:
        """With what to do.

        Snapshots that aren't whole or can't be read are skipped, as it says: newer ones, and those
        between the snapshot and the one to compare it with.
        """
        write_store(troubled().tables(), store, FIRST)
        write_store(troubled().tables(), store, SECOND)
        (part,) = store.glob(f"assignments/snapshot={SECOND}/*.parquet")
        part.write_bytes(part.read_bytes()[:-9])
        write_store(troubled().tables(), store, THIRD)
        write_store(troubled().tables(), store, FOURTH)
        (part,) = store.glob(f"members/snapshot={FOURTH}/*.parquet")
        damage_pages(part, statistics=True)
        half_write(store, FIFTH)
        be_writing(store, SIXTH)
        out, metrics = tmp_path / "out", tmp_path / "evenfleet.prom"
        words = ("--out", out, "--prometheus", metrics, "--fail-on", "critical")
        output = run("audit", store, *words)
        assert output.code == 1
        lines = output.err.splitlines()
        skipped = f"Skipped: snapshot {SECOND} isn't whole: {store}/assignments/snapshot={SECOND}"
        assert lines[0].startswith(skipped)
        assert lines[1:3] == [
            f"Skipped: snapshot {FIFTH} isn't whole: it lacks partitions",
            f"Skipped: snapshot {SIXTH} isn't whole: it is being written, or its writing was cut "
            "short",
        ]
        assert lines[3].startswith("Skipped: ")
        assert f"/members/snapshot={FOURTH}" in lines[3]
        assert lines[4:] == [
            f"Read snapshot {THIRD}: 1 cluster (c).",
            f"All findings are in {out}/findings.",
            f"Snapshot {THIRD}. 1 critical finding and 1 warning in 1 group: the fleet is in "
            "trouble. Start with claimed-twice. Not judged: 1 empty. 0 of 1 group is uneven.",
            f"Next: evenfleet plan {store} --out plan",
        ]
        printed = flat(output.out)
        assert "critical: claimed-twice - c: 1 partition of topic t is claimed by two members" in (
            printed
        )
        assert f"→ {FINDINGS['claimed-twice'].advice}" in printed
        assert printed.index("claimed-twice - c:") < printed.index("unread-partitions - c:")
        assert (
            "lag-on-few-partitions, lag-on-one-member, offset-beyond-end: the snapshot" in printed
        )
        assert "no earlier snapshot" not in printed

        (part,) = (out / "findings" / f"snapshot={THIRD}").glob("*.parquet")
        table = pq.ParquetFile(part).read()
        assert tuple(table.column_names) == COLUMNS
        rows = table.to_pylist()
        assert [(row["finding"], row["severity"]) for row in rows] == [
            ("claimed-twice", "critical"),
            ("unread-partitions", "warning"),
        ]
        assert {(row["cluster"], row["group"], row["subject"]) for row in rows} == {
            ("c", "g", "topic t")
        }
        text = metrics.read_text(encoding="utf-8")
        counted = {
            (sample.labels["finding"], sample.labels["severity"]): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
            if sample.name == "evenfleet_audit_findings"
        }
        assert {key for key, value in counted.items() if value == 1} == {
            (row["finding"], row["severity"]) for row in rows
        }
        assert sum(counted.values()) == len(rows)

    def test_json_is_one_object_and_the_threshold_is_not_passed(
        self, run: Run, store: Path
    ) -> None:
        """Of a snapshot by its id; and what couldn't be run, and why."""
        write_store(well().tables(), store, SECOND)
        write_store(troubled().tables(), store, THIRD)
        words = ("--snapshot", SECOND, "--fail-on", "warning", "--format", "json")
        output = run("audit", store, *words)
        assert output.code == 0
        printed = json.loads(output.out)
        result = {row["finding"]: row for row in printed["findings"]}
        not_run = {row["finding"]: row["why"] for row in printed["not_run"]}
        assert {*result, *not_run} == {*FINDINGS}
        assert not result.keys() & not_run.keys()
        assert result["spare-members"] == {
            "finding": "spare-members", "critical": 0, "warning": 0, "info": 1
        }  # fmt: skip
        assert not_run["avoidable-moves"] == "there is no earlier snapshot to compare with"
        assert not_run["unequal-topics"] == (
            "no co-partitioned topics are configured ([[copartitioned]])"
        )
        assert all(tuple(row) == COLUMNS for row in printed["worst"])
        assert printed["verdict"][0]["snapshot"] == SECOND
        assert printed["verdict"][0]["state"] == "well"
        assert printed["groups"] == [{"status": "ok", "groups": 1}]
        assert printed["clusters"] == [{"cluster": "c", "snapshot": SECOND}]
        assert (
            f"\nSnapshot {SECOND}. 0 critical findings and 0 warnings in 1 group: the fleet "
            "is well." in output.err
        )

    def test_who_coordinates_what_is_a_table(self, run: Run, store: Path, tmp_path: Path) -> None:
        """Broker 1 by what was said, 2 by the group's name, 3 nothing, in cluster c alone."""
        fleet = troubled().topic("__consumer_offsets", 1).add("brokers", broker=3)
        fleet.rows["partitions"][-1]["leader"] = 2
        fleet.group("said", {"a": ["t"]}, coordinator=1).topic("t", 1, cluster="d")
        fleet.group("far", {"a": ["t"]}, [("t", 0, "a")], cluster="d")
        write_store(fleet.tables(), store, FIRST)
        output = run("audit", store, "--out", tmp_path)
        assert output.code == 0
        assert f"The groups of each coordinator are in {tmp_path}/coordinators.\n" in output.err
        table = pq.ParquetFile(*(tmp_path / "coordinators").glob("*/*.parquet")).read()
        assert [tuple(row.values()) for row in table.to_pylist()] == [
            ("c", 1, 1, 1, 4, 4, 1.0, False),
            ("c", 2, 2, 2, 4, 8, 2.0, True),
            ("c", 3, 0, 0, 0, 0, 0.0, False),
        ]
        assert tuple(table.column_names) == COORDINATORS

    @pytest.mark.parametrize(
        ("words", "code"),
        [((), 0), (("--fail-on", "critical"), 0), (("--fail-on", "warning"), 1)],
    )
    def test_a_finding_so_bad_or_worse_fails_the_audit(
        self,
        run: Run,
        store: Path,
        monkeypatch: pytest.MonkeyPatch,
        words: tuple[str, ...],
        code: int,
    ) -> None:
        write_store(troubled().tables(), store, FIRST)
        result = {"finding": "claimed-twice", "critical": 0, "warning": 1, "info": 3}
        summary = AuditSummary(
            *(FIRST, [result], {"ok": 1}, {}, [], {}),
            has_coordinators=False,
            has_failures=False,
            uneven=0,
            uneven_sentence="",
        )
        monkeypatch.setattr("spark.jobs.audit.AuditedStore.audit", lambda *_: nullcontext())
        monkeypatch.setattr("spark.jobs.audit.write_audit", lambda *_: summary)
        assert run("audit", store, *words).code == code

    @pytest.mark.parametrize(
        ("fleet", "told", "groups"),
        [
            (Fleet(), "the snapshot has no groups", {}),
            (
                troubled().group("g", {}),
                "0 groups could be judged: 1 empty, 1 invalid. 1 critical finding and 1 warning. "
                "Start with claimed-twice.",
                {"empty": 1, "invalid": 1},
            ),
        ],
    )
    def test_where_nothing_can_be_judged_nothing_is_well(
        self,
        run: Run,
        store: Path,
        tmp_path: Path,
        fleet: Fleet,
        told: str,
        groups: dict[str, int],
    ) -> None:
        """A fleet without rows, and one whose only group is listed twice."""
        write_store(fleet.tables(), store, FIRST)
        metrics = tmp_path / "evenfleet.prom"
        words = ("--fail-on", "critical", "--prometheus", metrics)
        output = run("audit", store, *words, "--format", "json")
        assert output.code == 1
        assert told in output.err and "is well" not in output.err
        printed = json.loads(output.out)
        assert {row["status"]: row["groups"] for row in printed["groups"]} == groups
        (row,) = printed["verdict"]
        assert row["state"] == "not judged" and told in row["verdict"]
        values = metrics.read_text(encoding="utf-8")
        assert 'evenfleet_audit_state{state="not judged"} 1\n' in values
        assert 'evenfleet_audit_state{state="well"} 0\n' in values


class TestBadInput:
    """One line and exit code 2."""

    @pytest.mark.parametrize(
        ("words", "sentence"),
        [
            (("--fail", "critical"), "No such option"),
            (("--fail-on", "info"), "'--fail-on': 'info' is not one of 'warning', 'critical'"),
            (("--thresholds", "no.toml"), "thresholds no.toml can't be read: No such file"),
            (("--thresholds", "{here}"), "can't be read: Is a directory"),
            (("--thresholds", "{here}/torn.toml"), "torn.toml is not TOML: "),
            (
                ("--thresholds", "{here}/faulty.toml"),
                "faulty.toml: unbalanced: unknown key 'most' (known are info, warning, critical, "
                "least); prometheus: worst_groups is -1 and must be a whole number from 0 on",
            ),
            (("--out", "{here}/torn.toml/out"), "torn.toml is not a folder"),
            (("--prometheus", "{here}/no/x.prom"), "no/x.prom can't be written: "),
            (("--prometheus", "{here}/x.txt"), "takes files named *.prom alone; name it x.prom"),
            (("--config", "no.toml"), "configuration no.toml can't be read"),
        ],
    )
    def test_options(
        self, run: Run, asked: list[Any], tmp_path: Path, words: tuple[str, ...], sentence: str
    ) -> None:
        """It shows before Spark starts."""
        (tmp_path / "torn.toml").write_text("[unbalanced", encoding="utf-8")
        (tmp_path / "faulty.toml").write_text(
            "[unbalanced]\nmost = 1\n[prometheus]\nworst_groups = -1", encoding="utf-8"
        )
        output = run("audit", "s", *(word.format(here=tmp_path) for word in words))
        assert (output.code, is_one_line(output)) == (2, True)
        assert sentence in output.err
        assert asked == []

    def test_a_snapshot_that_can_not_be_read(self, run: Run, store: Path) -> None:
        """When it is the only one, or named, there is none to take instead."""
        write_store(well().tables(), store, FIRST)
        (part,) = store.glob("members/*/*.parquet")
        part.write_bytes(part.read_bytes()[:-9])
        for words in ((), ("--snapshot", FIRST)):
            output = run("audit", store, *words)
            assert (output.code, is_one_line(output)) == (2, True)
            assert f"snapshot {FIRST} of store {store} isn't whole: {part} can't" in output.err

    def test_a_store_without_a_whole_snapshot(self, run: Run, store: Path) -> None:
        output = run("audit", store)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"no folder {store}: import or write one first" in output.err
        half_write(store, FIRST)
        half_write(store, SECOND)
        sentence = f"snapshot {SECOND} of store {store} isn't whole: it lacks partitions"
        for words in ((), ("--snapshot", SECOND)):
            output = run("audit", store, *words)
            assert (output.code, is_one_line(output)) == (2, True)
            assert sentence in output.err
        output = run("audit", store, "--snapshot", FOURTH)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"has no snapshot {FOURTH}" in output.err

    @pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
    def test_folders_without_permission(self, run: Run, asked: list[Any], tmp_path: Path) -> None:
        tmp_path.chmod(0o500)
        for option in ("--out", "--prometheus"):
            output = run("audit", "s", option, tmp_path / "x")
            assert (output.code, is_one_line(output)) == (2, True)
            assert "no permission for" in output.err
        assert asked == []


class TestSnapshots:
    """`evenfleet snapshots`."""

    def test_each_has_its_counts_and_state(self, run: Run, store: Path) -> None:
        write_store(well().tables(), store, FIRST)
        half_write(store, SECOND)
        be_writing(store, THIRD)
        write_store(well().tables(), store, FOURTH)
        (part,) = store.glob(f"members/snapshot={FOURTH}/*.parquet")
        part.write_bytes(part.read_bytes()[:-9])
        output = run("snapshots", store, "--format", "json")
        assert output.code == 0
        rows = json.loads(output.out)["snapshots"]
        assert [(row["snapshot"], row["state"]) for row in rows] == [
            (FIRST, "whole"),
            (SECOND, "it lacks partitions"),
            (THIRD, "it is being written, or its writing was cut short"),
            (FOURTH, "members can't be read"),
        ]
        counts = {"groups": 1, "members": 3, "subscriptions": 3, "partitions": 2, "assignments": 2}
        assert rows[0] == {
            "snapshot": FIRST, "state": "whole", **counts, "offsets": None, "brokers": None,
            "configs": None, "other_kinds": None, "clusters": ["c"],
        }  # fmt: skip
        assert rows[1] | {"partitions": 2} == rows[0] | {
            k: rows[1][k] for k in ("snapshot", "state")
        }
        assert rows[1]["partitions"] is None
        assert rows[3]["partitions"] == 2
        assert output.err == f"Skipped because they are incomplete: {SECOND}, {THIRD}, {FOURTH}.\n"
        printed = flat(run("snapshots", store).out)
        assert f"{FIRST} whole 1 3 2 2" in printed

    def test_groups_that_are_not_consumer_groups_are_listed_by_kind(
        self, run: Run, store: Path
    ) -> None:
        write_store(well().tables(), store, FIRST)
        fleet = well().group("q", {}, type="share").group("r", {}, type="share")
        fleet.group("s", {}, type="streams").group("n", {}, type="consumer")
        fleet.group("left", {}, strategy="stream", state="Empty")  # by members who aren't there
        write_store(fleet.tables(), store, SECOND)
        rows = json.loads(run("snapshots", store, "--format", "json").out)["snapshots"]
        assert [row["other_kinds"] for row in rows] == [None, "2 share, 1 streams"]
        report = "that aren't consumer groups: 2 share, 1 streams."
        says = f"Groups of snapshot {SECOND} {report}\nNext: evenfleet audit {store}\n"
        assert run("snapshots", store).err == says
        output = run("audit", store)
        assert "Groups that aren't consumer groups: 2 share, 1 streams." in flat(output.err)
        assert (output.code, "Not judged: 2 empty, 3 unsupported" in flat(output.err)) == (0, True)

    def test_a_store_with_nothing_in_it(self, run: Run, store: Path) -> None:
        assert f"no folder {store}: import or write one first" in run("snapshots", store).err
        store.mkdir()
        output = run("snapshots", store)
        assert (output.code, is_one_line(output)) == (2, True)
        assert f"store {store} has no snapshot: import or write one first" in output.err
