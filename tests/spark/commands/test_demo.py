"""`evenfleet demo` as a user runs it: with its history, all commands one after the other."""

import re
from functools import partial
from pathlib import Path

import pytest

from spark.demo import make_history
from spark.jobs import demo
from tests.support.said import Run, is_one_line


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
