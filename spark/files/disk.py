"""What a disk refuses, in a sentence."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from spark.errors import InputError, RunError

ELSEWHERE = (
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR),
    *(errno.ENAMETOOLONG, errno.ELOOP),
)
"""Errors that another choice of folder helps against."""


@contextmanager
def writing(out: object) -> Iterator[None]:
    """Errors of a local file system while `out` is written become InputError or RunError."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in ELSEWHERE:
            raise InputError(f"{error.filename or out} can't be written: {why}") from None
        raise RunError(
            f"{out} can't be written: {why}: what was there before is as it was"
        ) from None
