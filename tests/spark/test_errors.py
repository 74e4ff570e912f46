"""An error in one readable line."""

import pytest

from spark.errors import first_line, unreadable_file

PY4J = """An error occurred while calling o42.count.
: org.apache.spark.SparkException: [FAILED_READ_FILE.NO_HINT] Encountered error while reading \
file file:///s/members/part-0.parquet.  SQLSTATE: KD001
\tat org.apache.spark.sql.errors.QueryExecutionErrors$.cannotReadFilesError(Errors.scala:920)
Caused by: java.lang.IllegalArgumentException: Illegal Capacity: -5
"""

WORKER = """
  An exception was thrown from the Python worker:
Traceback (most recent call last):
  File "worker.py", line 45, in solve
    raise MemoryError("too large")
MemoryError: too large
"""


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("plain", "plain"),
        ("one\ntwo", "one"),
        ("\n\n  first\nsecond", "first"),
        ("[PATH_NOT_FOUND] Path does not exist: /x. SQLSTATE: 42K03\n\nJVM stacktrace:\n\tat x",
         "[PATH_NOT_FOUND] Path does not exist: /x."),
        (PY4J, "[FAILED_READ_FILE.NO_HINT] Encountered error while reading file "
               "file:///s/members/part-0.parquet."),
        ("An error occurred while calling None.org.apache.spark.api.java.JavaSparkContext.\n"
         ": java.lang.NumberFormatException: Illegal value for config key x",
         "Illegal value for config key x"),
        ("An error occurred while calling o1.x.", "An error occurred while calling o1.x."),
        (WORKER.strip(), "MemoryError: too large"),
        ("", "RuntimeError"),
    ],
)  # fmt: skip
def test_the_first_line_that_says_something(text: str, line: str) -> None:
    assert first_line(RuntimeError(text)) == line


def test_a_file_that_can_not_be_read_is_named() -> None:
    assert unreadable_file(RuntimeError(PY4J)) == "file:///s/members/part-0.parquet"
    assert unreadable_file(RuntimeError("Job aborted due to stage failure")) is None
