"""StreamsGroupDescribe (KIP-1071, API 89), which kafka-python has no message class for.

Its protocol layer builds one from the schema beside this file.
"""

import sys

from kafka.protocol.api_message import ApiMessage

_HERE = sys.modules[__name__]


class StreamsGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about groups of Kafka Streams."""


class StreamsGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Their topology, and members with tasks."""
