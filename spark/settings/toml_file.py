"""Files that users write in TOML."""

import tomllib
from pathlib import Path
from typing import Any

from spark.errors import InputError


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """What a file states; InputError names `what` it is for when it can't be read."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{what} {path} can't be read: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{what} {path} is not TOML: {error}") from None
