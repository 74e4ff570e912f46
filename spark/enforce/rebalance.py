"""Make a live group rebalance, so that its leader reads its plan again."""

from __future__ import annotations

import threading
import time
from dataclasses import replace
from typing import Any
from uuid import uuid4

from kafka.protocol.consumer import JoinGroupRequest, LeaveGroupRequest
from kafka.protocol.consumer.metadata import ConsumerProtocolSubscription

from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, NoAnswer, UnreachableError
from spark.sources.live.error_text import error_text
from spark.sources.live.group import DescribedGroup
from spark.sources.live.read_group import coordinator_of, read_group

PAUSE = 0.05  # seconds between two looks at a group that is about to rebalance
SESSION = 10.0  # seconds after which a guest is forgotten that couldn't say good-bye


class RebalanceError(Exception):
    """The group couldn't be made to rebalance."""


def make_rebalance(brokers: Connection, cluster: Cluster, group: DescribedGroup) -> None:
    """Make all members of a group join anew, so that its leader assigns once more.

    A guest that reads nothing joins the group and leaves it at once, before the others have
    joined: nobody loses a partition for it, as a member does that an administrator removes. The
    guest is static so that it can be asked to leave, by its name, while its own request waits
    for the others. Raises RebalanceError.
    """
    node = coordinator_of(brokers, group.name)
    if isinstance(node, NoAnswer):
        raise RebalanceError(node.reason)
    guest = f"evenfleet-{uuid4().hex[:12]}"
    answers: list[Any] = []
    joins = threading.Thread(
        target=lambda: answers.extend(_join(cluster, node, group, guest)), daemon=True
    )
    joins.start()
    try:
        _wait_for_guest(brokers, cluster, group.name, guest, answers)
    finally:
        _leave(brokers, node, group.name, guest)
    joins.join(cluster.timeout)


def _join(cluster: Cluster, node: int, group: DescribedGroup, guest: str) -> list[Any]:
    """Join by a connection of its own, which waits until the rebalance ends or the guest leaves."""
    reads_nothing = ConsumerProtocolSubscription(
        version=3, topics=[], user_data=b"", owned_partitions=[], generation_id=-1, rack_id=None
    )
    request = JoinGroupRequest(
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
    try:
        with Connection(replace(cluster, retries=0)) as connection:
            return connection.ask([(node, request)])
    except UnreachableError as error:
        return [NoAnswer(str(error))]


def _wait_for_guest(
    brokers: Connection, cluster: Cluster, name: str, guest: str, answers: list[Any]
) -> None:
    deadline = time.monotonic() + cluster.timeout
    while time.monotonic() < deadline:
        members = read_group(brokers, cluster, name).members
        if any(member.instance_id == guest for member in members):
            return
        if answers and (isinstance(answers[0], NoAnswer) or answers[0].error_code):
            answer = answers[0]
            reason = (
                answer.reason if isinstance(answer, NoAnswer) else error_text(answer.error_code)
            )
            raise RebalanceError(f"group {name} lets no guest in: {reason}")
        time.sleep(PAUSE)
    raise RebalanceError(f"group {name} let no guest in within {cluster.timeout:g} s")


def _leave(brokers: Connection, node: int, name: str, guest: str) -> None:
    identity = LeaveGroupRequest.MemberIdentity(member_id="", group_instance_id=guest)
    brokers.ask([(node, LeaveGroupRequest(group_id=name, members=[identity], min_version=3))])
