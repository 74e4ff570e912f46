"""Commands that another one runs side by side: what each prints goes to a log in its turn."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from time import monotonic
from typing import Any, NamedTuple, TextIO

from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target

from spark.terminal.common import run_typed
from spark.terminal.console import Output, held_in, text_of
from spark.terminal.progress import shown_while

AT_ONCE = 2
"""Commands that run at a time: while Spark plans a query of one, tasks of the other use the cores.
"""


class Ended(NamedTuple):
    """A command's exit code, the sentence that is its answer, and how long it ran."""

    code: int
    answer: str
    seconds: float


Finish = Callable[[], Ended]
"""Waits for a command and logs what it printed; raises its error."""


@contextmanager
def side_by_side(session: SparkSession, log: TextIO) -> Iterator[Callable[..., Finish]]:
    """What starts a command, with its words, in a thread of its own; see `run_typed`.

    They begin in the order in which they are started, `AT_ONCE` of them at a time.
    """
    pool = ThreadPoolExecutor(AT_ONCE)

    def start(command: Callable[..., Any], *words: str) -> Finish:
        output = Output()
        target = inheritable_thread_target(session)(_run_held)
        future: Future[tuple[int, float]] = pool.submit(target, output, command, *words)

        def finish() -> Ended:
            try:
                with shown_while():
                    code, seconds = future.result()
                return Ended(code, output.answer, seconds)
            finally:
                log.writelines(map(text_of, output.printings))

        return finish

    try:
        yield start
    finally:
        pool.shutdown(cancel_futures=True)


def _run_held(output: Output, command: Callable[..., Any], *words: str) -> tuple[int, float]:
    begun = monotonic()
    with held_in(output):
        return run_typed(command, *words), monotonic() - begun
