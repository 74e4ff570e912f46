"""One file of text, replaced as one step."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from spark.files.disk import sync_folder, writing


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
