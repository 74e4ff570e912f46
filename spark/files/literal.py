"""Paths as they are: a bracket in the name of a folder is no pattern."""

from __future__ import annotations

from pyspark.errors import AnalysisException

LITERAL = {"__globPaths__": "false"}
"""Option of Spark's readers of files that takes paths for names."""


def is_not_there(error: Exception) -> bool:
    """Whether Spark says that it found no such path."""
    return isinstance(error, AnalysisException) and error.getCondition() == "PATH_NOT_FOUND"
