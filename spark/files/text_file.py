"""One file of text, replaced as one step."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

from spark.files.disk import writing


def replace_text(path: Path, text: str) -> None:
    """Write a file that others may be reading: they see the old text or the new one, whole.

    It is readable for all. InputError or RunError if it can't be written.
    """
    half = None
    with writing(path):
        try:
            with tempfile.NamedTemporaryFile(
                "w",
                dir=path.parent,
                prefix=f".{path.name}.",
                delete=False,
                encoding="utf-8",
                newline="\n",
            ) as file:
                half = Path(file.name)
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            half.chmod(0o644)
            half.replace(path)
        except BaseException:
            if half:
                half.unlink(missing_ok=True)
            raise
