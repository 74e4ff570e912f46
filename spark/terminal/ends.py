"""How a command ends: at once where a signal comes, and in one sentence that says what to do.

Spark wraps what happened: a full disk is a task that failed while writing rows, in a stage that
failed, in a job that was aborted. The cause that says something stands deep in that chain.
"""

import re
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from py4j.protocol import Py4JNetworkError

from spark.errors import RunError, first_line
from spark.startup.java_process import running

LONGEST = 500
"""Letters of what Java or a worker says that are quoted."""

READ = 1_000_000
"""Letters of it that are examined."""

MORE_MEMORY = (
    "give it more with --conf spark.driver.memory=8g (on a cluster spark.executor.memory), or let "
    "fewer tasks run at once (--master local[1])"
)
WORKERS_MEMORY = (
    "leave the workers more of the machine's memory (a smaller spark.driver.memory, or "
    "spark.executor.memoryOverhead on a cluster), or let fewer run at once (--master local[1])"
)
ELSEWHERE = (
    "name folders on another one with --out and --conf spark.local.dir=FOLDER (Spark's temporary "
    "files, else in /tmp)"
)


_SHUT_DOWN = (
    r"SparkContext was shut down|SparkContext has been shutdown|stopped SparkContext"
    # a context that is stopped under a job sets its parts to null (SparkContext.stop)
    r"|\"org\.apache\.spark\.Spark(?:Context|Env)\.\w+\(\)\" is null"
)

CAUSES = {
    r"No space left on device|Disk quota exceeded": (
        f"no space is left on the disk{{file}}: free some, or {ELSEWHERE}"
    ),
    r"File too large": (
        "a file became larger than this process may write{file}: raise the limit (ulimit -f)"
    ),
    r"Read-only file system": f"the file system can't be written{{file}}: {ELSEWHERE}",
    r"Too many open files": "too many files are open at once: raise the limit (ulimit -n)",
    r"unable to create (?:new )?native thread": (
        "Spark's Java process may start no further thread: raise the limit of processes (ulimit "
        "-u, or the container's)"
    ),
    (
        r"OutOfMemoryError:? ?(?P<what>[^\n]*)|Cannot allocate memory|insufficient memory for the "
        r"Java"
    ): f"Spark's Java process ran out of memory{{what}}: {MORE_MEMORY}",
    r"^(?:\w+\.)*_?\w*MemoryError\b:? ?(?P<what>[^\n]*)|std::bad_alloc": (
        f"a Python worker ran out of memory{{what}}: {WORKERS_MEMORY}; where "
        "spark.executor.pyspark.memory is set, raise it"
    ),
    r"Python worker exited unexpectedly|Python worker failed|Python worker process terminated": (
        "a Python worker was killed or crashed, each time that its task was tried; most often "
        f"memory is short: {WORKERS_MEMORY}"
    ),
    r"Executor ?Lost ?Failure[^\n]*?Reason: (?P<what>[^\n]*)|Lost executor (?P<which>[^\n]*)": (
        "executors of the cluster were lost{what}: look at their logs; if they were killed for "
        "their memory give them more (spark.executor.memory, spark.executor.memoryOverhead)"
    ),
    r"All masters are unresponsive|Master removed our application|application has been killed": (
        "the cluster's master ended the run or doesn't answer: look at its page and at --master"
    ),
    _SHUT_DOWN: "Spark was shut down before the run was done: run it again",
    r"Cannot run program \"(?P<what>[^\"]+)\"": (
        "workers can't start their Python{what}: set PYSPARK_PYTHON to one that is there on all "
        "machines"
    ),
    r"(?:^\s*|\()ModuleNotFoundError: No module named '(?P<what>[^']+)'": (
        "the workers' Python lacks a module{what}: install evenfleet for it on all machines, or "
        "set PYSPARK_PYTHON to one that has it"
    ),
    r"AccessControlException: (?P<what>[^\n]*)|AccessDeniedException|Permission denied": (
        "permission is denied{file}{what}: run as a user who may, or name another folder"
    ),
}
"""Texts that tell what happened, and the sentence for each, with the groups of that text.

The first that is found counts: those that may bring others about come first."""


OUT_OF_MEMORY = 52
"""Exit code of Spark's own for that (org.apache.spark.util.SparkExitCode)."""

KILLED = -9


def why_java_ended(status: int | None, last_words: str) -> str:
    """Why Spark's Java process ended in the middle of a run.

    By its exit code (or minus the signal that ended it) as far as that is known, and by what it
    wrote last.
    """
    if status == OUT_OF_MEMORY:
        return f"Spark's Java process ran out of memory: {MORE_MEMORY}"
    if status == KILLED:
        return (
            "Spark's Java process was killed (signal 9), as a machine or a container does when "
            "memory is short: give the container more memory or Spark's Java process less (--conf "
            "spark.driver.memory=1g), and run it again"
        )
    if text := known_cause(last_words):
        return text
    how = ""
    if status is not None:
        how = f" (signal {-status})" if status < 0 else f" (exit code {status})"
    return (
        f"Spark's Java process ended in the middle of the run{how}: run it again; if it ends "
        "again, --conf spark.log.level=ERROR shows what Spark says to that"
    )


