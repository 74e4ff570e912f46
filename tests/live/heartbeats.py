"""Members of share groups (KIP-932) and streams groups (KIP-1071), by hand-made heartbeats.

kafka-python has no messages for them. One heartbeat joins; a member that sends no more of them is
forgotten after the group's session time-out, 45 seconds.
"""

from __future__ import annotations

import socket
import struct
import time
from collections.abc import Sequence
from uuid import uuid4

SHARE_GROUP_HEARTBEAT, STREAMS_GROUP_HEARTBEAT = (76, 1), (88, 0)
LOADING = (14, 15, 16)  # a coordinator that has become one just now

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
    host, port = server.split(":")
    for _ in range(100):
        with socket.create_connection((host, int(port)), timeout=20) as wire:
            wire.sendall(struct.pack(">i", len(header + body)) + header + body)
            answer = wire.makefile("rb")
            (size,) = struct.unpack(">i", answer.read(4))
            # correlation id, no tags, throttle time, and then the error
            output = answer.read(size)
        (error,) = struct.unpack_from(">h", output, 9)
        if error not in LOADING:
            break
        time.sleep(0.1)
    assert error == 0, (error, output[11:])


def _text(value: str) -> bytes:
    """A compact string of the flexible versions, of fewer than 127 bytes."""
    return bytes([len(value.encode()) + 1]) + value.encode()


def _texts(values: Sequence[str]) -> bytes:
    return bytes([len(values) + 1]) + b"".join(map(_text, values))
