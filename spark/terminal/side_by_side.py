"""Commands that another one runs side by side: each prints in its turn what it has to say."""

from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from pyspark.sql import SparkSession
from pyspark.util import inheritable_thread_target

from spark.terminal.common import run_typed
from spark.terminal.held_output import Output, held_in
from spark.terminal.progress import shown_while

AT_ONCE = 2
"""Commands that run at a time: while Spark plans a query of one, tasks of the other use the cores.
"""

Finish = Callable[[], int]
"""Waits for a command, prints what it has to say and returns its exit code; or raises its error."""


@contextmanager
def side_by_side(session: SparkSession) -> Iterator[Callable[..., Finish]]:
    """What starts a command, with its words, in a thread of its own; see `run_typed`.

    They begin in the order in which they are started, `AT_ONCE` of them at a time.
    """
    pool = ThreadPoolExecutor(AT_ONCE)

    def start(command: Callable[..., Any], *words: str) -> Finish:
        output: Output = []
        target = inheritable_thread_target(session)(_run_held)
        future: Future[int] = pool.submit(target, output, command, *words)

        def finish() -> int:
            try:
                with shown_while():
                    return future.result()
            finally:
                for printing in output:
                    printing()

        return finish

    try:
        yield start
    finally:
        pool.shutdown(cancel_futures=True)


def _run_held(output: Output, command: Callable[..., Any], *words: str) -> int:
    with held_in(output):
        return run_typed(command, *words)
