"""Questions about groups, to the brokers that coordinate them: many groups in one request.

Each broker lists those that it coordinates. The number of requests grows with the brokers; groups
only add to it by the thousand.

"""

import sys
import time
from collections import defaultdict
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from kafka import errors
from kafka.protocol.admin import DescribeGroupsRequest, ListGroupsRequest
from kafka.protocol.api_message import ApiMessage
from kafka.protocol.consumer import OffsetFetchRequest
from kafka.protocol.metadata import FindCoordinatorRequest

from spark.fleet import CLASSIC, OFFSETS_TOPIC, OTHER, TYPES, type_of_protocol
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import PAUSE, Connection, NoAnswer, ask_any, attempts
from spark.sources.live.manager import error_text
from spark.text import list_of

GROUPS_A_REQUEST = 1000

MOVED = {
    errors.CoordinatorLoadInProgressError.errno,
    errors.CoordinatorNotAvailableError.errno,
    errors.NotCoordinatorError.errno,
}
"""Errors of a group whose coordinator changes."""


class Query(NamedTuple):
    """Something to ask about groups, `at_once` of them at a time.

    If that is one, its answer is all of the response.
    """

    request: Callable[[list[str]], Any]
    at_once: int = GROUPS_A_REQUEST


def questions_for(brokers: Connection) -> tuple[Query, Query, Query]:
    """About a classic group, about one of the new protocol, and about a group's offsets."""
    classic = Query(lambda groups: DescribeGroupsRequest(groups=groups))
    new = Query(lambda groups: ConsumerGroupDescribeRequest(group_ids=groups))
    if brokers.speaks(OffsetFetchRequest, 8):
        return classic, new, Query(_offsets_of_many)
    return classic, new, Query(_offsets_of_one, at_once=1)


def ask_coordinators(
    brokers: Connection,
    coordinators: dict[str, int],
    wanted: Mapping[str, Iterable[Query]],
    retries: int,
) -> dict[tuple[str, Query], Any]:
    """The answer to each question about each group, with an error code; or NoAnswer.

    Groups whose coordinator is down or changes are asked about `retries` times more, at the new
    one, which `coordinators` has then.
    """
    pairs = [(group, question) for group, questions in wanted.items() for question in questions]
    answers: dict[tuple[str, Query], Any] = {}
    asked: Mapping[str, int] = coordinators
    for attempt in attempts(retries if brokers.speaks(FindCoordinatorRequest, 4) else 0):
        if attempt:
            asked = _find(brokers, list(dict.fromkeys(group for group, _ in pairs)))
            coordinators.update(asked)
        answers |= _ask(brokers, asked, [pair for pair in pairs if pair[0] in asked])
        pairs = [pair for pair in pairs if _is_moved(answers.get(pair))]
        if not pairs:
            break
    return answers


def _ask(
    brokers: Connection, coordinators: Mapping[str, int], pairs: Iterable[tuple[str, Query]]
) -> dict[tuple[str, Query], Any]:
    groups: dict[tuple[int, Query], list[str]] = defaultdict(list)
    for group, question in pairs:
        groups[coordinators[group], question].append(group)
    batches = [
        (node, question, asked[start : start + question.at_once])
        for (node, question), asked in groups.items()
        for start in range(0, len(asked), question.at_once)
    ]
    responses = brokers.ask([(node, question.request(asked)) for node, question, asked in batches])
    answers: dict[tuple[str, Query], Any] = {}
    for (_, question, asked), response in zip(batches, responses, strict=True):
        if isinstance(response, NoAnswer) or question.at_once == 1:
            answers |= {(group, question): response for group in asked}
        else:
            answers |= {(described.group_id, question): described for described in response.groups}
    return answers


def _is_moved(answer: Any) -> bool:
    return isinstance(answer, NoAnswer) or (answer is not None and answer.error_code in MOVED)


def _find(brokers: Connection, groups: list[str]) -> dict[str, int]:
    """The coordinators of groups, as far as a broker that answers knows them."""
    request = FindCoordinatorRequest(key_type=0, coordinator_keys=groups, min_version=4)
    answer = ask_any(brokers, request)
    if isinstance(answer, NoAnswer):
        return {}
    return {
        coordinator.key: coordinator.node_id
        for coordinator in answer.coordinators
        if not coordinator.error_code
    }


def _offsets_of_many(groups: list[str]) -> Any:
    of_group = OffsetFetchRequest.OffsetFetchRequestGroup
    return OffsetFetchRequest(
        groups=[of_group(group_id=group, topics=None) for group in groups],
        min_version=8,
        max_version=9,  # from 10 on topics go by id
    )


