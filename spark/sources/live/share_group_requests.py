"""What KIP-932 asks about share groups (APIs 77 and 90), of which kafka-python has no classes.

Its protocol layer builds them from the schemas beside this file.
"""

import sys

from kafka.protocol.api_message import ApiMessage

_HERE = sys.modules[__name__]


class ShareGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about share groups."""


class ShareGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Their members with subscriptions and assignment."""


class DescribeShareGroupOffsetsRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator from where on share groups read."""


class DescribeShareGroupOffsetsResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """The start offset of each partition, and from Kafka 4.2 on the lag (KIP-1226)."""
