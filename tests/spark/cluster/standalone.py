"""A standalone cluster of Spark's on this machine's loopback, whose processes can be killed."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeVar

from spark.terminal.quick_start import SMALL_SETTINGS, Size, java_options
from tests.paths import ROOT

WITHIN = 120.0  # seconds, on a machine that does many other things
OFTEN = 0.02  # seconds between two looks at processes and folders

MACHINES = 2

BIN = Path(sys.executable).parent

PYTHON_WORKER = "pyspark.daemon"
"""What the command lines of an executor's Python processes have in them."""

# JVMs that start soon; several of them share the machine.
JAVA_OPTIONS = " ".join(java_options(Size.SMALL))
DAEMON_OPTIONS = f"{JAVA_OPTIONS} -Dspark.master.rest.enabled=false"

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

NO_CONF: Mapping[str, str] = {}

T = TypeVar("T")


class Process(NamedTuple):
    """A process of this machine; `session` is that of the one that it was started with."""

    pid: int
    parent: int
    session: int
    command: str


class Submitted(NamedTuple):
    """A command under spark-submit that has ended: its exit code, and what it printed."""

    code: int
    out: str
    err: str


class Submission:
    """A command under spark-submit, while it runs."""

    def __init__(self, words: Sequence[str], environment: dict[str, str], folder: Path) -> None:
        self.folder = folder
        with (folder / "out").open("wb") as out, (folder / "err").open("wb") as err:
            self.process = subprocess.Popen(
                words, env=environment, stdout=out, stderr=err, start_new_session=True
            )

    def ended(self) -> bool:
        return self.process.poll() is not None

    def end(self) -> Submitted:
        """Wait for the end."""
        code = self.process.wait(WITHIN)
        printed = ((self.folder / name).read_text(errors="replace") for name in ("out", "err"))
        return Submitted(code, *printed)

    def kill(self) -> None:
        """Kill the driver: its JVM and its Python at once, as a machine that stops does."""
        kill_session(self.process.pid)
        self.process.wait(WITHIN)

    def losses(self) -> set[str]:
        """What the event log tells of losses: `tasks`, `executors`."""
        report = "".join(
            log.read_text() for log in (self.folder / "events").rglob("*") if log.is_file()
        )
        signs = {
            "tasks": r'"Task End Reason":{"Reason":"(?!Success)',
            "executors": r'"Event":"SparkListenerExecutorRemoved"',
        }
        return {lost for lost, sign in signs.items() if re.search(sign, report)}


class StandaloneCluster:
    """A master and two workers, of one core each: a machine is a worker and what it has started.

    As a context manager it leaves no process behind, whatever happened.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sessions: list[subprocess.Popen[bytes]] = []
        self._machines: list[subprocess.Popen[bytes]] = []
        self._count = 0
        self.master = ""

    def __enter__(self) -> StandaloneCluster:
        try:
            started, log = self._start("master.Master", "--host", "127.0.0.1", "--port", "0")
            self.master = _told(started, log, r"Starting Spark master at (spark://\S+)")[1]
            self.complete()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *error: object) -> None:
        for started in reversed(self._sessions):
            kill_session(started.pid)
            started.wait(WITHIN)

    def complete(self) -> None:
        """Start machines until there are as many as there should be."""
        self._machines = [machine for machine in self._machines if machine.poll() is None]
        for _ in range(MACHINES - len(self._machines)):
            work = self._new_folder("work")
            words = ("--host", "127.0.0.1", "--cores", "1", "--memory", "1g", "--work-dir")
            started, log = self._start("worker.Worker", *words, str(work), self.master)
            self._machines.append(started)
            _told(started, log, "Successfully registered with master")

    def submit(
        self, *words: object, archive: Path | None = None, conf: Mapping[str, str] = NO_CONF
    ) -> Submission:
        """Start `evenfleet …` under spark-submit; it is killed with the cluster at the latest.

        With an archive of a Python, the one for the workers is shipped in it, as README says.
        """
        folder = self._new_folder("submitted")
        (folder / "events").mkdir()
        settings = SETTINGS | {"spark.eventLog.dir": (folder / "events").as_uri()} | conf
        options = [word for setting in settings.items() for word in ("--conf", "=".join(setting))]
        environment = _environment()
        if archive:
            options += ["--archives", f"{archive}#env"]
            environment |= {"PYSPARK_DRIVER_PYTHON": "python", "PYSPARK_PYTHON": "./env/bin/python"}
            environment["PATH"] = f"{BIN}{os.pathsep}{environment['PATH']}"
        command = [BIN / "spark-submit", "--master", self.master, *options]
        submission = Submission(
            [*map(str, command), str(ROOT / "bin" / "spark_job.py"), *map(str, words)],
            environment,
            folder,
        )
        self._sessions.append(submission.process)
        return submission

    def kill_machine(self) -> None:
        """Kill the machine of the first Python worker that appears, with all that runs on it."""
        session = self._first_python_worker().session
        (machine,) = (item for item in self._machines if item.pid == session)
        kill_session(session)
        machine.wait(WITHIN)

    def _first_python_worker(self) -> Process:
        return wait_for(lambda: next(self._python_workers(), None), "a Python worker")

    def _python_workers(self) -> Iterator[Process]:
        """Those that run tasks: their parent is the daemon that forks them."""
        machines = {machine.pid for machine in self._machines}
        of_python = {
            process.pid: process
            for process in processes(machines)
            if PYTHON_WORKER in process.command
        }
        return (item for item in of_python.values() if item.parent in of_python)

    def _start(self, what: str, *words: str) -> tuple[subprocess.Popen[bytes], Path]:
        folder = self._new_folder("daemon")
        log = folder / "log"
        with log.open("wb") as out:
            started = subprocess.Popen(
                [
                    BIN / "spark-class",
                    f"org.apache.spark.deploy.{what}",
                    "--webui-port",
                    "0",
                    *words,
                ],
                env=_environment(),
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._sessions.append(started)
        return started, log

    def _new_folder(self, name: str) -> Path:
        self._count += 1
        folder = self._folder / f"{self._count}-{name}"
        folder.mkdir()
        return folder


def _environment() -> dict[str, str]:
    """What a user would set: that Python, and this checkout; nothing of the tests' own Spark."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("PYSPARK_")}
    return kept | {
        "PYSPARK_PYTHON": sys.executable,
        "PYTHONPATH": str(ROOT),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_DAEMON_MEMORY": "256m",
        "SPARK_DAEMON_JAVA_OPTS": DAEMON_OPTIONS,
    }


def _told(started: subprocess.Popen[bytes], log: Path, what: str) -> re.Match[str]:
    """Wait until the log of a daemon says it."""

    def said() -> re.Match[str] | None:
        if started.poll() is not None:
            raise AssertionError(f"it has ended: {log.read_text(errors='replace')[-2000:]}")
        return re.search(what, log.read_text(errors="replace"))

    return wait_for(said, what)


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
