"""Members of share groups (KIP-932) and streams groups (KIP-1071), by hand-made heartbeats.

kafka-python has no messages for them. One heartbeat joins; a member that sends no more of them is
forgotten after the group's session time-out, 45 seconds.
"""

import struct
from collections.abc import Sequence
from uuid import uuid4

from tests.live.raw_group import LOADING, Wire
from tests.live.waiting import until

SHARE_GROUP_HEARTBEAT, STREAMS_GROUP_HEARTBEAT = (76, 1), (88, 0)

NULL, NO_TAGS = b"\0", b"\0"


def join_share_group(server: str, group: str, topics: Sequence[str]) -> None:
    """A member of a share group that reads these topics."""
    body = _text(group) + _text(str(uuid4())) + struct.pack(">i", 0) + NULL + _texts(topics)
    _send(server, SHARE_GROUP_HEARTBEAT, body + NO_TAGS)


def join_streams_group(server: str, group: str, topics: Sequence[str]) -> None:
    """A member of a streams group of one stateless subtopology that reads these topics."""
    none = _texts([])
    subtopology = _text("0") + _texts(topics) + none * 5 + NO_TAGS
    topology = b"\1" + struct.pack(">i", 0) + b"\2" + subtopology + NO_TAGS
    body = _text(group) + _text(str(uuid4())) + struct.pack(">ii", 0, 0) + NULL * 2
    body += struct.pack(">i", 60_000) + topology + none * 3 + _text(str(uuid4()))
    no_endpoint = struct.pack(">b", -1)
    _send(server, STREAMS_GROUP_HEARTBEAT, body + no_endpoint + none + NULL * 2 + b"\0" + NO_TAGS)


def _send(server: str, api: tuple[int, int], body: bytes) -> None:
    """Send a heartbeat until the coordinator has loaded its groups; AssertionError if it fails."""
    header = struct.pack(">hhi", *api, 1) + struct.pack(">h", 3) + b"raw" + NO_TAGS
    wire = Wire(server)
    errors: list[int] = []

    def loaded() -> bool:
        # behind correlation id, no tags and throttle time
        errors[:] = struct.unpack_from(">h", wire.exchange(header + body), 9)
        return errors[0] not in LOADING

    until(loaded, f"the coordinator at {server} has loaded its groups")
    wire.close()
    assert errors == [0]


def _text(value: str) -> bytes:
    """A compact string of the flexible versions, of fewer than 127 bytes."""
    return bytes([len(value.encode()) + 1]) + value.encode()


def _texts(values: Sequence[str]) -> bytes:
    return bytes([len(values) + 1]) + b"".join(map(_text, values))
