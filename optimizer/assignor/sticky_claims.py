"""What Java's members remember under the eager protocol, when they own nothing as they join."""

import struct
from typing import Any

TopicPartition = tuple[str, int]


def sticky_claims(user_data: Any) -> tuple[list[TopicPartition], int] | None:
    """Partitions and generation in the user data of Java's StickyAssignor, None if it is no such.

    Its form (`StickyAssignor.STICKY_ASSIGNOR_USER_DATA_V1`): topics with their partitions, and the
    generation; all numbers are big-endian, and each list begins with its length.
    """
    data = bytes(user_data or b"")
    claims: list[TopicPartition] = []
    try:
        (topics,) = struct.unpack_from(">i", data)
        at = 4
        for _ in range(topics):
            (length,) = struct.unpack_from(">H", data, at)
            topic = data[at + 2 : at + 2 + length].decode()
            at += 2 + length
            (count,) = struct.unpack_from(">I", data, at)
            claims += [(topic, item) for item in struct.unpack_from(f">{count}i", data, at + 4)]
            at += 4 + 4 * count
        (generation,) = struct.unpack_from(">i", data, at)
    except (struct.error, ValueError):
        return None
    return (claims, generation) if at + 4 == len(data) and topics >= 0 else None
