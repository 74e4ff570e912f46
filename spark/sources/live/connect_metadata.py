"""What Kafka Connect's workers say when they join, and what their leader tells them to run.

That is Java's ConnectProtocol (version 0, protocol `default`) and, appended to it,
IncrementalCooperativeConnectProtocol (version 1 `compatible`, 2 `sessioned`; KIP-415, KIP-507). All
numbers are big-endian; later versions append fields.
"""

from dataclasses import dataclass

from spark.sources.live.wire_bytes import NUMBER, TEXT_SIZE, UndecodableError, WireBytes

Task = tuple[str, int]
"""A connector and the number of one of its tasks, or INSTANCE."""

INSTANCE = -1
"""Stands for the connector itself (ConnectProtocol.CONNECTOR_TASK)."""

MOST_TASKS = 100_000
"""More than any connector has: a higher number is no task's."""


@dataclass(frozen=True)
class Orders:
    """What a leader tells a worker: what to run, and from version 1 on what to stop.

    From version 1 on `run` is what the worker is to run in addition to what it runs already.
    """

    run: tuple[Task, ...] = ()
    stop: tuple[Task, ...] = ()


def read_worker_metadata(data: bytes) -> tuple[Task, ...] | None:
    """What a worker ran when it joined, nothing in version 0; None if that can't be read."""
    rest = WireBytes(data)
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


def read_worker_assignment(data: bytes) -> Orders | None:
    """A leader's orders to one worker; None if they can't be read."""
    try:
        return _orders(WireBytes(data))
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
