"""What a member of a classic group says about itself, and what its leader gave it.

Both are bytes of the consumer protocol (ConsumerProtocolSubscription and -Assignment, versions 0 to
3), which the coordinator passes on unread: other programs, such as Kafka Connect, send bytes of
their own there. So anything may come; nothing here raises, and nothing takes more memory than the
bytes can have content for.
"""

from dataclasses import dataclass

from spark.sources.live.wire_bytes import NUMBER, TEXT_SIZE, UndecodableError, WireBytes

Claim = tuple[str, int]

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
    rest = WireBytes(data)
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


def read_assignment(data: bytes) -> tuple[Claim, ...] | None:
    """The partitions in `data`; None if that is no assignment."""
    rest = WireBytes(data)
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