def _offsets_of_one(groups: list[str]) -> Any:
    """Before Kafka 3.0 a request is about one group."""
    (group,) = groups
    return OffsetFetchRequest(group_id=group, topics=None, min_version=2, max_version=7)


class Listed(NamedTuple):
    """A group, by its coordinator; before Kafka 3.8 every group is of the classic protocol.

    `protocol` is Kafka's name of that: classic, consumer, share, streams. `type` is one of
    `spark.fleet.TYPES`, and `state` empty before Kafka 2.6.
    """

    coordinator: int
    protocol: str
    type: str
    state: str


SETTLES_IN = 4 * PAUSE  # seconds


def list_groups(
    brokers: Connection,
    cluster: Cluster,
    nodes: Sequence[int],
    wanted: Container[str] | None = None,
) -> tuple[dict[str, Listed], list[str]]:
    """The groups wanted, and a sentence for each broker, or partition, whose groups are missing.

    Those that the cluster's settings name are wanted, unless `wanted` says which are.
    A broker that hasn't heard yet that it coordinates more groups than before lists none of them,
    and gives no error: where replicas are out of sync, so that this may be, all are asked twice.
    """
    kept_in = [
        partition
        for topic in brokers.metadata.topics
        if topic.name == OFFSETS_TOPIC
        for partition in topic.partitions
    ]
    wanted = cluster.groups if wanted is None else wanted
    listed, missing = _list_groups(brokers, cluster.retries, nodes, wanted)
    if any(len(partition.isr_nodes) < len(partition.replica_nodes) for partition in kept_in):
        time.sleep(SETTLES_IN)
        more, missing = _list_groups(brokers, cluster.retries, nodes, wanted)
        listed |= more
    leaderless = [str(p.partition_index) for p in kept_in if p.leader_id < 0]
    if leaderless:
        which = list_of("partition", leaderless)
        missing.append(f"{which} of {OFFSETS_TOPIC} without a leader: their groups are missing")
    return listed, missing


def _list_groups(
    brokers: Connection, retries: int, nodes: Sequence[int], wanted: Container[str]
) -> tuple[dict[str, Listed], list[str]]:
    """Ask once; a broker that says that it still loads its groups is asked again."""
    listed: dict[str, Listed] = {}
    missing: dict[int, str] = {}
    for _ in attempts(retries):
        answers = brokers.ask([(node, ListGroupsRequest(min_version=0)) for node in nodes])
        loading = []
        for node, answer in zip(nodes, answers, strict=True):
            missing.pop(node, None)
            if isinstance(answer, NoAnswer):
                missing[node] = answer.reason
            elif answer.error_code:
                missing[node] = f"broker {node} says {error_text(answer.error_code)}"
                loading += [node] if answer.error_code in MOVED else []
            else:
                listed |= {
                    group.group_id: _listing(node, group)
                    for group in answer.groups
                    if group.group_id in wanted
                }
        nodes = loading
        if not nodes:
            break
    lost = "the groups that it coordinates are missing"
    return listed, [f"{reason}: {lost}" for reason in missing.values()]


def _listing(node: int, group: Any) -> Listed:
    protocol = (group.group_type or CLASSIC).lower()
    if protocol == CLASSIC:
        kind = type_of_protocol(group.protocol_type)
    else:
        kind = protocol if protocol in TYPES else OTHER
    return Listed(node, protocol, kind, group.group_state or "")


_HERE = sys.modules[__name__]


class ConsumerGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about groups of the new protocol (KIP-848, API 69)."""


class ConsumerGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """The groups' members with subscriptions, racks, epochs, current and target assignment."""


JOINS, LEAVES = 0, -1
"""Epochs that a member states in a heartbeat to do so."""


class ConsumerGroupHeartbeatRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """A member's heartbeat (API 68); version 1 (Kafka 4.0) can subscribe to a pattern."""


class ConsumerGroupHeartbeatResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """The member's epoch, and its assignment where that has changed."""


class ShareGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about share groups (KIP-932, API 77)."""


class ShareGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """The share groups' members with subscriptions and assignment."""


class DescribeShareGroupOffsetsRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator from where on share groups read (API 90)."""


class DescribeShareGroupOffsetsResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """The start offset of each partition, and from Kafka 4.2 on the lag (KIP-1226)."""


class StreamsGroupDescribeRequest(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """Asks a coordinator about groups of Kafka Streams (KIP-1071, API 89)."""


class StreamsGroupDescribeResponse(ApiMessage, load_json=_HERE):  # type: ignore[call-arg, misc]
    """The groups' topology, and members with tasks."""
