"""A standalone cluster of Spark's on this machine's loopback, whose processes can be killed."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import NamedTuple, TypeVar

from spark.startup.quick_start import SMALL_SETTINGS, StoreSize, java_options
from tests.paths import ROOT

WITHIN = 120.0  # seconds, on a machine that does many other things
OFTEN = 0.02  # seconds between two looks at processes and folders

MACHINES = 2

BIN = Path(sys.executable).parent

# JVMs that start soon; several of them share the machine.
JAVA_OPTIONS = " ".join(java_options(StoreSize.SMALL))

SETTINGS = SMALL_SETTINGS | {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "512m",
    "spark.driver.extraJavaOptions": JAVA_OPTIONS,
    "spark.executor.memory": "512m",
    "spark.executor.extraJavaOptions": JAVA_OPTIONS,
    # enough for both machines to have some, in few jobs: what a plan costs here is starting things
    "spark.sql.shuffle.partitions": "2",
    "spark.eventLog.enabled": "true",
    "spark.eventLog.compress": "false",
}

LOSSES = {
    "tasks": r'"Task End Reason":{"Reason":"(?!Success)',
    "executors": r'"Event":"SparkListenerExecutorRemoved"',
}
"""By what the event log tells of them."""

T = TypeVar("T")


class Process(NamedTuple):
    """A process of this machine; `session` is that of the one that it was started with."""

    pid: int
    parent: int
    session: int
    command: str


class Started:
    """A program with a session of its own, and a file of what it prints."""

    def __init__(self, words: Sequence[object], environment: dict[str, str], folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self.folder, self.log = folder, folder / "log"
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                [*map(str, words)],
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def ended(self) -> bool:
        return self.process.poll() is not None

    def end(self) -> int:
        """The exit code, when it has ended."""
        return self.process.wait(WITHIN)

    def printed(self) -> str:
        return self.log.read_text(errors="replace")

    def kill(self) -> None:
        """Kill all its processes at once, as a machine that stops does."""
        kill_session(self.process.pid)
        self.end()

    def prints(self, what: str) -> re.Match[str]:
        """Wait until it prints that."""

        def match() -> re.Match[str] | None:
            assert not self.ended(), f"it has ended: {self.printed()[-2000:]}"
            return re.search(what, self.printed())

        return wait_for(match, what)

    def losses(self) -> set[str]:
        """Of which kinds the event log tells."""
        logs = (log for log in (self.folder / "events").rglob("*") if log.is_file())
        report = "".join(log.read_text() for log in logs)
        return {lost for lost, sign in LOSSES.items() if re.search(sign, report)}


class StandaloneCluster:
    """A master and two workers, of one core each: a machine is a worker and what it has started.

    As a context manager it leaves no process behind, whatever happened.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started = ExitStack()
        self._machines: list[Started] = []
        self._count = 0
        self.master = ""

    def __enter__(self) -> StandaloneCluster:
        try:
            started = self._spark_class("master.Master", "--host", "127.0.0.1", "--port", 0)
            self.master = started.prints(r"Starting Spark master at (spark://\S+)")[1]
            self.complete()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        self._started.close()

    def complete(self) -> None:
        """Start machines until there are as many as there should be."""
        self._machines = [machine for machine in self._machines if not machine.ended()]
        for _ in range(MACHINES - len(self._machines)):
            words = ("--host", "127.0.0.1", "--cores", 1, "--memory", "1g", "--work-dir")
            work = self._folder / f"work-{self._count}"
            self._machines.append(self._spark_class("worker.Worker", *words, work, self.master))
            self._machines[-1].prints("Successfully registered with master")

    def submit(self, *words: object, archive: Path | None = None) -> Started:
        """Start `evenfleet …` under spark-submit; it is killed with the cluster at the latest.

        With an archive of a Python, the one for the workers is shipped in it, as README says.
        """
        events = self._folder / f"{self._count}" / "events"
        settings = SETTINGS | {"spark.eventLog.dir": events.as_uri()}
        options = [word for setting in settings.items() for word in ("--conf", "=".join(setting))]
        environment = _environment()
        if archive:
            options += ["--archives", f"{archive}#env"]
            environment |= {"PYSPARK_DRIVER_PYTHON": "python", "PYSPARK_PYTHON": "./env/bin/python"}
            environment["PATH"] = f"{BIN}{os.pathsep}{environment['PATH']}"
        job = ROOT / "bin" / "spark_job.py"
        events.mkdir(parents=True)
        command = (BIN / "spark-submit", "--master", self.master, *options, job, *words)
        return self._start(command, environment)

    def kill_machine(self) -> None:
        """Kill the machine of the first Python worker that appears, with all that runs on it."""
        worker = wait_for(lambda: next(self._python_workers(), None), "a Python worker")
        (machine,) = (item for item in self._machines if item.process.pid == worker.session)
        machine.kill()

    def _python_workers(self) -> Iterator[Process]:
        """Those that run tasks: their parent is the daemon that forks them."""
        machines = {machine.process.pid for machine in self._machines}
        of_python = {
            process.pid: process
            for process in processes(machines)
            if "pyspark.daemon" in process.command
        }
        return (item for item in of_python.values() if item.parent in of_python)

    def _spark_class(self, what: str, *words: object) -> Started:
        options = (f"org.apache.spark.deploy.{what}", "--webui-port", 0)
        return self._start((BIN / "spark-class", *options, *words), _environment())

    def _start(self, words: Sequence[object], environment: dict[str, str]) -> Started:
        started = Started(words, environment, self._folder / f"{self._count}")
        self._count += 1
        self._started.callback(started.kill)
        return started


def _environment() -> dict[str, str]:
    """What a user would set: that Python, and this checkout; nothing of the tests' own Spark."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYSPARK_")}
    return kept | {
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": f"{JAVA_OPTIONS} -Dspark.master.rest.enabled=false",
    }


def wait_for(look: Callable[[], T | None], what: str) -> T:
    """What `look` finds; AssertionError when it doesn't within a long time."""
    deadline = time.monotonic() + WITHIN
    while not (result := look()):
        assert time.monotonic() < deadline, f"{what} hasn't appeared"
        time.sleep(OFTEN)
    return result


def processes(sessions: Container[int]) -> Iterator[Process]:
    """All processes of these sessions that haven't ended, by /proc."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has just ended
            state, parent, _, session = (
                (folder / "stat").read_text().rpartition(")")[2].split(maxsplit=4)[:4]
            )
            if state != "Z" and int(session) in sessions:
                command = (folder / "cmdline").read_text(errors="replace").replace("\0", " ")
                yield Process(int(folder.name), int(parent), int(session), command)


def kill_session(session: int) -> None:
    """Kill all processes of a session; those that are forked meanwhile as well."""
    while of_session := list(processes({session})):
        for process in of_session:
            with contextlib.suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)
        time.sleep(OFTEN)
