"""Files that users write in TOML."""

import re
import tomllib
from pathlib import Path
from typing import Any

from spark.errors import InputError
from spark.files import read_whole

LARGEST = 1 << 20
"""The bytes of the largest file that is read."""

_KEY = r"""(?:[\w-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
LONG_KEY = re.compile(rf"^[ \t]*(?:\[+[ \t]*)?{_KEY}(?:[ \t]*\.[ \t]*{_KEY}){{100}}", re.MULTILINE)
"""A key of more than a hundred parts: what reading one takes grows with their square."""


def read_toml(path: Path, what: str) -> dict[str, Any]:
    """What a file states; InputError names `what` it is for when it can't be read.

    A byte order mark, which editors of Windows put first, is passed over.
    """
    try:
        text = read_whole(path, LARGEST).decode("utf-8-sig")
        if LONG_KEY.search(text):
            raise RecursionError
        document = tomllib.loads(text)
        repr(document)  # faults quote what is stated
        return document
    except OSError as error:
        raise InputError(f"{what} {path} can't be read: {error.strerror}") from None
    except UnicodeDecodeError:
        raise InputError(f"{what} {path} is not UTF-8: save it with that encoding") from None
    except tomllib.TOMLDecodeError as error:
        raise InputError(f"{what} {path} is not TOML: {error}") from None
    except (RecursionError, ValueError):
        raise InputError(
            f"{what} {path} can't be read: tables are nested too deep in it, or a number has too "
            "many digits"
        ) from None
