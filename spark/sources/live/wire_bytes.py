"""Bytes that programs send to each other through a coordinator: anything may come.

What is read takes no more memory than the bytes can have content for.
"""

import struct

TEXT_SIZE, NUMBER = struct.Struct(">h"), struct.Struct(">i")
_SHORT, _LONG = struct.Struct(">h"), struct.Struct(">q")


class UndecodableError(Exception):
    """The bytes are not of the protocol."""


class WireBytes:
    """Bytes that are read from the front; a read that doesn't fit raises `UndecodableError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    @property
    def is_at_end(self) -> bool:
        return self._at == len(self._data)

    def version(self) -> int:
        version = self.short()
        if version < 0:
            raise UndecodableError
        return version

    def short(self) -> int:
        return self._unpack(_SHORT)

    def number(self) -> int:
        return self._unpack(NUMBER)

    def long(self) -> int:
        return self._unpack(_LONG)

    def count(self, size: int) -> int:
        """The length of a list whose entries take at least `size` bytes each."""
        count = self.number()
        if not 0 <= count <= (len(self._data) - self._at) // size:
            raise UndecodableError
        return count

    def count_or_none(self, size: int) -> int:
        """The same of a list that may be null, which is as none."""
        if self._data[self._at : self._at + NUMBER.size] == NUMBER.pack(-1):
            self._at += NUMBER.size
            return 0
        return self.count(size)

    def numbers(self) -> tuple[int, ...]:
        count = self.count(NUMBER.size)
        return struct.unpack(f">{count}i", self._take(count * NUMBER.size))

    def text(self) -> str:
        text = self.text_or_none()
        if text is None:
            raise UndecodableError
        return text

    def text_or_none(self) -> str | None:
        size = self._unpack(TEXT_SIZE)
        if size == -1:
            return None
        try:
            return self._take(size).decode()
        except UnicodeDecodeError:
            raise UndecodableError from None

    def bytes_or_none(self) -> bytes | None:
        size = self.number()
        return None if size == -1 else self._take(size)

    def _unpack(self, kind: struct.Struct) -> int:
        (value,) = kind.unpack(self._take(kind.size))
        return int(value)

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise UndecodableError
        taken = self._data[self._at : end]
        self._at = end
        return taken
