"""ConsumerGroupDescribe (KIP-848, API 69), which kafka-python has no message class for.

Its protocol layer builds one from the schema beside this file.
"""

import sys

from kafka.protocol.api_message import ApiMessage

_HERE = sys.modules[__name__]


class ConsumerGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about groups of the new protocol."""


class ConsumerGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Their members with subscriptions, racks, epochs, current and target assignment."""
