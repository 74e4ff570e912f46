"""An assignor for kafka-python's consumers that puts a plan of Evenfleet's into force."""

import logging
from collections.abc import Collection, Iterable, Sequence
from os import PathLike, fspath
from typing import Any

from kafka.coordinator.assignors.abstract import AbstractPartitionAssignor, RebalanceProtocol
from kafka.protocol.consumer.metadata import (
    ConsumerProtocolAssignment,
    ConsumerProtocolSubscription,
)

from .fallback import first_round, in_turns, keep_joining, without_plan
from .group import Assignment, JoiningGroup, TopicPartition, joining_group, misfit
from .membership import Membership, echo
from .plan_file import COOPERATIVE, EAGER, GroupPlan
from .source import text_of, without_secrets

VERSION = 3
"""Of ConsumerProtocolSubscription: the first that has a rack (KIP-881)."""

log = logging.getLogger("optimizer.live.plan_assignor")  # as people have it in their settings


class PlanAssignor(AbstractPartitionAssignor):  # type: ignore[misc]
    """Assigns what a plan says: `partition_assignment_strategy=[PlanAssignor(…)]`.

    `plan` is the file, or http(s) URL, that has the plan of `group`, as `evenfleet export-plan`
    writes it; the group's leader reads it at each rebalance, within `timeout` seconds. All members
    of a group need this assignor, of the same protocol: eager, or `cooperative` (KIP-429), in
    which a partition goes to its new owner one rebalance after the old one gave it up. `rack` is
    told to the leader (KIP-881).

    Whenever the plan can't be read or doesn't fit the group, the group gets the assignment of
    Kafka's sticky strategy instead, and the reason is logged, once. No exception leaves a
    rebalance, since it would stall the whole group: the last resort is a plain assignment.
    """

    def __init__(
        self,
        plan: str | PathLike[str],
        group: str,
        *,
        cooperative: bool = False,
        rack: str | None = None,
        timeout: float = 2.0,
    ) -> None:
        self._plan = fspath(plan)
        self._group = group
        self._cooperative = cooperative
        self._rack = rack
        self._timeout = timeout
        self._topics: frozenset[str] = frozenset()
        self._membership = Membership()
        self._last_report = ""

    @property
    def name(self) -> str:
        return COOPERATIVE if self._cooperative else EAGER

    def supported_protocols(self) -> list[RebalanceProtocol]:
        protocol = RebalanceProtocol
        return [protocol.COOPERATIVE if self._cooperative else protocol.EAGER]

    def metadata(self, topics: Collection[str]) -> ConsumerProtocolSubscription:
        """The member's subscription for the leader: topics, ownership, generation and rack."""
        self._topics = frozenset(topics)
        owned = [claim for claim in self._membership.owned if claim[0] in self._topics]
        return ConsumerProtocolSubscription(
            version=VERSION,
            topics=sorted(topics),
            user_data=self._membership.joining().encode(),
            owned_partitions=[
                ConsumerProtocolSubscription.TopicPartition(topic=topic, partitions=partitions)
                for topic, partitions in _by_topic(owned)
            ],
            generation_id=self._membership.generation,
            rack_id=self._rack,
        )

    def on_assignment(self, assignment: ConsumerProtocolAssignment, generation: int) -> None:
        owned = frozenset((topic, partition) for topic, partition in assignment.partitions())
        self._membership.remember(owned, generation, assignment.user_data)

    def assign(self, cluster: Any, members: Sequence[Any]) -> dict[str, ConsumerProtocolAssignment]:
        """The leader's answer: an assignment for each member's id."""
        try:
            keep_joining(cluster)
            group = joining_group(cluster, members, self._topics)
            target = self._target(group)
            handed_out = first_round(group, target) if self._cooperative else target
            return {
                member.member_id: _assignment(
                    handed_out.get(member.member_id, []), echo(member.mark, member.member_id)
                )
                for member in group.members
            }
        except Exception:
            log.exception("group %s: its members take turns, by a defect of Evenfleet", self._group)
            turns = in_turns(cluster, members)
            return {member: _assignment(partitions, b"") for member, partitions in turns.items()}

    def _target(self, group: JoiningGroup) -> Assignment:
        """The plan's assignment, or one without a plan."""
        try:
            plan = GroupPlan.from_text(text_of(self._plan, self._timeout))
            reason = misfit(plan, self._group, group)
        except Exception as error:
            reason = str(error) or type(error).__name__
        if reason:
            self._report(f"isn't used, but Kafka's sticky strategy: {reason}")
            return without_plan(group)
        self._report(f"of snapshot {plan.snapshot} is in force")
        return {
            member.member_id: [
                (topic, partition)
                for topic, partitions in plan.members.get(member.key, {}).items()
                for partition in partitions
            ]
            for member in group.members
        }

    def _report(self, what: str) -> None:
        """Log what has become of the plan, unless that was what was logged last.

        Good news are logged at the level of bad ones: else a log would end with a fault that is
        over.
        """
        if what != self._last_report:
            plan = without_secrets(self._plan)
            log.warning("group %s: the plan in %s %s", self._group, plan, what)
            self._last_report = what


def rejoin(consumer: Any) -> None:
    """Let a kafka-python consumer ask for a rebalance of its group, at its next `poll`.

    So a changed plan takes effect: the leader reads it again. For this kafka-python has no
    public call (Java has Consumer.enforceRebalance).
    """
    consumer._coordinator.request_rejoin()


def _assignment(
    partitions: Sequence[TopicPartition], user_data: bytes
) -> ConsumerProtocolAssignment:
    return ConsumerProtocolAssignment(VERSION, _by_topic(partitions), user_data)


def _by_topic(partitions: Iterable[TopicPartition]) -> list[tuple[str, list[int]]]:
    by_topic: dict[str, list[int]] = {}
    for topic, partition in sorted(partitions):
        by_topic.setdefault(topic, []).append(partition)
    return list(by_topic.items())
