"""Metadata of members when they join, and assignments that their leader gives them.

Both are bytes that the coordinator passes on unread: of the consumer protocol
(ConsumerProtocolSubscription and -Assignment, versions 0 to 3), of Kafka Connect, or of any other
program. So anything may come; nothing here raises, and nothing takes more memory than the bytes can
have content for.

"""

import struct
from dataclasses import dataclass

TEXT_SIZE, NUMBER = struct.Struct(">h"), struct.Struct(">i")
_SHORT, _LONG = struct.Struct(">h"), struct.Struct(">q")


class UndecodableError(Exception):
    """The bytes are not of the protocol."""


class WireBytes:
    """Bytes that are read from the front; a read that doesn't fit raises `UndecodableError`."""

    def __init__(self, content: bytes) -> None:
        self._data = content
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
        """The length of a list that may be null, which is as 0."""
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


Claim = tuple[str, int]

_NO_GENERATION = -1


@dataclass(frozen=True)
class Subscription:
    """A member's topics, and what it had when it last joined (`generation` of then, KIP-792)."""

    topics: tuple[str, ...]
    owned: tuple[Claim, ...] = ()
    generation: int | None = None
    rack: str | None = None


def read_subscription(content: bytes) -> Subscription | None:
    """The subscription in `content`; None if there is none. Newer versions only append fields."""
    rest = WireBytes(content)
    try:
        version = rest.version()
        topics = tuple(rest.text() for _ in range(rest.count(TEXT_SIZE.size)))
        rest.bytes_or_none()  # user data, which is the assignor's own affair
        owned = _claims(rest) if version >= 1 else ()
        generation = rest.number() if version >= 2 else _NO_GENERATION
        rack = rest.text_or_none() if version >= 3 else None
    except UndecodableError:
        return None
    return Subscription(topics, owned, generation if generation >= 0 else None, rack or None)


def read_assignment(content: bytes) -> tuple[Claim, ...] | None:
    """The partitions in `content`; None if that is no assignment."""
    rest = WireBytes(content)
    try:
        rest.version()
        return _claims(rest)
    except UndecodableError:
        return None


def _claims(rest: WireBytes) -> tuple[Claim, ...]:
    """Lists of partition numbers, one a topic."""
    claims: list[Claim] = []
    for _ in range(rest.count(TEXT_SIZE.size + NUMBER.size)):
        topic, numbers = rest.text(), rest.numbers()
        if any(number < 0 for number in numbers):
            raise UndecodableError
        claims += [(topic, number) for number in numbers]
    return tuple(claims)


Task = tuple[str, int]
"""A connector and the number of one of its tasks, or INSTANCE."""

INSTANCE = -1
"""Stands for the connector itself (ConnectProtocol.CONNECTOR_TASK)."""

MOST_TASKS = 100_000
"""More than any connector has: a higher number is no task's."""


@dataclass(frozen=True)
class Orders:
    """A leader's orders to a worker: tasks to run, and from version 1 on tasks to stop.

    From version 1 on `run` is what the worker is to run in addition to what it runs already.
    """

    run: tuple[Task, ...] = ()
    stop: tuple[Task, ...] = ()


def read_worker_metadata(content: bytes) -> tuple[Task, ...] | None:
    """Tasks that a worker ran when it joined, none in version 0; None if that can't be read."""
    rest = WireBytes(content)
    try:
        version = rest.version()
        rest.text()  # url of its REST interface
        rest.long()  # how far it has read the topic of configurations
        if version == 0 or rest.is_at_end:
            return ()
        allocation = rest.bytes_or_none()
        return _orders(WireBytes(allocation)).run if allocation else ()
    except UndecodableError:
        return None


def read_worker_assignment(content: bytes) -> Orders | None:
    """A leader's orders to one worker; None if they can't be read."""
    try:
        return _orders(WireBytes(content))
    except UndecodableError:
        return None


def _orders(rest: WireBytes) -> Orders:
    version = rest.version()
    rest.short()  # error
    rest.text_or_none()  # leader
    rest.text_or_none()  # its url
    rest.long()  # how far the leader has read
    run = _tasks(rest)
    return Orders(run, _tasks(rest) if version > 0 else ())


def _tasks(rest: WireBytes) -> tuple[Task, ...]:
    """Lists of tasks, one a connector; a list that is null or missing is empty."""
    if rest.is_at_end:
        return ()
    tasks: list[Task] = []
    for _ in range(rest.count_or_none(TEXT_SIZE.size + NUMBER.size)):
        connector, numbers = rest.text(), rest.numbers()
        if any(not INSTANCE <= number < MOST_TASKS for number in numbers):
            raise UndecodableError
        tasks += [(connector, number) for number in numbers]
    return tuple(tasks)
