"""What commands make of a fleet that stays: `python -m tests.yardstick OUT`, and diff two of them.

tests/data/yardstick.tar.xz has two snapshots of 300 groups on four clusters, which the demo made
before its generator was cut. A change that isn't to change results leaves OUT as it was.
"""

import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from pyarrow import parquet

from tests.paths import DATA, ROOT
from tests.support.terminal import tables_of

COMMANDS = {
    "plan": (),
    "compare": ("--strategies", "current,range,cooperative-sticky,uniform,optimal"),
    "audit": (),
    "members": (),
    "whatif": ("--event", "crash-rack=eu-west-a"),
    "weighted": ("--weight", "column"),
}
"""Options beside the store; `weighted` is a plan by weight."""

MAIN = "from evenfleet.command import main; main()"

OF_THE_RUN = {"seconds", "certificate", "version", "written_at"}
"""Columns that differ from run to run, or are proofs in bytes."""


def main(out: Path) -> None:
    """Write each command's output, errors and tables, a line a row, into files of `out`."""
    out.mkdir(parents=True)
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(DATA / "yardstick.tar.xz") as packed:
            packed.extractall(folder, filter="data")
        for name, options in COMMANDS.items():
            command = "plan" if name == "weighted" else name
            target = () if name == "members" else ("--out", f"{folder}/{name}")
            words = [command, f"{folder}/store", *options, *target, "--format", "json"]
            ran = subprocess.run(
                [sys.executable, "-c", MAIN, *words],
                cwd=ROOT,
                capture_output=True,
                text=True,
                check=False,
            )
            printed = _plain(tables_of(ran)) if ran.stdout else None
            text = json.dumps(printed, indent=1, ensure_ascii=False)
            (out / f"{name}.json").write_text(text.replace(folder, ""), "utf-8")
            said = f"{ran.stderr}exit code {ran.returncode}\n".replace(folder, "")
            (out / f"{name}.txt").write_text(said, "utf-8")
            for table in sorted(Path(folder, name).glob("*/snapshot=*")):
                rows = parquet.read_table(table).to_pylist()
                lines = sorted(json.dumps(_plain(row), default=str) for row in rows)
                (out / f"{name}-{table.parent.name}.jsonl").write_text("\n".join(lines), "utf-8")


def _plain(value: Any) -> Any:
    """The value without what differs from run to run."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items() if key not in OF_THE_RUN}
    return [_plain(item) for item in value] if isinstance(value, list) else value


if __name__ == "__main__":
    main(Path(sys.argv[1]))
