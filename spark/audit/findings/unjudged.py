"""Groups of which nothing can be said: their facts contradict each other, or solving failed."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark.audit.finding import Finding, rows_found
from spark.audit.sql_text import filled, sentence
from spark.wording import LONGEST_SENTENCE, shortened_in_sql

REASON = shortened_in_sql("reason", LONGEST_SENTENCE)


def invalid_group(solved: DataFrame) -> DataFrame:
    """Groups whose facts contradict each other, or couldn't be read; the reason says how."""
    return rows_found(
        solved.where("status = 'invalid'"),
        subject=filled("group {group}"),
        measure="1",
        sentence=sentence(
            "Group {group} can't be judged: {reason}.", whole=["reason"], reason=REASON
        ),
    )


INVALID_GROUP = Finding(
    name="invalid-group",
    tells="a group can't be judged: its facts contradict each other, or couldn't be read",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: put right what the reason names "
    "where the snapshot comes from, and take a new one.",
    find=invalid_group,
    reads=("solved",),
    warning=1,
)


def failed_group(solved: DataFrame) -> DataFrame:
    """Groups that were sound enough to be solved, and weren't."""
    return rows_found(
        solved.where("status = 'failed'"),
        subject=filled("group {group}"),
        measure="1",
        sentence=sentence(
            "Group {group} can't be judged, solving it failed: {reason}.",
            whole=["reason"],
            reason=REASON,
        ),
    )


FAILED_GROUP = Finding(
    name="failed-group",
    tells="a group can't be judged: solving it failed",
    measure="1: there is such a group",
    advice="Nothing else is known of this group, good or bad: do what the reason says; if it names "
    "an error, report it together with this group's rows.",
    find=failed_group,
    reads=("solved",),
    warning=1,
)
