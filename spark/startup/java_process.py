"""The Java process that Spark runs in: what it says is kept, and it ends with its command.

Under spark-submit it is there first, and has started us.
"""

import io
import os
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import cache
from subprocess import Popen, TimeoutExpired
from typing import IO, Any, TextIO

from py4j.java_gateway import JavaClass, JavaMember, JVMView
from pyspark import SparkConf
from pyspark.java_gateway import launch_gateway

NAMES = (
    *("functions", "org.apache.spark.sql.functions", "PythonUtils", "PythonSQLUtils"),
    *("org.apache.spark.sql.classic.SparkSession", "org.apache.spark.sql.expressions.Window"),
)
"""Classes that PySpark asks for with each expression, as it spells them.

Each such lookup is a call into Java, which searches all jars for the packages that it tries first.
"""

ENDS_WITHIN = 5.0  # seconds, after SIGTERM; it removes its temporary files meanwhile

LAST_WORDS = 20_000  # bytes


class JavaProcess:
    """The process that this command started; under spark-submit that isn't ours, and None.

    What it writes on standard error is for Spark's developers and comes in the middle of what we
    say: it is kept in a file without a name, unless somebody asked to see it.
    """

    def __init__(self, process: Popen[bytes] | None = None, kept: IO[bytes] | None = None) -> None:
        self._process = process
        self._kept = kept
        self.is_ending = False

    @property
    def status(self) -> int | None:
        """The exit code, or minus the signal that ended it; None while it runs or isn't ours."""
        return self._process.poll() if self._process else None

    def has_ended(self, timeout: float = 0.0) -> bool:
        """Whether it has ended, or does so in this time."""
        if self._process is None:
            return False
        try:
            self._process.wait(timeout)
        except TimeoutExpired:
            return False
        return True

    def end(self) -> None:
        """Ask it to end, without waiting; if it doesn't in time, it is killed."""
        if self._process and self.status is None:
            self.is_ending = True
            self._process.terminate()
            threading.Thread(target=self.wait_or_kill, daemon=True).start()

    def wait_or_kill(self) -> None:
        """Wait until it has ended, and kill it when that takes too long."""
        if self._process and not self.has_ended(ENDS_WITHIN):
            self._process.kill()
            self._process.wait()

    def last_words(self) -> str:
        """The end of what it wrote on standard error."""
        if self._kept is None:
            return ""
        file = self._kept.fileno()  # whose position is the process's own: it mustn't be moved
        start = max(0, os.fstat(file).st_size - LAST_WORDS)
        return os.pread(file, LAST_WORDS, start).decode("utf-8", "replace")


_running = JavaProcess()


def running() -> JavaProcess:
    """The process of this command's session, as long as there is one."""
    return _running


def launch(options: Mapping[str, str], shown: bool) -> Any:
    """Start the process with these settings; PySpark's gateway to it.

    `shown`: what it writes on standard error goes to ours.
    """
    global _running  # noqa: PLW0603 - a command has one, and a signal can come at any moment
    conf = SparkConf(loadDefaults=False).setAll(list(options.items()))
    kept = None if shown else tempfile.TemporaryFile()  # noqa: SIM115 - it is read at the end
    _running = JavaProcess(None, kept)
    gateway: Any = launch_gateway(conf, {"stderr": kept})  # type: ignore[no-untyped-call]
    _running = JavaProcess(gateway.proc, kept)
    return gateway


def by_submit() -> bool:
    """Whether spark-submit runs us, which has started the Java process and chosen the master."""
    return "PYSPARK_GATEWAY_PORT" in os.environ


@cache
def submission() -> Any:
    """PySpark's gateway to the process that has started us."""
    return launch_gateway()  # type: ignore[no-untyped-call]


@contextmanager
def sentences_apart() -> Iterator[None]:
    """Let a Java process that has started us write our sentences on its standard error.

    It reads our standard output and standard error through one pipe, and writes both on its
    standard output: sentences would stand in the middle of the JSON.
    """
    ours = sys.stderr
    if by_submit():
        sys.stderr = _JavasStandardError(ours)
    try:
        yield
    finally:
        sys.stderr = ours


class _JavasStandardError(io.TextIOBase):
    def __init__(self, ours: TextIO) -> None:
        self._ours = ours

    def write(self, text: str) -> int:
        try:
            submission().jvm.java.lang.System.err.print(text)
        except Exception:  # it is gone, and the pipe is all there is
            self._ours.write(text)
        return len(text)


class KeptClass(JavaClass):  # type: ignore[misc]
    """A class of Java's whose static methods are looked up once."""

    def __getattr__(self, name: str) -> Any:
        member = super().__getattr__(name)
        if isinstance(member, JavaMember):
            self.__dict__[name] = member
        return member


def keep_names(jvm: JVMView) -> None:
    """Let `jvm` find these names by itself from now on."""
    for name in NAMES:
        kept = getattr(jvm, name)
        kept.__class__ = KeptClass
        setattr(jvm, name, kept)
