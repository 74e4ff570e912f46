"""docs/reassign.md, run as it is written."""

import re
import shlex
import shutil
from pathlib import Path

import pytest

from tests.paths import DATA, ROOT
from tests.spark.reassign.captures import CAPTURES, GROUPS, replicas_in
from tests.support.said import Run

PAGE = (ROOT / "docs" / "reassign.md").read_text()
EVERYWHERE = {"--format", "--help", "--quiet", "--verbose", "--wide", "--csv", "--table"}


def test_the_page_leads_from_a_skewed_cluster_to_its_files(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "groups.txt").write_text(GROUPS)
    shutil.copy(CAPTURES / "topics_before.txt", "topics.txt")
    shutil.copy(DATA / "brokers" / "brokers.txt", "brokers.txt")
    commands = re.findall(r"^bin/evenfleet (.+)$", PAGE, re.MULTILINE)
    codes = [run(*shlex.split(command)).code for command in commands]
    assert [command.split()[0] for command in commands] == [
        *("import-cli", "reassign", "reassign-verify")
    ]
    assert codes == [0, 0, 1]  # nothing has begun
    assert replicas_in(tmp_path / "moves" / "01-move.json")
    assert (tmp_path / "moves" / "01-elect.json").exists()


def test_the_page_has_every_option(run: Run) -> None:
    printed = run("reassign", "--help").out
    options = set(re.findall(r"--[a-z][a-z-]+", printed))
    common = {"--tables", "--cluster", "--out", "--snapshot", "--master", "--conf", "--config"}
    report = set(re.findall(r"--[a-z][a-z-]+", PAGE))
    assert options - common - EVERYWHERE <= report
