"""What is asked about groups of newer protocols, of which kafka-python has no message classes.

Its protocol layer builds them from the schemas beside this file.
"""

import sys

from kafka.protocol.api_message import ApiMessage

_HERE = sys.modules[__name__]


class ConsumerGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about groups of the new protocol (KIP-848, API 69)."""


class ConsumerGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Their members with subscriptions, racks, epochs, current and target assignment."""


JOINS, LEAVES = 0, -1
"""Epochs that a member states in a heartbeat to do so."""


class ConsumerGroupHeartbeatRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """What a member says of itself (API 68); version 1 (Kafka 4.0) can subscribe to a pattern."""


class ConsumerGroupHeartbeatResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Its epoch, and its assignment where that has changed."""


class ShareGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about share groups (KIP-932, API 77)."""


class ShareGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Their members with subscriptions and assignment."""


class DescribeShareGroupOffsetsRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator from where on share groups read (API 90)."""


class DescribeShareGroupOffsetsResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """The start offset of each partition, and from Kafka 4.2 on the lag (KIP-1226)."""


class StreamsGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about groups of Kafka Streams (KIP-1071, API 89)."""


class StreamsGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Their topology, and members with tasks."""
