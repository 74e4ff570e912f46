"""ConsumerGroupHeartbeat (KIP-848, API 68), which kafka-python has no message class for.

Its protocol layer builds one from the schema beside this file. By its heartbeats a member of the
new protocol joins, stays and leaves.
"""

import sys

from kafka.protocol.api_message import ApiMessage

_HERE = sys.modules[__name__]

JOINS, LEAVES = 0, -1
"""Epochs that a member states to do so."""


class ConsumerGroupHeartbeatRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """What a member says of itself; version 1 (Kafka 4.0) can subscribe to a pattern."""


class ConsumerGroupHeartbeatResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Its epoch, and its assignment where that has changed."""
