"""Make a live group assign again, so that its plan is read again.

A guest that reads nothing joins the group and leaves it at once: nobody loses a partition for it,
as a member does that an administrator removes. How a guest comes and goes depends on the protocol.
"""

import time
from dataclasses import replace
from typing import Any
from uuid import uuid4

from kafka.protocol.consumer import JoinGroupRequest, LeaveGroupRequest
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription

from spark.fleet import CONSUMER
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, refusal
from spark.sources.live.coordinators import JOINS, LEAVES, ConsumerGroupHeartbeatRequest
from spark.sources.live.describe_groups import GroupReader
from spark.sources.live.group import DescribedGroup


class GuestConnection:
    """Asks what a broker answers late, one request at a time.

    A broker answers the requests of a connection in turn, so a JoinGroup that waits would hold up
    all that follow it. All guests share this connection, since each new one costs a login.
    """

    def __init__(self, cluster: Cluster, metadata: Any) -> None:
        self._cluster, self._metadata = replace(cluster, retries=0), metadata
        self._connection: Connection | None = None
        self._late: Any = None  # the last answer, a future of kafka-python's

    def ask(self, node: int, request: Any) -> None:
        """Send a request, over a new connection where another still waits for its answer."""
        if self._connection and (self._connection.silent or not self._late.is_done):
            self.close()
        if self._connection is None:
            self._connection = Connection(self._cluster, self._metadata)
        self._late = self._connection.begin(node, request)

    def answer(self, seconds: float) -> Any:
        """The answer to the last request, as soon as it is there; None when that time is over."""
        assert self._connection is not None
        deadline = time.monotonic() + seconds
        while not self._late.is_done and (left := deadline - time.monotonic()) > 0:
            self._connection.pass_time(min(left, PAUSE))
        return self._late.value

    def close(self) -> None:
        """Close the connection."""
        if self._connection:
            self._connection.__exit__()
        self._connection = None


PAUSE = 0.05  # seconds between two looks at a group that is about to rebalance
SESSION = 10.0  # seconds after which a guest is forgotten that couldn't say good-bye
MATCHES_NOTHING = "^$"


class RebalanceError(Exception):
    """The group couldn't be made to rebalance."""


def make_rebalance(
    brokers: Connection,
    guests: GuestConnection,
    reader: GroupReader,
    group: DescribedGroup,
    timeout: float,
) -> None:
    """Let the leader of the group, or its broker, assign once more.

    `reader` reads this group; the temporary member has `timeout` seconds to join it. Raises
    RebalanceError.
    """
    if group.coordinator is None:
        raise RebalanceError(group.reason or f"no broker coordinates group {group.name}")
    if group.type == CONSUMER:
        _visit_new(brokers, group, group.coordinator)
    else:
        _visit_classic(brokers, guests, reader, group, group.coordinator, timeout)


def _visit_new(brokers: Connection, group: DescribedGroup, node: int) -> None:
    """Come and go in a group of the new protocol, whose epoch rises when a member leaves.

    For a new epoch the broker assigns again. The guest subscribes to a pattern that no topic has:
    to read no topic at all isn't allowed.
    """
    if not brokers.speaks(ConsumerGroupHeartbeatRequest, 1):
        raise RebalanceError(
            f"could not join group {group.name} as a temporary member: its brokers know a preview "
            "of the consumer protocol, and this takes Kafka 4.0"
        )
    guest = str(uuid4())
    joined = _beat(brokers, node, group.name, guest, JOINS)
    left = _beat(brokers, node, group.name, guest, LEAVES)
    for answer in (joined, left):
        if reason := refusal(answer):
            raise RebalanceError(
                f"could not join group {group.name} as a temporary member: {reason}"
            )


def _beat(brokers: Connection, node: int, name: str, guest: str, epoch: int) -> Any:
    request = ConsumerGroupHeartbeatRequest(
        group_id=name,
        member_id=guest,
        member_epoch=epoch,
        rebalance_timeout_ms=int(SESSION * 1000),
        subscribed_topic_names=[],
        subscribed_topic_regex=MATCHES_NOTHING,
        topic_partitions=[],
    )
    return brokers.ask([(node, request)])[0]


def _visit_classic(
    brokers: Connection,
    guests: GuestConnection,
    reader: GroupReader,
    group: DescribedGroup,
    node: int,
    timeout: float,
) -> None:
    """Come into a classic group and leave it before the others have joined.

    The guest is static so that it can be asked to leave, by its name, while its own request waits
    for the others.
    """
    guest = f"evenfleet-{uuid4().hex[:12]}"
    guests.ask(node, _join(group, guest))
    try:
        _wait_for_guest(reader, group.name, guest, guests, timeout)
    finally:
        _leave(brokers, node, group.name, guest)
    guests.answer(timeout)


def _join(group: DescribedGroup, guest: str) -> JoinGroupRequest:
    """The broker's answer when the rebalance ends or the guest leaves."""
    reads_nothing = ConsumerProtocolSubscription(
        version=3, topics=[], user_data=b"", owned_partitions=[], generation_id=-1, rack_id=None
    )
    return JoinGroupRequest(
        group_id=group.name,
        session_timeout_ms=int(SESSION * 1000),
        rebalance_timeout_ms=int(SESSION * 1000),
        member_id="",
        group_instance_id=guest,
        protocol_type="consumer",
        protocols=[(group.strategy, reads_nothing)],
        min_version=5,
        max_version=7,
    )


def _wait_for_guest(
    reader: GroupReader, name: str, guest: str, guests: GuestConnection, timeout: float
) -> None:
    deadline = time.monotonic() + timeout
    while time.monotonic() < deadline:
        answered = guests.answer(PAUSE)
        members = reader.read([name])[name].members
        if any(member.instance_id == guest for member in members):
            return
        if answered is not None and (reason := refusal(answered)):
            raise RebalanceError(f"could not join group {name} as a temporary member: {reason}")
    raise RebalanceError(f"could not join group {name} as a temporary member within {timeout:g} s")


def _leave(brokers: Connection, node: int, name: str, guest: str) -> None:
    identity = LeaveGroupRequest.MemberIdentity(member_id="", group_instance_id=guest)
    brokers.ask([(node, LeaveGroupRequest(group_id=name, members=[identity], min_version=3))])
