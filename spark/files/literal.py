"""Paths as they are: a bracket in the name of a folder is no pattern."""

from __future__ import annotations

from pyspark.errors import AnalysisException

LITERAL = {"__globPaths__": "false"}
"""Option of Spark's readers of files that takes paths for names."""

PASSING_OVER = {"ignoreCorruptFiles": "true"}
"""Option of the same that leaves out what can't be read."""


def is_not_there(error: Exception) -> bool:
    """Whether Spark says that it found no such path."""
    return isinstance(error, AnalysisException) and error.getCondition() == "PATH_NOT_FOUND"
