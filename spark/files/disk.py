"""What a disk refuses, in a sentence."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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


def sync_folder(folder: Path) -> None:
    """Return when the names in a folder are on the disk, where the file system can tell."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(opened)
