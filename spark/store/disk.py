"""A disk's errors in a sentence, and files of text, replaced as one step or read whole."""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from spark.errors import InputError, RunError

ELSEWHERE = (
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.ENOTDIR, errno.EEXIST, errno.EISDIR),
    *(errno.ENAMETOOLONG, errno.ELOOP),
)
"""Errors that another choice of folder helps against."""


LARGEST = 1 << 28
"""The bytes of the largest file that is read whole: as JSON it takes ten times the memory."""


def read_whole(path: Path, most: int = LARGEST) -> bytes:
    """A regular file of up to that many bytes; OSError for others.

    A device or a pipe may have no end, or nobody who writes to it.
    """
    if path.exists() and not (path.is_file() or path.is_dir()):
        raise OSError(errno.EINVAL, "it is a device or a pipe: name a regular file", str(path))
    with path.open("rb") as file:
        content = file.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it is too large: at most {most:,} bytes are read", str(path))
    return content


@contextmanager
def writing(out: object) -> Iterator[None]:
    """Errors of a local file system while `out` is written become InputError or RunError."""
    try:
        yield
    except OSError as error:
        why = error.strerror or str(error)
        if error.errno in ELSEWHERE:
            raise InputError(f"{error.filename or out} can't be written: {why}") from None
        why += ", free some" if error.errno == errno.ENOSPC else ""
        raise RunError(f"{out} can't be written: {why}: what was there is unchanged") from None


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


def replace_text(path: Path, text: str) -> None:
    """Write a file that others may be reading: they see the old text or the new one, whole.

    Who may read it is up to the umask. InputError or RunError if it can't be written.
    """
    half = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    with writing(path):
        try:
            with half.open("x", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            half.replace(path)
        except BaseException:
            with suppress(OSError):
                half.unlink()
            raise
    with suppress(OSError):  # the new text holds
        sync_folder(path.parent)
