"""Claims of a member on its partitions, in user data beside Kafka's own fields.

A consumer that falls out of its group drops its partitions, and kafka-python doesn't tell its
assignor: what the assignor then sends as owned isn't. If the leader believed it, it would hold a
partition back from its next owner until somebody gives it up, which nobody does. So members and
leader exchange marks, in the user data of subscriptions and assignments, by which the leader can
tell which claims still stand.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

TopicPartition = tuple[str, int]


def sticky_claims(user_data: Any) -> tuple[list[TopicPartition], int] | None:
    """Partitions and generation in the user data of Java's StickyAssignor, None if it is no such.

    Its form (`StickyAssignor.STICKY_ASSIGNOR_USER_DATA_V1`): topics with their partitions, and the
    generation; all numbers are big-endian, and each list begins with its length.
    """
    payload = bytes(user_data or b"")
    claims: list[TopicPartition] = []
    try:
        (topics,) = struct.unpack_from(">i", payload)
        at = 4
        for _ in range(topics):
            (length,) = struct.unpack_from(">H", payload, at)
            topic = payload[at + 2 : at + 2 + length].decode()
            at += 2 + length
            (count,) = struct.unpack_from(">I", payload, at)
            partitions = struct.unpack_from(f">{count}i", payload, at + 4)
            claims += [(topic, partition) for partition in partitions]
            at += 4 + 4 * count
        (generation,) = struct.unpack_from(">i", payload, at)
    except (struct.error, ValueError):
        return None
    return (claims, generation) if at + 4 == len(payload) and topics >= 0 else None


NO_GENERATION = -1


@dataclass(frozen=True)
class Mark:
    """A mark that comes with a member's claims.

    `assignor` is an id of the assignor's own, `joins` the number of rebalances that it has joined
    since its last assignment, the present one included, and `assigned_as` the member id that it
    had in the rebalance in which it got that assignment ("" if it can't know).
    """

    assignor: str = ""
    joins: int = 0
    assigned_as: str = ""

    def encode(self) -> bytes:
        return json.dumps([self.assignor, self.joins, self.assigned_as]).encode()

    @staticmethod
    def decode(user_data: Any) -> Mark:
        """The mark of a subscription; an empty one if it has none."""
        match _values(user_data):
            case [str(assignor), int(joins), str(assigned_as)] if type(joins) is int:
                return Mark(assignor, joins, assigned_as)
        return UNMARKED


UNMARKED = Mark()


def echo(mark: Mark, member_id: str) -> bytes:
    """User data of an assignment: the assignor and the member that it is for."""
    return json.dumps([mark.assignor, member_id]).encode()


class Membership:
    """The last assignment of an assignor's own member, and how it came by it."""

    def __init__(self) -> None:
        self.owned: frozenset[tuple[str, int]] = frozenset()
        self.generation = NO_GENERATION
        self._assignor = uuid4().hex[:12]
        self._joins = 0
        self._assigned_as = ""

    def joining(self) -> Mark:
        """The mark for the rebalance that the member is about to join."""
        self._joins += 1
        return Mark(self._assignor, self._joins, self._assigned_as)

    def remember(self, owned: frozenset[tuple[str, int]], generation: int, user_data: Any) -> None:
        """Remember an assignment.

        A static member that starts again gets the assignment of its predecessor, in whose rebalance
        it took no part; the echo in it is the predecessor's.
        """
        self.owned, self.generation, self._joins = owned, generation, 0
        match _values(user_data):
            case [self._assignor, str(member_id)]:
                self._assigned_as = member_id
            case _:
                self._assigned_as = ""


def _values(user_data: Any) -> Any:
    try:
        return json.loads(bytes(user_data or b""))
    except (ValueError, TypeError, RecursionError):
        return None
