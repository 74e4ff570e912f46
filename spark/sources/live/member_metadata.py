"""Metadata of members when they join, and assignments that their leader gives them.

Both are bytes that the coordinator passes on unread: of the consumer protocol
(ConsumerProtocolSubscription and -Assignment, versions 0 to 3), of Kafka Connect, or of any other
program. So anything may come; nothing here raises, and nothing takes more memory than the bytes can
have content for.

"""

import struct
from collections.abc import Callable
from dataclasses import dataclass
from functools import wraps
from typing import TypeVar

SHORT, NUMBER, LONG = 2, 4, 8
"""Bytes of integers; texts begin with a short, lists and bytes with a number."""

NULL = b"\xff" * NUMBER
"""The number of a list that is null."""

Read = TypeVar("Read")


class UndecodableError(Exception):
    """The bytes are not of the protocol."""


class WireBytes:
    """Bytes that are read from the front; a read that doesn't fit raises `UndecodableError`."""

    def __init__(self, content: bytes) -> None:
        self.rest = memoryview(content)

    def take(self, size: int) -> bytes:
        if not 0 <= size <= len(self.rest):
            raise UndecodableError
        taken, self.rest = self.rest[:size], self.rest[size:]
        return bytes(taken)

    def integer(self, size: int) -> int:
        return int.from_bytes(self.take(size), signed=True)

    def version(self) -> int:
        version = self.integer(SHORT)
        if version < 0:
            raise UndecodableError
        return version

    def count(self, size: int) -> int:
        """The length of a list whose entries take at least `size` bytes each."""
        count = self.integer(NUMBER)
        if not 0 <= count <= len(self.rest) // size:
            raise UndecodableError
        return count

    def numbers(self) -> tuple[int, ...]:
        count = self.count(NUMBER)
        return struct.unpack(f">{count}i", self.take(count * NUMBER))

    def text(self) -> str:
        text = self.text_or_none()
        if text is None:
            raise UndecodableError
        return text

    def text_or_none(self) -> str | None:
        size = self.integer(SHORT)
        try:
            return None if size == -1 else self.take(size).decode()
        except UnicodeDecodeError:
            raise UndecodableError from None

    def bytes_or_none(self) -> bytes | None:
        size = self.integer(NUMBER)
        return None if size == -1 else self.take(size)


def _none_if_undecodable(read: Callable[[WireBytes], Read]) -> Callable[[bytes], Read | None]:
    @wraps(read)
    def reading(content: bytes) -> Read | None:
        try:
            return read(WireBytes(content))
        except UndecodableError:
            return None

    return reading


Claim = tuple[str, int]

_NO_GENERATION = -1


@dataclass(frozen=True)
class Subscription:
    """A member's topics, and what it had when it last joined (`generation` of then, KIP-792)."""

    topics: tuple[str, ...]
    owned: tuple[Claim, ...] = ()
    generation: int | None = None
    rack: str | None = None


@_none_if_undecodable
def read_subscription(rest: WireBytes) -> Subscription:
    """The subscription in the bytes; None if there is none. Newer versions only append fields."""
    version = rest.version()
    topics = tuple(rest.text() for _ in range(rest.count(SHORT)))
    rest.bytes_or_none()  # user data, which is the assignor's own affair
    owned = _claims(rest) if version >= 1 else ()
    generation = rest.integer(NUMBER) if version >= 2 else _NO_GENERATION
    rack = rest.text_or_none() if version >= 3 else None
    return Subscription(topics, owned, generation if generation >= 0 else None, rack or None)


@_none_if_undecodable
def read_assignment(rest: WireBytes) -> tuple[Claim, ...]:
    """The partitions in the bytes; None if that is no assignment."""
    rest.version()
    return _claims(rest)


def _claims(rest: WireBytes) -> tuple[Claim, ...]:
    """Lists of partition numbers, one a topic."""
    claims: list[Claim] = []
    for _ in range(rest.count(SHORT + NUMBER)):
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


@_none_if_undecodable
def read_worker_metadata(rest: WireBytes) -> tuple[Task, ...]:
    """Tasks that a worker ran when it joined, none in version 0; None if that can't be read."""
    version = rest.version()
    rest.text()  # url of its REST interface
    rest.integer(LONG)  # how far it has read the topic of configurations
    if version == 0 or not rest.rest:
        return ()
    allocation = rest.bytes_or_none()
    return _orders(WireBytes(allocation)).run if allocation else ()


@_none_if_undecodable
def read_worker_assignment(rest: WireBytes) -> Orders:
    """A leader's orders to one worker; None if they can't be read."""
    return _orders(rest)


def _orders(rest: WireBytes) -> Orders:
    version = rest.version()
    rest.integer(SHORT)  # error
    rest.text_or_none()  # leader
    rest.text_or_none()  # its url
    rest.integer(LONG)  # how far the leader has read
    run = _tasks(rest)
    return Orders(run, _tasks(rest) if version > 0 else ())


def _tasks(rest: WireBytes) -> tuple[Task, ...]:
    """Lists of tasks, one a connector; a list that is null or missing is empty."""
    if not rest.rest or rest.rest[:NUMBER] == NULL:
        rest.rest = rest.rest[NUMBER:]
        return ()
    tasks: list[Task] = []
    for _ in range(rest.count(SHORT + NUMBER)):
        connector, numbers = rest.text(), rest.numbers()
        if any(not INSTANCE <= number < MOST_TASKS for number in numbers):
            raise UndecodableError
        tasks += [(connector, number) for number in numbers]
    return tuple(tasks)
