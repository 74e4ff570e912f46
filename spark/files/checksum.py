"""What tells whether the bytes of a file are those that were written."""

from __future__ import annotations

import zlib
from pathlib import Path

CHUNK = 1 << 20


def checksum(path: Path) -> str:
    """The CRC-32 of a file, in hex."""
    result = 0
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            result = zlib.crc32(chunk, result)
    return f"{result:08x}"
