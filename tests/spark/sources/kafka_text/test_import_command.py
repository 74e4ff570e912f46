"""`evenfleet import-cli` as a user runs it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.paths import DATA
from tests.support.fleets import SNAPSHOT
from tests.support.said import Run, is_one_line
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

    def test_lines_that_can_not_be_read_are_told_with_file_and_number(
        self, run: Run, tmp_path: Path
    ) -> None:
        text = (CAPTURES / "members_verbose.txt").read_text()
        (tmp_path / "odd.txt").write_text(text + "\nwhat is this line?\n")
        output = run(
            *("import-cli", "--cluster", "c", "--topics", CAPTURES / "topics.txt"),
            *("--groups", tmp_path / "odd.txt", "--out", tmp_path / "store"),
        )
        assert output.code == 0
        number = len(text.splitlines()) + 2
        assert re.search(rf"odd\.txt:{number}: .*what is this line\?", output.err)
        assert "1 lines could not be read." in output.err

    @pytest.mark.parametrize("option", ["--groups", "--topics"])
    def test_text_that_is_not_kafkas_is_bad_input(
        self, run: Run, tmp_path: Path, option: str
    ) -> None:
        (tmp_path / "poem.txt").write_text("roses are red\nviolets are blue\n")
        files = {"--groups": CAPTURES / "state.txt", "--topics": CAPTURES / "topics.txt"}
        words = [
            word for pair in (files | {option: tmp_path / "poem.txt"}).items() for word in pair
        ]
        output = run("import-cli", "--cluster", "c", *words, "--out", tmp_path / "store")
        assert (output.code, is_one_line(output)) == (2, True)
        assert "poem.txt" in output.err
        assert not (tmp_path / "store").exists()

    def test_a_snapshot_is_not_written_over(self, run: Run, tmp_path: Path) -> None:
        words = (*self.WORDS, "--out", tmp_path / "store", "--snapshot", SNAPSHOT)
        assert run(*words).code == 0
        output = run(*words)
        assert output.code == 2
        assert "is there already: choose another snapshot id" in output.err.splitlines()[-1]

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
        output = run(*self.WORDS, "--out", tmp_path / "store", *words)
        assert (output.code, is_one_line(output)) == (2, True)
        assert sentence in output.err
        assert not (tmp_path / "store").exists()

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

    def test_a_line_of_megabytes_is_shortened(self, run: Run, tmp_path: Path) -> None:
        """Whatever is the matter with it."""
        text = (CAPTURES / "topics.txt").read_text()
        long = "x" * 5_000_000
        lines = [
            long,
            f"Topic: {long}!\tPartition: 0",
            f"Topic: t\tPartition: {long}",
            "Error" + long,
        ]
        (tmp_path / "topics.txt").write_text("\n".join([text, *lines]))
        words = [
            tmp_path / "topics.txt" if word == CAPTURES / "topics.txt" else word
            for word in self.WORDS
        ]
        output = run(*words, "--out", tmp_path / "store", "--snapshot", SNAPSHOT)
        assert output.code == 0
        assert "letters)" in output.err
        assert len(output.err) < 10_000
