"""`evenfleet demo` as a user runs it: with its history, all commands one after the other."""

import re
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from spark.demo import make_history
from spark.jobs import demo
from tests.support.said import Run, is_one_line

TRIED = "--strategies current,range,cooperative-sticky,uniform,optimal"


def steps(out: Path) -> list[str]:
    """Its commands after `explain`."""
    return [
        f"audit {out}/store --out {out}/audit",
        f"plan {out}/store --out {out}/plan",
        f"compare {out}/store --out {out}/compare {TRIED}",
        f"compare {out}/store --out {out}/by-weight --weight column {TRIED}",
        f"history {out}/store --out {out}/history",
        f"replay {out}/store --out {out}/replay "
        "--strategies current,range,cooperative-sticky,optimal",
        f"report {out}/store --out {out}/report.html --plan {out}/plan "
        f"--audit {out}/audit --compare {out}/compare --by-weight {out}/by-weight "
        f"--history {out}/history",
        f"verify {out}/store {out}/plan",
    ]


def test_its_commands(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The exit code is that of the last; what is there stays."""
    ran: list[str] = []

    def typed(command: Callable[..., Any], *words: str) -> int:
        ran.append(shlex.join([command.__name__, *words]))
        return int(command.__name__ == "verify")

    @contextmanager
    def side_by_side(_: None) -> Iterator[Callable[..., Callable[[], int]]]:
        yield lambda command, *words: partial(typed, command, *words)

    monkeypatch.setattr(demo, "opened", lambda *_: nullcontext())
    monkeypatch.setattr(demo, "side_by_side", side_by_side)
    monkeypatch.setattr(demo, "run_typed", typed)
    monkeypatch.setattr(demo, "make_history", partial(make_history, hours=12))  # of 48
    out = tmp_path / "demo"
    assert run("demo", "--groups", 12, "--out", out, "--history").code == 1
    explained, *others = ran
    assert re.fullmatch(rf"explain {out}/store --cluster \S+ --group \S+", explained)
    assert others == steps(out)
    assert len([*(out / "store" / "groups").iterdir()]) == 12
    output = run("demo", "--groups", 12, "--out", out)
    assert (output.code, is_one_line(output)) == (2, True)
    assert f"{out}/store exists: remove it, or choose another --out" in output.err


@pytest.mark.ends
def test_all_of_it(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "make_history", partial(make_history, hours=12))
    out = tmp_path / "demo"
    output = run("demo", "--groups", 12, "--out", out, "--history")
    assert output.code == 0
    printed = re.findall(r"\$ evenfleet (.*)\n", output.err)
    assert printed[1:] == steps(out)
    assert "could be more even" in output.err
    assert "no fault: every partition, measure and proof holds" in output.err
    assert (out / "report.html").is_file()
    assert "restless groups" in output.out and "Best" in output.err
