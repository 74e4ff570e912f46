"""Kinds of groups: which are consumer groups, and why the others have no plan."""

from __future__ import annotations

CLASSIC, CONSUMER, CONNECT = "classic", "consumer", "connect"
SHARE, STREAMS, OTHER = "share", "streams", "other"

LENGTH_OF_UUID = 22
"""Characters of the ids that members of KIP-848's protocol have, as Kafka's Uuid spells them."""

TYPES = (CLASSIC, CONSUMER, CONNECT, SHARE, STREAMS, OTHER)
"""What the column `groups.type` may hold.

`classic` and `consumer` are consumer groups of the classic protocol and of that of KIP-848;
`connect` is a cluster of Connect workers, `share` a group of KIP-932, `streams` one of KIP-1071,
and `other` whatever else lets Kafka coordinate it, such as a schema registry.
"""

STREAMS_STRATEGY = "stream"
"""The name of Kafka Streams' StreamsPartitionAssignor, on the classic protocol."""

_OF_CONSUMERS = ("consumer", "")  # the latter: offsets were committed, and nobody ever joined

_WHY = {
    SHARE: "a share group, whose partitions have no one owner: its members read them together",
    STREAMS: "a streams group, whose tasks have one owner each: the broker assigns them by where "
    "their state is",
    OTHER: "its members aren't consumers: another program shares out something of its own",
}
_WHY_STREAMS = (
    f"Kafka Streams (strategy {STREAMS_STRATEGY!r}) assigns its tasks itself, one owner each, by "
    "where their state is"
)


def why_unsupported(kind: str | None, strategy: str | None, members: int) -> str | None:
    """Why a group is `unsupported`, so that it has no plan; None for consumers and Connect workers.

    A type that isn't one of TYPES is unsupported as well. Without members nothing tells Streams on
    the classic protocol from consumers: a strategy may be stated, of members that left.
    """
    if kind in (None, CLASSIC):
        return _WHY_STREAMS if strategy == STREAMS_STRATEGY and members else None
    if kind in (CONSUMER, CONNECT):
        return None
    return _WHY.get(kind, f"a group of the type {kind!r}, which isn't known")


def kind_of(stated: str | None, strategy: str | None, has_members: bool) -> str | None:
    """What a group is that isn't one of consumers, or None: `why_unsupported` in one word."""
    kind = (CLASSIC if stated is None else stated).lower()
    if kind == CLASSIC:
        return STREAMS if strategy == STREAMS_STRATEGY and has_members else None
    if kind == CONSUMER:
        return None
    return kind if kind in (CONNECT, SHARE, STREAMS) else OTHER


def type_of_protocol(protocol: str) -> str:
    """The type of a group of the classic protocol, by what its members call theirs."""
    if protocol in _OF_CONSUMERS:
        return CLASSIC
    return CONNECT if protocol == "connect" else OTHER
