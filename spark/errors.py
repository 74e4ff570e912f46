"""Errors that a command ends with when it can't go on."""

import re


class InputError(ValueError):
    """Bad input, said in one readable sentence; commands exit with code 2."""


class RunError(Exception):
    """A run failed, said in one readable sentence; commands exit with code 3."""


class UnreadableError(InputError):
    """A file of a snapshot can't be read: it is broken, or was cut short."""


_JAVA_CLASS = re.compile(r"^:? *(?:[a-z]\w*\.)+[A-Z][\w$]*: ")
_SQL_STATE = re.compile(r" *SQLSTATE: \w+$")


def first_line(error: Exception) -> str:
    """First line of an error; the rest is for Spark's own developers.

    Py4J puts a line about itself before what Java says, and PySpark the traceback of a worker.
    """
    lines = [line for line in str(error).splitlines() if line.strip()]
    if not lines:
        return type(error).__name__
    if lines[0].startswith("An error occurred while calling") and len(lines) > 1:
        lines = lines[1:]
    if lines[0].startswith("An exception was thrown from the Python worker"):
        lines = [line for line in lines[2:] if not line.startswith(" ")] or lines
    return _SQL_STATE.sub("", _JAVA_CLASS.sub("", lines[0].strip()))


_UNREADABLE_FILE = re.compile(r"\[FAILED_READ_FILE[^\]]*\].*?reading file (\S+)\.\s")


def unreadable_file(error: Exception) -> str | None:
    """The file that Spark couldn't read, if that is what ended its job."""
    found_text = _UNREADABLE_FILE.search(str(error))
    return found_text[1] if found_text else None
