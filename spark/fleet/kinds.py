"""Kinds of groups, and their states: which are consumer groups, and why the others have no plan."""

import re
from collections.abc import Sequence

import numpy as np

from spark.text import list_of

CLASSIC, CONSUMER, CONNECT = "classic", "consumer", "connect"
SHARE, STREAMS, OTHER = "share", "streams", "other"

LENGTH_OF_UUID = 22
"""Characters of the ids that members of KIP-848's protocol have, as Kafka's Uuid spells them."""

TYPES = (CLASSIC, CONSUMER, CONNECT, SHARE, STREAMS, OTHER)
"""Values of the column `groups.type`.

`classic` and `consumer` are consumer groups of the classic protocol and of that of KIP-848;
`connect` is a cluster of Connect workers, `share` a group of KIP-932, `streams` one of KIP-1071,
and `other` anything else that Kafka coordinates, such as a schema registry.
"""

STREAMS_STRATEGY = "stream"
"""The name of Kafka Streams' StreamsPartitionAssignor, on the classic protocol."""

Clients = Sequence[str | None]
"""The client id of each member, as far as it is known."""

_STREAMS_CLIENT = re.compile(r"-StreamThread-\d+-consumer$", re.ASCII)
"""How the client ids of its consumers end (StreamsConfig.getMainConsumerConfigs); ksqlDB's too."""

_OF_CONSUMERS = ("consumer", "")  # the latter: offsets were committed, and nobody ever joined

_WHY = {
    SHARE: "a share group, whose partitions have no one owner: its members read them together",
    STREAMS: "a group of Kafka Streams, whose tasks have one owner each: where their state is "
    "decides",
    OTHER: "its members aren't consumers: another program shares out something of its own",
}


def group_type(kind: str | None, strategy: str | None, client_ids: Clients) -> str | None:
    """A group's type: `kind` as Kafka calls it, or `streams` of Streams on the classic protocol.

    `client_ids` has one entry a member. Without members nothing tells Streams from consumers: a
    strategy may be stated, of members that left.
    """
    if kind not in (None, CLASSIC) or not client_ids:
        return kind
    is_streams = strategy == STREAMS_STRATEGY or any(
        client and _STREAMS_CLIENT.search(client) for client in client_ids
    )
    return STREAMS if is_streams else kind


def why_unsupported(kind: str | None, strategy: str | None, client_ids: Clients) -> str | None:
    """Why a group is `unsupported`, so that it has no plan; None for consumers and Connect workers.

    Arguments are those of `group_type`. A type that isn't one of TYPES is unsupported as well.
    """
    kind = group_type(kind, strategy, client_ids)
    if kind in (None, CLASSIC, CONSUMER, CONNECT):
        return None
    return _WHY.get(kind, f"a group of the type {kind!r}, which isn't known")


def other_kind_of(kind: str | None, strategy: str | None, client_ids: Clients) -> str | None:
    """The kind of a group that isn't one of consumers, or None: `why_unsupported` in one word."""
    kind = group_type(kind and kind.lower(), strategy, client_ids)
    if kind in (None, CLASSIC, CONSUMER):
        return None
    return kind if kind in (CONNECT, SHARE, STREAMS) else OTHER


def why_hidden(topics: Sequence[str]) -> str | None:
    """Why a group that names these topics, which who collected may not describe, is `invalid`."""
    if not topics:
        return None
    names = list_of("topic", topics)
    return f"{names} hidden from the user that took the snapshot: grant Describe on them"


def type_of_protocol(protocol: str) -> str:
    """The type of a group of the classic protocol, by what its members call theirs."""
    if protocol in _OF_CONSUMERS:
        return CLASSIC
    return CONNECT if protocol == "connect" else OTHER


def connector_topic(group: str, connector: str) -> str:
    """The topic that stands for a connector: `connect-cluster/connector`; tasks are partitions.

    No topic of Kafka's has a slash in its name. One in the group's is written %2F, and its percent
    signs %25, so that connectors of two groups never share a name.
    """
    return f"{group.replace('%', '%25').replace('/', '%2F')}/{connector}"


REBALANCING_STATES = frozenset(
    {"PreparingRebalance", "CompletingRebalance", "AwaitingSync", "Assigning", "Reconciling"}
)
"""States in which ownership is on its way (org.apache.kafka.common.GroupState).

`AwaitingSync` is `CompletingRebalance` before Kafka 1.0; the last two are those of KIP-848.
"""

MEMBERLESS_STATES = ("Empty", "Dead")
"""States in which a group has no members (org.apache.kafka.common.GroupState)."""

UNKNOWN_STATE = "Unknown"
"""State of a group that is there and could not be read; the reason may follow, after a colon."""

PLANNED = ("ok", "inferred")
"""Statuses of groups that have a plan."""

UNSUPPORTED = "unsupported"
"""Status of a group that isn't one of consumers; it isn't a fault."""

UNPLANNED = ("empty", "rebalancing", UNSUPPORTED, "invalid", "failed")
"""Statuses of groups that have none, and that no strategy has an answer for."""

STATUSES = (*PLANNED, *UNPLANNED)


HUB = 20
"""Topics that more groups read couple nobody: a log that all read would tie everybody together."""


def components(groups: Sequence[str], topics: Sequence[str]) -> dict[str, str]:
    """The first group of each group's component, by the group: a pair for each topic that it reads.

    Components are those of the graph of groups and topics, without topics of more than `HUB`
    groups.
    """
    names, group = np.unique(np.array(groups, np.str_), return_inverse=True)
    of_pair = np.unique(np.array(topics, np.str_), return_inverse=True, return_counts=True)
    tied = of_pair[2][of_pair[1]] <= HUB
    member, topic = group[tied], of_pair[1][tied]
    label = np.arange(len(names))
    while True:
        least = np.full(len(of_pair[0]), len(names))
        np.minimum.at(least, topic, label[member])
        lower = label.copy()
        np.minimum.at(lower, member, least[topic])
        lower = lower[lower]  # what its label has found counts as well
        if np.array_equal(lower, label):
            return dict(zip(names.tolist(), names[label].tolist(), strict=True))
        label = lower
