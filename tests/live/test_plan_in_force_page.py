"""docs/plan_in_force.md, and the script that does what it says, run against a broker."""

import os
import re
import subprocess
import sys
from pathlib import Path

from optimizer.assignor.plan_file import GroupPlan
from tests.live.brokers import Brokers
from tests.live.waiting import MOST, bounded
from tests.paths import ROOT

PAGE = (ROOT / "docs" / "plan_in_force.md").read_text(encoding="utf-8")
EXAMPLES = ROOT / "conf" / "examples"
NAMES = ("orders-group", "orders", "payments", "refunds")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


def test_the_script(broker: Brokers, tmp_path: Path) -> None:
    """The group that range left uneven is even when the last consumer follows the plan.

    Under names of its own, for the broker is everybody's; the consumers have what they would have
    installed, which test_distribution.py looks after.
    """
    (tmp_path / "evenfleet_assignor").symlink_to(ROOT / "optimizer" / "assignor")
    folder = tmp_path / "conf" / "examples"
    folder.mkdir(parents=True)
    for name in ("plan_in_force.sh", "consumer.py"):
        text = (EXAMPLES / name).read_text(encoding="utf-8")
        (folder / name).write_text(re.sub(rf"\b({'|'.join(NAMES)})\b(?!\.json)", r"page-\1", text))
    environment = {
        "PYTHON": sys.executable,
        "PYTHONPATH": str(tmp_path),
        "EVENFLEET": str(Path(sys.executable).with_name("evenfleet")),
        "WORK": str(tmp_path / "work"),
    }
    with bounded(3 * MOST):  # seven commands one after the other, on a busy machine
        ran = subprocess.run(
            ["bash", folder / "plan_in_force.sh", broker.bootstrap],
            env=os.environ | environment,
            capture_output=True,
            text=True,
            check=False,
        )
    assert ran.returncode == 0, (ran.stdout, ran.stderr)
    assert ran.stdout.endswith("  range:    6 3 3 \n  the plan: 4 4 4 \n")
    assert "its members use range: the plan would be ignored" in ran.stderr
    assert ran.stderr.count("is in force") == 2, ran.stderr
    output = "".join(file.read_text() for file in (tmp_path / "work").glob("worker-*.err"))
    assert "is in force" in output  # at a level that consumers show by default


def test_the_page_has_what_the_script_does() -> None:
    script = (EXAMPLES / "plan_in_force.sh").read_text(encoding="utf-8")
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    ours = [line for line in commands if line.startswith("bin/evenfleet") and "demo/" not in line]
    assert len(ours) == 5
    for line in ours:
        ran = line.replace("bin/evenfleet", '"$evenfleet"').replace("127.0.0.1:9092", '"$BROKER"')
        assert ran in script, line
    consumer, *_ = blocks("python")
    assert consumer == (EXAMPLES / "consumer.py").read_text(encoding="utf-8")


def test_the_file_on_the_page_is_one() -> None:
    (text,) = blocks("json")
    assert GroupPlan.from_text(text).to_text() == text
