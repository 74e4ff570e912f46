"""`evenfleet import-cli` as a user runs it."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.paths import DATA
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, Said, is_one_line
from tests.support.small import rows

CAPTURES = DATA / "cli"


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
        output = run(*self.WORDS, "--out", store, "--snapshot", SNAPSHOT, "--format", "json")
        assert output.code == 0
        assert asked == []  # no session is needed
        counts = {row["table"]: row["rows"] for row in json.loads(output.out)["tables"]}
        assert counts["groups"] == 10
        assert counts["assignments"] == 62
        assert output.err.endswith(f"Next: evenfleet plan {store} --out plan\n")
        assert run("plan", store, "--out", tmp_path / "plan").code == 0
        groups = {row["group"]: row for row in rows(tmp_path / "plan" / "groups")}
        assert {row["status"] for row in groups.values()} == {"inferred", "empty"}
        assert groups["g-empty"]["status"] == "empty"
        assert len(rows(tmp_path / "plan" / "assignments")) == 62
        assert run("verify", store, tmp_path / "plan").code == 0

    def test_topics_in_several_files_are_all_read(self, run: Run, tmp_path: Path) -> None:

        first, *_ = text = (CAPTURES / "topics.txt").read_text().splitlines(keepends=True)
        topic = first.split()[1]
        parts = {True: tmp_path / "one.txt", False: tmp_path / "others.txt"}
        for of_first, path in parts.items():
            path.write_text("".join(x for x in text if (f"Topic: {topic}\t" in x) == of_first))
        words = [word for word in self.WORDS if word not in ("--topics", CAPTURES / "topics.txt")]
        both = [word for path in parts.values() for word in ("--topics", path)]
        for name, values in (("both", both), ("whole", self.WORDS[3:5]), ("part", both[:2])):
            out = ("--out", tmp_path / name, "--snapshot", SNAPSHOT)
            assert run(*words, *values, *out).code == 0
        tables = {name: rows(tmp_path / name / "partitions") for name in ("both", "whole")}
        assert tables["both"] == tables["whole"]

    def test_subscriptions_that_are_told_are_not_inferred(self, run: Run, tmp_path: Path) -> None:
        report = tmp_path / "told.csv"
        report.write_text("group,client_id,topic\ng-idle,idle0,one\ng-idle,idle1,one\n")
        words = ("--subscriptions", report, "--out", tmp_path / "store", "--snapshot", SNAPSHOT)
        assert run(*self.WORDS, *words).code == 0
        groups = {row["group"]: row for row in rows(tmp_path / "store" / "groups")}
        assert groups["g-idle"]["subscriptions_inferred"] is False
        assert groups["g-range"]["subscriptions_inferred"] is True

    @pytest.mark.parametrize("which", ["groups", "topics"])
    def test_nothing_is_written_when_no_line_can_be_read(
        self, run: Run, tmp_path: Path, which: str
    ) -> None:
        texts = {
            "groups": (CAPTURES / "members_verbose.txt").read_text(),
            "topics": (CAPTURES / "topics.txt").read_text(),
        }
        header = {
            "groups": "GROUP CONSUMER-ID HOST CLIENT-ID #PARTITIONS ASSIGNMENT\n",
            "topics": "Topic: one PartitionCount: 0\n",
        }
        files = {name: tmp_path / f"{name}.txt" for name in texts}
        for name, file in files.items():
            file.write_text(header[name] + "odd\n" * 3 if name == which else texts[name])
        words = (word for name, file in files.items() for word in (f"--{name}", file))
        output = run("import-cli", "--cluster", "c", *words, "--out", tmp_path / "store")
        assert (output.code, is_one_line(output)) == (2, True)
        assert (
            f"none of the 3 lines of {which} can be read, the first since {files[which]}:2: "
            in (output.err)
        )
        assert not (tmp_path / "store").exists()

    def test_lines_that_can_not_be_read_are_told_with_file_and_number(
        self, run: Run, tmp_path: Path
    ) -> None:
        """Those of megabytes are shortened."""
        text = (CAPTURES / "topics.txt").read_text()
        long = "x" * 5_000_000
        lines = [long, f"Topic: {long}!\tPartition: 0", f"Topic: t\tPartition: {long}"]
        (tmp_path / "topics.txt").write_text("\n".join([text, *lines, "Error" + long]))
        state = (CAPTURES / "state.txt").read_text()
        (tmp_path / "odd.txt").write_text(f"{state}\nwhat is this?\n")
        files = ("--groups", tmp_path / "odd.txt", "--topics", tmp_path / "topics.txt")
        output = run(*self.WORDS[:3], *files, *self.WORDS[5:], "--out", tmp_path / "store")
        assert output.code == 0
        number = len(state.splitlines()) + 2
        assert re.search(rf"odd\.txt:{number}: .*what is this\?", output.err)
        assert "5 lines could not be read." in output.err
        assert "letters)" in output.err
        assert len(output.err) < 10_000


class TestSeveralClusters:
    """`evenfleet import-cli` into a snapshot that is there."""

    def test_a_cluster_is_added_once_to_a_whole_snapshot(self, run: Run, tmp_path: Path) -> None:
        store, words = tmp_path / "store", TestImportCli.WORDS[3:7]

        def imported(cluster: str) -> Said:
            out = ("--out", store, "--snapshot", SNAPSHOT)
            return run("import-cli", "--cluster", cluster, *words, *out)

        assert imported("west").code == 0
        before = {path: path.read_bytes() for path in store.rglob("*.parquet")}
        assert imported("second").code == 0
        after = {path: path.read_bytes() for path in store.rglob("*.parquet")}
        assert before.items() < after.items()
        (listed,) = json.loads(run("snapshots", store, "--format", "json").out)["snapshots"]
        assert (listed["clusters"], listed["state"]) == (["second", "west"], "whole")
        paths = sorted(store.rglob("*"))
        output = imported("west")
        refusal = "choose another snapshot id or remove that snapshot, which has 1 cluster (west)\n"
        assert (output.code, refusal in output.err) == (2, True)
        assert sorted(store.rglob("*")) == paths
        shutil.rmtree(store / "assignments")  # it would look whole, with half a cluster in it
        output = imported("third")
        assert (output.code, is_one_line(output)) == (2, True)
        assert "remove that snapshot, which isn't whole\n" in output.err
