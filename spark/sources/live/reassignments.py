"""Which replicas are being added and removed: the controller knows, and metadata doesn't tell."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from kafka import errors
from kafka.protocol.admin import ListPartitionReassignmentsRequest

from spark.sources.live.connection import Brokers, NoAnswer, ask_any
from spark.sources.live.error_text import error_text
from spark.sources.live.group import Claim


class Moving(NamedTuple):
    """A partition that is being reassigned: ids of brokers that come and that go."""

    adding: list[int]
    removing: list[int]

    def replicas_of(self, nodes: Iterable[int]) -> list[int]:
        """Those of the brokers that metadata names which are replicas already."""
        return [node for node in nodes if node not in self.adding]


NOT_MOVING = Moving([], [])


def read_reassignments(brokers: Brokers) -> tuple[dict[Claim, Moving], list[str]]:
    """All partitions that are being reassigned (KIP-455), and a note where that isn't told.

    Before Kafka 2.4 nobody can be asked.
    """
    if not brokers.speaks(ListPartitionReassignmentsRequest, 0):
        return {}, []
    answer = ask_controller(brokers, ListPartitionReassignmentsRequest(topics=None))
    if isinstance(answer, NoAnswer):
        return {}, [f"partitions that are being reassigned: {answer.reason}"]
    if answer.error_code:
        return {}, [f"partitions that are being reassigned: {error_text(answer.error_code)}"]
    return {
        (topic.name, partition.partition_index): Moving(
            list(partition.adding_replicas), list(partition.removing_replicas)
        )
        for topic in answer.topics
        for partition in topic.partitions
    }, []


def ask_controller(brokers: Brokers, request: Any) -> Any:
    """The answer of the controller.

    Brokers pass what is for it on to a KRaft controller; of ZooKeeper's time it is one of them,
    whom metadata names.
    """
    entries: list[int] = [broker.node_id for broker in brokers.metadata.brokers]
    named: Any = getattr(brokers.metadata, "controller_id", None)
    (answer,) = brokers.ask([(named if named in entries else entries[0], request)])
    if isinstance(answer, NoAnswer) or answer.error_code == errors.NotControllerError.errno:
        return ask_any(brokers, request)
    return answer
