"""`evenfleet demo` as a user runs it: with its history, all commands one after the other."""

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any, TextIO

import pytest

from spark.demo import make_history
from spark.jobs import demo
from spark.terminal import Ended, StoreOptions
from tests.support.said import Run, check_refused

ANSWERS = {"audit": "7 critical findings. Start with x. More.", "plan": "41 of 272 groups gain."}
"""Answers of some commands; the demo shows how they begin."""

TRIED = "--strategies current,range,cooperative-sticky,uniform,optimal"


def steps(out: Path) -> list[str]:
    """Its commands after `explain`."""
    return [
        f"audit {out}/store --out {out}/audit",
        f"plan {out}/store --out {out}/plan",
        f"compare {out}/store --out {out}/compare {TRIED} --goal balance=count",
        f"compare {out}/store --out {out}/by-weight {TRIED} --weight column",
        f"history {out}/store --out {out}/history",
        f"replay {out}/store --out {out}/replay "
        "--strategies current,range,cooperative-sticky,optimal",
        f"verify {out}/store {out}/plan",
        f"report {out}/store --out {out}/report.html --plan {out}/plan "
        f"--audit {out}/audit --compare {out}/compare --by-weight {out}/by-weight "
        f"--history {out}/history",
    ]


def test_its_commands(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line a step with its answer; the exit code is that of `verify`; what is there stays."""
    ran: list[str] = []

    def typed(command: Callable[..., Any], *words: str) -> Ended:
        ran.append(shlex.join([command.__name__, *words]))
        return Ended(int(command.__name__ == "verify"), ANSWERS.get(command.__name__, ""), 7.2)

    @contextmanager
    def side_by_side(_: None, log: TextIO) -> Iterator[Callable[..., Callable[[], Ended]]]:
        yield lambda command, *words: partial(typed, command, *words)

    monkeypatch.setattr(StoreOptions, "session", lambda *_: nullcontext())
    monkeypatch.setattr(demo, "side_by_side", side_by_side)
    monkeypatch.setattr(demo, "make_history", partial(make_history, hours=12))  # of 48
    out = tmp_path / "demo"
    until = "20261121T060000Z"
    output = run("demo", "--groups", 12, "--out", out, "--history", "--until", until)
    assert output.code == 1
    assert output.out.startswith("made      12 groups, 12 hourly snapshots, in ")
    told = output.out[output.out.index("audit") :].splitlines()
    lines = ["audit     7 critical findings. Start with x.", "plan      41 of 272 groups gain."]
    assert [line[:70].rstrip() for line in told[:2]] == lines
    assert [line.rstrip()[-3:] for line in told[:2]] == ["7 s", "7 s"]
    explained, *others = ran
    assert re.fullmatch(rf"explain {out}/store --cluster \S+ --group \S+", explained)
    assert others == steps(out)
    snapshots = sorted(folder.name for folder in (out / "store" / "groups").iterdir())
    assert (len(snapshots), snapshots[-1]) == (12, f"snapshot={until}")
    output = run("demo", "--groups", 12, "--out", out)
    check_refused(output, f"{out}/store exists: remove it, or choose another --out")


@pytest.mark.ends
def test_all_of_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "make_history", partial(make_history, hours=12))
    out = tmp_path / "demo"
    output = run("demo", "--groups", 12, "--out", out, "--history")
    assert output.code == 0
    log = (out / "log.txt").read_text("utf-8")
    printed = re.findall(r"\$ evenfleet (.*)\n", log)
    assert printed[1:] == steps(out)
    assert "The plan makes it" in log and "groups that rebalance most" in log
    assert (out / "report.html").is_file()
    named = re.findall(r"^(by \w+|\w+) ", output.out, re.M)
    assert named == [
        *("made", "audit", "plan", "by count", "by weight", "history", "replay", "verify", "report")
    ]
    assert re.search(r"^verify +No fault in 1\d planned groups", output.out, re.M)
