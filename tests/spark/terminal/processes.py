"""Commands as processes of their own, and what runs below them."""

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from tests.paths import ROOT
from tests.support.alive import is_alive
from tests.support.said import Said

WITHIN = 120.0  # seconds, for what takes a few on an idle machine


class Process(NamedTuple):
    """A process that is running."""

    number: int
    words: str


SOON = (
    *("--conf", "spark.driver.defaultJavaOptions=-XX:+UseSerialGC -XX:TieredStopAtLevel=1"),
    *("--conf", "spark.sql.shuffle.partitions=2"),
)
"""Options with which a small job is over soon."""


def started(*words: object, script: Path | None = None) -> subprocess.Popen[str]:
    """`evenfleet …`, or a script, running."""
    what = [str(script)] if script else ["-c", "from evenfleet.command import main; main()"]
    return subprocess.Popen(
        [sys.executable, *what, *map(str, words), *SOON],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), "PYSPARK_PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(command: subprocess.Popen[str]) -> Said:
    """What a command said; one that doesn't end is killed with all that it started, and fails."""
    try:
        out, err = command.communicate(timeout=WITHIN)
    except subprocess.TimeoutExpired:
        for process in below(command.pid):
            kill(process)
        command.kill()
        raise
    return Said(command.returncode, out, err)


def below(number: int) -> list[Process]:
    """All that this process has started, and what that has."""
    listed = subprocess.run(
        ["ps", "-ww", "-eo", "pid=,ppid=,args="], capture_output=True, text=True, check=True
    ).stdout
    children: dict[int, list[Process]] = {}
    for line in listed.splitlines():
        child, parent, words = (*line.split(None, 2), "")[:3]
        children.setdefault(int(parent), []).append(Process(int(child), words))
    result = children.get(number, [])
    for item in result:  # which grows meanwhile
        result.extend(children.get(item.number, []))
    return result


def is_java(process: Process) -> bool:
    """Spark's own: spark-submit is a shell first, which asks another Java process what to run."""
    first, *_ = process.words.split(None, 1)
    spark, asking = " org.apache.spark.deploy.SparkSubmit ", ".launcher.Main "
    return first.endswith("java") and spark in process.words and asking not in process.words


def is_worker(process: Process) -> bool:
    return "pyspark.worker" in process.words


def wait_for(
    command: subprocess.Popen[str], wanted: Callable[[Process], bool]
) -> tuple[Process, ...]:
    """The processes of that kind below a command, as soon as there are some."""
    until = time.monotonic() + WITHIN
    while command.poll() is None and time.monotonic() < until:
        if result := tuple(filter(wanted, below(command.pid))):
            return result
        time.sleep(0.02)
    raise AssertionError(f"it ended, or waited, before there was one: {ended(command)}")


def until_it_catches(command: subprocess.Popen[str], number: signal.Signals) -> None:
    """Return when a command has a handler for a signal, which would have ended it before.

    Where no file of the system tells, it has a second for that.
    """
    status, until = Path(f"/proc/{command.pid}/status"), time.monotonic() + WITHIN
    if not status.exists():
        time.sleep(1)
        return
    while command.poll() is None and time.monotonic() < until:
        (caught,) = re.findall(r"^SigCgt:\s*(\w+)$", status.read_text(), re.MULTILINE)
        if int(caught, 16) >> (number - 1) & 1:
            return
        time.sleep(0.01)
    raise AssertionError(f"it ended without a handler for {number.name}, or has none yet")


def kill(process: Process) -> None:
    with suppress(ProcessLookupError):
        os.kill(process.number, signal.SIGKILL)


def is_gone(process: Process) -> bool:
    """Whether it is gone, or will be in moments."""
    until = time.monotonic() + WITHIN
    while time.monotonic() < until:
        if not is_alive(process.number):
            return True
        time.sleep(0.02)
    return False
