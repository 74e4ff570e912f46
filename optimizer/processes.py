"""Steps done to the processes of a group and to its topics, and when; times are milliseconds."""

from dataclasses import dataclass

from optimizer.settings import ClientSettings


@dataclass(frozen=True)
class OfMember:
    """Something is done to a member's process at a time."""

    at: float
    member: str


@dataclass(frozen=True)
class Start(OfMember):
    """A process of that name starts: a newcomer, or one that is back after Close or Kill.

    What is None stays as it was before (of a newcomer: as the scenario says for all). `delay_ms`
    is what it takes to its first request; `member_id` the id that it will have (made up if None).
    """

    topics: tuple[str, ...] | None = None
    client: ClientSettings | None = None
    instance_id: str | None = None
    rack: str | None = None
    member_id: str | None = None
    delay_ms: float | None = None
    pattern: str | None = None


@dataclass(frozen=True)
class Close(OfMember):
    """A process ends in good order; `leave` overrides what its kind does (KIP-1092).

    `delay_ms` is what its last commit takes; `silent_ms` is that of `Kill`, of one that doesn't
    leave.
    """

    leave: bool | None = None
    delay_ms: float = 0
    silent_ms: float | None = None


@dataclass(frozen=True)
class Kill(OfMember):
    """A process is gone without a word.

    `silent_ms`: how long before that it gave its last sign of life (None: by its phases).
    """

    silent_ms: float | None = None


@dataclass(frozen=True)
class Block(OfMember):
    """The application doesn't poll for so long."""

    for_ms: float


@dataclass(frozen=True)
class Freeze(OfMember):
    """A process stands still for so long and then goes on: a full GC, a suspended container.

    It neither polls nor beats meanwhile, so that its session may end.
    """

    for_ms: float


@dataclass(frozen=True)
class Subscribe(OfMember):
    """A member subscribes to other topics."""

    topics: tuple[str, ...]


@dataclass(frozen=True)
class Grow:
    """Set a topic's number of partitions from now on; a new topic is created."""

    at: float
    topic: str
    partitions: int


@dataclass(frozen=True)
class Delete:
    """A topic is gone."""

    at: float
    topic: str


@dataclass(frozen=True)
class Away:
    """Partitions that can't be read for so long: their leader is down; members stay."""

    at: float
    partitions: tuple[tuple[str, int], ...]
    for_ms: float


@dataclass(frozen=True)
class MoveCoordinator:
    """Another broker coordinates the group: sessions start again, nothing else changes."""

    at: float


Step = Start | Close | Kill | Block | Freeze | Subscribe | Grow | Delete | Away | MoveCoordinator
