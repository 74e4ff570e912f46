"""What ended a run, in a sentence."""

import pytest

from spark.terminal.ends import (
    LONGEST,
    may_come_of_javas_end,
    sentence_of,
    why_java_ended,
)

WRITING = """An error occurred while calling o142.parquet.
: org.apache.spark.SparkException: Job aborted due to stage failure: Task 0 in stage 9.0 failed 4 \
times, most recent failure: Lost task 0.3 in stage 9.0 (TID 31) (127.0.0.1 executor driver): \
org.apache.spark.SparkException: [TASK_WRITE_FAILED] Task failed while writing rows to file:/o.
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.taskFailedWhileWritingRowsError(Q.scala:7)
Caused by: {}
\tat java.base/java.io.FileOutputStream.writeBytes(Native Method)
\t... 17 more

Driver stacktrace:
"""

WORKER = """Job aborted due to stage failure: Task 0 in stage 1.0 failed 4 times, most recent \
failure: Lost task 0.3 in stage 1.0 (TID 4) (127.0.0.1 executor driver): \
org.apache.spark.api.python.PythonException: Traceback (most recent call last):
  File "worker.py", line 45, in solve
    solve()
{}

\tat org.apache.spark.api.python.BasePythonRunner$ReaderIterator.handlePythonException(R.scala:5)
"""


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        ("java.io.IOException: No space left on device", "no space is left on the disk: free "),
        (
            "java.io.FileNotFoundException: /tmp/blockmgr-1/temp_shuffle (No space left on device)",
            "no space is left on the disk (/tmp/blockmgr-1/temp_shuffle): free some, or name ",
        ),
        ("java.io.IOException: Disk quota exceeded", "no space is left on the disk: "),
        ("java.io.IOException: File too large", "a file became larger than this process may "),
        (
            "java.io.FileNotFoundException: /o/part-0 (Read-only file system)",
            "the file system can't be written (/o/part-0): name folders on another one ",
        ),
        (
            "java.io.FileNotFoundException: /o/part-0 (Too many open files)",
            "too many files are open at once: raise the limit (ulimit -n)",
        ),
        (
            "java.io.FileNotFoundException: /o/part-0 (Permission denied)",
            "permission is denied (/o/part-0): run as a user who may, ",
        ),
        (
            "org.apache.hadoop.security.AccessControlException: Permission denied: user=me, "
            "access=WRITE, inode='/plans'",
            "permission is denied (Permission denied: user=me, access=WRITE, inode='/plans'): ",
        ),
        (
            "java.lang.OutOfMemoryError: Java heap space",
            "Spark's Java process ran out of memory (Java heap space): give it more with --conf ",
        ),
        (
            "java.lang.OutOfMemoryError: unable to create native thread: possibly out of memory",
            "Spark's Java process may start no further thread: raise the limit of processes ",
        ),
        (
            "org.apache.spark.SparkException: Python worker exited unexpectedly (crashed)",
            "a Python worker was killed or crashed, each time that its task was tried; ",
        ),
        (
            "java.io.IOException: Cannot run program \"/opt/python\": error=2, No such file",
            "workers can't start their Python (/opt/python): set PYSPARK_PYTHON to one ",
        ),
        (
            "java.net.ConnectException: Call from me to name:8020 failed on connection exception",
            "RuntimeError: Call from me to name:8020 failed on connection exception",
        ),
    ],
)  # fmt: skip
def test_the_cause_that_says_something(cause: str, sentence: str) -> None:
    """Not that a job was aborted."""
    assert sentence_of(RuntimeError(WRITING.format(cause))).startswith(sentence)


@pytest.mark.parametrize(
    ("cause", "sentence"),
    [
        ("ValueError: no luck at all", "RuntimeError: ValueError: no luck at all"),
        (
            "MemoryError: Unable to allocate 8 EiB",
            "a Python worker ran out of memory (Unable to allocate 8 EiB): leave the workers ",
        ),
        (
            "numpy._core._exceptions._ArrayMemoryError: Unable to allocate 9 GiB",
            "a Python worker ran out of memory (Unable to allocate 9 GiB): leave the workers more "
            "of the machine's memory (a smaller spark.driver.memory, or "
            "spark.executor.memoryOverhead on a cluster), or let fewer run at once "
            "(--master local[1]); where "
            "spark.executor.pyspark.memory is set, raise it",
        ),
        (
            "ModuleNotFoundError: No module named 'optimizer'",
            "the workers' Python lacks a module (optimizer): install evenfleet for it on all ",
        ),
        (
            "Error from python worker:\n  ModuleNotFoundError: No module named 'pyarrow'\nPYTHON",
            "the workers' Python lacks a module (pyarrow): install evenfleet for it on all ",
        ),
        (
            "python: Error while finding module specification for 'spark.startup.worker_daemon' "
            "(ModuleNotFoundError: No module named 'spark')",
            "the workers' Python lacks a module (spark): install evenfleet for it on all ",
        ),
    ],
)
def test_what_a_worker_says(cause: str, sentence: str) -> None:
    assert sentence_of(RuntimeError(WORKER.format(cause))).startswith(sentence)


class GoneError(Exception):
    """Java's errors are Java's to tell, which may be gone."""

    def __str__(self) -> str:
        raise ConnectionRefusedError(111, "Connection refused")


def test_other_errors() -> None:
    """That of a cause, one of which nothing can be asked, and a long one."""
    error = RuntimeError("the table can't be written")
    error.__cause__ = OSError(28, "No space left on device", "/store/.writing/part-0.parquet")
    full = "no space is left on the disk (/store/.writing/part-0.parquet): free"
    assert sentence_of(error).startswith(full)
    assert sentence_of(GoneError()) == "GoneError: GoneError"
    assert sentence_of(RuntimeError("x" * 5_000_000)) == f"RuntimeError: {'x' * LONGEST} …"


@pytest.mark.parametrize(
    ("status", "last_words", "sentence"),
    [
        (-9, "", "Spark's Java process was killed (signal 9), as a machine or a container does "),
        (52, "", "Spark's Java process ran out of memory: give it more"),
        (1, "# There is insufficient memory for the Java Runtime", "Spark's Java process ran out "),
        (-11, "", "Spark's Java process ended in the middle of the run (signal 11): run it again"),
        (1, "", "Spark's Java process ended in the middle of the run (exit code 1): "),
        (None, "", "Spark's Java process ended in the middle of the run: run it again"),
    ],
)
def test_java_has_ended(status: int | None, last_words: str, sentence: str) -> None:
    assert why_java_ended(status, last_words).startswith(sentence)


@pytest.mark.parametrize(
    "text",
    [
        "Job 0 cancelled because SparkContext was shut down",
        'Cannot invoke "org.apache.spark.scheduler.DAGScheduler.cleanupQueryJobs(long)" because '
        'the return value of "org.apache.spark.SparkContext.dagScheduler()" is null',
        'because the return value of "org.apache.spark.SparkEnv.blockManager()" is null',
    ],
)
def test_a_context_that_stops_under_a_job_may_be_javas_end(text: str) -> None:
    """But for nulls of other objects."""
    assert may_come_of_javas_end(RuntimeError(text))
    assert sentence_of(RuntimeError(text)).startswith("Spark was shut down before the run was done")
    assert not may_come_of_javas_end(RuntimeError('the value of "org.acme.Rows.first()" is null'))
