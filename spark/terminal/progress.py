"""The step of a command and how far it is: on a terminal while it runs, with `-v` afterwards."""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TypeVar

from pyspark.sql import SparkSession
from rich.status import Status
from rich.text import Text

from optimizer.figures import plural
from spark.terminal import console
from spark.terminal.console import is_held, say
from spark.text import readable

EVERY = 0.5  # seconds between two looks at how far it is

ENDS_WITHIN = 1.0  # seconds that a look may take when its step is over

DESCRIPTION = "spark.job.description"


T = TypeVar("T")


@dataclass
class ProgressStep:
    """A step of a command, and how much of it is done where that is known by count."""

    doing: str
    begun: float = field(default_factory=monotonic)
    count: str = ""

    def track(self, parts: Sequence[T], what: str) -> Iterator[T]:
        """Yield the parts one by one, and count those that are done: `12 of 40 groups`."""
        for done, part in enumerate(parts):
            self.report(done, len(parts), what)
            yield part
        self.count = ""

    def report(self, done: int, of: int, what: str) -> None:
        """Set how many of them are done."""
        self.count = f"{done:,} of {of:,} {what}"

    @property
    def seconds(self) -> float:
        """How long it has taken."""
        return monotonic() - self.begun


class _Progress:
    """The steps of a command, each within the one before, and the Spark that they are done by."""

    def __init__(self) -> None:
        self.shown, self.logged = True, False
        self.session: SparkSession | None = None
        self.steps: list[ProgressStep] = []
        self.is_drawn = False
        self.tasks: dict[int, tuple[int, int]] = {}
        """Done and all, by stage of the command."""

    def line(self) -> str:
        """The line on what is done right now, for a terminal."""
        steps = [*self.steps]  # other threads add and remove some
        if not steps:
            return ""
        step = steps[-1]
        parts = [step.count or self._tasks(), f"{step.seconds:.0f} s" if step.seconds >= 2 else ""]
        return ": ".join([step.doing, ", ".join(filter(None, parts))]).removesuffix(": ")

    def _tasks(self) -> str:
        """Tasks of the command that Spark has done; nothing before its first stage.

        A stage that was seen and isn't under way any more is done. Spark plans stage by stage, so
        nobody knows how many tasks there will be.
        """
        if self.session is None:
            return ""
        tracker = self.session.sparkContext.statusTracker()
        self.tasks = {stage: (of, of) for stage, (_, of) in self.tasks.items()}
        for stage in tracker.getActiveStageIds():
            if seen := tracker.getStageInfo(stage):
                self.tasks[stage] = seen.numCompletedTasks, seen.numTasks
        done = sum(finished for finished, _ in self.tasks.values())
        return f"{plural(done, 'task')} done" if self.tasks else ""


_progress = _Progress()


@contextmanager
def progress(shown: bool, logged: bool) -> Iterator[None]:
    """For one command: whether steps are shown while they run, and logged with their times."""
    before = _progress.shown, _progress.logged
    _progress.shown, _progress.logged = shown, logged
    try:
        yield
    finally:
        _progress.shown, _progress.logged = before


@contextmanager
def follow(session: SparkSession) -> Iterator[None]:
    """Tell how far this session's tasks are, as long as it lasts."""
    _progress.session, _progress.tasks = session, {}
    try:
        yield
    finally:
        _progress.session = None


def session_followed() -> SparkSession | None:
    """The session of the command that is running, if it has one."""
    return _progress.session


@contextmanager
def busy(doing: str) -> Iterator[ProgressStep]:
    """Say on a terminal that something takes its time and how far it is, and so in Spark's UI."""
    step = ProgressStep(doing)
    _progress.steps.append(step)
    try:
        with _describe_jobs(doing), shown_while():
            yield step
    finally:
        _progress.steps.remove(step)
    if _progress.logged:
        say(f"{doing}: {step.seconds:.1f} s")


@contextmanager
def _describe_jobs(doing: str) -> Iterator[None]:
    """Jobs of the step are called by it."""
    if _progress.session is None:
        yield
        return
    context = _progress.session.sparkContext
    before = context.getLocalProperty(DESCRIPTION)
    context.setJobDescription(f"evenfleet: {doing}")
    try:
        yield
    finally:
        with suppress(Exception):  # Java may be gone, and others say what ended it
            context.setLocalProperty(DESCRIPTION, before)  # type: ignore[arg-type]


@contextmanager
def shown_while() -> Iterator[None]:
    """One line for all steps, drawn again from a thread while Spark has ours.

    None where the output of this thread is held back: the one that waits for it has the line.
    """
    if _progress.is_drawn or is_held() or not (_progress.shown and console.ERR.is_terminal):
        yield
        return
    over = threading.Event()
    _progress.is_drawn = True
    try:
        with console.ERR.status(_text()) as status:
            thread = threading.Thread(target=_keep_drawing, args=(status, over), daemon=True)
            thread.start()
            try:
                yield
            finally:
                over.set()
                thread.join(ENDS_WITHIN)
    finally:
        _progress.is_drawn = False


def _keep_drawing(status: Status, over: threading.Event) -> None:
    while not over.wait(EVERY):
        with suppress(Exception):  # Spark may be going away
            status.update(_text())


def _text() -> Text:
    return Text(readable(_progress.line()), overflow="ellipsis", no_wrap=True)
