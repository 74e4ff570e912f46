"""What a member of a classic group says about itself, and what its leader gave it.

Both are bytes of the consumer protocol (ConsumerProtocolSubscription and -Assignment, versions 0 to
3), which the coordinator passes on unread: other programs, such as Kafka Connect, send bytes of
their own there. So anything may come; nothing here raises, and nothing takes more memory than the
bytes can have content for.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass

Claim = tuple[str, int]

_TEXT_SIZE, _NUMBER, _VERSION = struct.Struct(">h"), struct.Struct(">i"), struct.Struct(">h")
_NO_GENERATION = -1


@dataclass(frozen=True)
class Subscription:
    """What a member reads and had when it joined last; `generation` is of that time (KIP-792)."""

    topics: tuple[str, ...]
    owned: tuple[Claim, ...] = ()
    generation: int | None = None
    rack: str | None = None


def read_subscription(data: bytes) -> Subscription | None:
    """The subscription in `data`; None if there is none. Newer versions only append fields."""
    rest = _Bytes(data)
    try:
        version = rest.version()
        topics = tuple(rest.text() for _ in range(rest.count(_TEXT_SIZE.size)))
        rest.skip_bytes()
        owned = rest.claims() if version >= 1 else ()
        generation = rest.number() if version >= 2 else _NO_GENERATION
        rack = rest.text_or_none() if version >= 3 else None
    except _UndecodableError:
        return None
    return Subscription(topics, owned, generation if generation >= 0 else None, rack or None)


def read_assignment(data: bytes) -> tuple[Claim, ...] | None:
    """The partitions in `data`; None if that is no assignment."""
    rest = _Bytes(data)
    try:
        rest.version()
        return rest.claims()
    except _UndecodableError:
        return None


class _UndecodableError(Exception):
    """The bytes are not of the consumer protocol."""


class _Bytes:
    """Bytes that are read from the front; a read that doesn't fit raises `_UndecodableError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def version(self) -> int:
        version = self._unpack(_VERSION)
        if version < 0:
            raise _UndecodableError
        return version

    def number(self) -> int:
        return self._unpack(_NUMBER)

    def count(self, size: int) -> int:
        """The length of a list whose entries take at least `size` bytes each."""
        count = self.number()
        if not 0 <= count <= (len(self._data) - self._at) // size:
            raise _UndecodableError
        return count

    def text(self) -> str:
        text = self.text_or_none()
        if text is None:
            raise _UndecodableError
        return text

    def text_or_none(self) -> str | None:
        size = self._unpack(_TEXT_SIZE)
        if size == -1:
            return None
        try:
            return self._take(size).decode()
        except UnicodeDecodeError:
            raise _UndecodableError from None

    def skip_bytes(self) -> None:
        """Pass over user data, which is the assignor's own affair."""
        size = self.number()
        if size != -1:
            self._take(size)

    def claims(self) -> tuple[Claim, ...]:
        """Lists of partition numbers, one a topic."""
        claims: list[Claim] = []
        for _ in range(self.count(_TEXT_SIZE.size + _NUMBER.size)):
            topic = self.text()
            count = self.count(_NUMBER.size)
            numbers = struct.unpack(f">{count}i", self._take(count * _NUMBER.size))
            if any(number < 0 for number in numbers):
                raise _UndecodableError
            claims += [(topic, number) for number in numbers]
        return tuple(claims)

    def _unpack(self, kind: struct.Struct) -> int:
        (value,) = kind.unpack(self._take(kind.size))
        return int(value)

    def _take(self, size: int) -> bytes:
        end = self._at + size
        if size < 0 or end > len(self._data):
            raise _UndecodableError
        taken = self._data[self._at : end]
        self._at = end
        return taken