def may_come_of_javas_end(error: BaseException) -> bool:
    """Whether the error is that the Java process doesn't answer any more, or is shutting down."""
    return any(
        isinstance(cause, ConnectionError | Py4JNetworkError) for cause in _chain(error)
    ) or any(re.search(_SHUT_DOWN, text) for text in _texts(error))


def sentence_of(error: Exception) -> str:
    """A sentence on what happened and what to do; of what is unknown, the words of its cause."""
    if isinstance(error, RunError):
        return str(error)
    if isinstance(error, MemoryError):
        return "this command ran out of memory: run it where more is free"
    text = "\n".join(_texts(error))
    return known_cause(text) or f"{type(error).__name__}: {_shorten(_deepest(text, error))}"


def known_cause(text: str) -> str | None:
    """The sentence for the first of the causes that the text tells of, if it does of one."""
    for cause, sentence in CAUSES.items():
        if match := re.search(cause, text, re.MULTILINE):
            says = match.groupdict().get("what")
            beside = {"file": _file_beside(match), "what": says and says.rstrip(" .")}
            return sentence.format(
                **{
                    name: f" ({_shorten(quoted)})" if quoted else ""
                    for name, quoted in beside.items()
                }
            )
    return None


_FILE_BEFORE = re.compile(r"([^\s'\"()]*/[^\s'\"()]*) \($")
_FILE_AFTER = re.compile(r": '([^']+)'|: ([^\s:]*/[^\s:]*)$", re.MULTILINE)


def _file_beside(match: re.Match[str]) -> str | None:
    """The file of an error: Java names it before the fault, Python after it."""
    text, start, end = match.string, match.start(), match.end()
    before = _FILE_BEFORE.search(text[max(0, start - LONGEST) : start])
    after = _FILE_AFTER.match(text[end : end + LONGEST])
    return before[1] if before else after and (after[1] or after[2])


_OF_JAVA = re.compile(r"^Caused by: (?:\w+\.)+[A-Z][\w$]*: (.+)$", re.MULTILINE)
_OF_PYTHON = re.compile(
    r"Traceback \(most recent call last\):\n(?:[ \t].*\n|\n)*(\S.*)$", re.MULTILINE
)
_ABORTED = re.compile(r"Job aborted|Task failed|Job \d+ cancelled|Writing job aborted")


def _deepest(text: str, error: Exception) -> str:
    """The words of the innermost cause that says something; else the first line."""
    try:
        first = first_line(error)
    except Exception:  # as above
        return type(error).__name__
    if not _ABORTED.search(first):
        return first
    says = [first, *_OF_JAVA.findall(text), *_OF_PYTHON.findall(text)]
    return next((say for say in reversed(says) if not _ABORTED.search(say)), first)


def _texts(error: BaseException) -> Iterator[str]:
    """The words of an error and of its causes, with Java's own chain where PySpark keeps it."""
    for cause in _chain(error):
        try:
            yield str(cause)[:READ]
        except Exception:  # what an error of Java's says is asked of Java, which may be gone
            yield type(cause).__name__
        yield str(getattr(cause, "_stackTrace", "") or "")[:READ]


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    while error is not None and error not in seen:
        seen.append(error)
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _shorten(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"


SIGNALS = {
    signal.SIGINT: "interrupted by Ctrl-C before it was done: run it again",
    signal.SIGTERM: "ended by SIGTERM before it was done: run it again",
}
"""The sentence on each."""


class Interrupts:
    """The first signal that came, if one did.

    Any error after it is a consequence: calls to a Java process that is ending fail in many
    ways.
    """

    def __init__(self) -> None:
        self.received: signal.Signals | None = None
        self.is_explained = False
        self._held = False

    def receive(self, number: int, _: FrameType | None = None) -> None:
        """End the command, called by the signals."""
        self.received = self.received or signal.Signals(number)
        if not self._held:
            running().end()
            raise KeyboardInterrupt

    @contextmanager
    def hold(self) -> Iterator[None]:
        """Let a signal wait for the end of this."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self.received:
                self.receive(self.received)


_current = Interrupts()


@contextmanager
def interrupts() -> Iterator[Interrupts]:
    """Take the signals of a command, also where a shell that ran it with `&` had SIGINT ignored."""
    global _current  # noqa: PLW0603 - handlers of signals are the process's
    _current = taken = Interrupts()
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {number: signal.signal(number, taken.receive) for number in SIGNALS}
    try:
        yield taken
    finally:
        if taken.received:
            running().wait_or_kill()
        for number, handler in before.items():
            signal.signal(number, handler)


def mark_explained() -> None:
    """The command itself says what a signal leaves behind, so it needn't be run again."""
    _current.is_explained = True


@contextmanager
def hold_signals() -> Iterator[None]:
    """Let signals wait: of a process that is being started nobody knows the number yet."""
    with _current.hold():
        yield


@contextmanager
def handlers_kept() -> Iterator[None]:
    """PySpark takes SIGINT for itself when it starts; give it back to who had it."""
    before = signal.getsignal(signal.SIGINT)
    try:
        yield
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, before)
