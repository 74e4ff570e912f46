"""An error in one readable line, and long names, which are shown short."""

import pytest

from spark.errors import first_line, unreadable_file
from spark.text import LONGEST, LONGEST_SENTENCE, list_of, shorten, shortened_in

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


LONG = "a" * 100_000
ALIKE = LONG[:50_000] + "b" + LONG[50_001:]
UNLIKE = "é€😀" * 40_000
NAMES = ("", "orders", "x" * LONGEST, "x" * (LONGEST + 1), LONG, ALIKE, UNLIKE, "a name " * 999)


def test_names_are_counted_and_the_first_told() -> None:
    assert list_of("group", "a") == "1 group (a)"
    assert list_of("group", "cbab") == "3 groups (a, b, c)"
    assert list_of("group", "abcdef") == "6 groups (a, b, c, d, e, …)"


def test_names_are_whole_but_long_ones_are_their_ends_and_a_hash() -> None:
    assert shorten(LONG) == f"{'a' * 160}…{'a' * 60} #6d1cf22d"
    assert [shorten(name) for name in NAMES[:3]] == [*NAMES[:3]]
    short = {shorten(name) for name in NAMES}
    assert len(short) == len(NAMES)
    assert max(map(len, short)) <= LONGEST
    assert shorten("\ud800" * 999) != shorten("\ud801" * 999)


def test_sentences_keep_their_words_and_lose_those_of_long_names() -> None:
    output = f"Group '{LONG}' of cluster {ALIKE}: " + "it is well. " * 20
    short = shortened_in(output)
    assert short.startswith("Group 'aaa") and short.endswith(output[-240:])
    assert len(short) < 2 * LONGEST + 300
    assert shortened_in(output) != shortened_in(output.replace(LONG, ALIKE))
    assert shortened_in("it is well. " * 100) == "it is well. " * 100
    assert len(shortened_in("a name " * 9_999)) < LONGEST_SENTENCE
