"""Facts of one group that its findings look at, worked out once for all of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import IntArray, Problem
from spark.audit.lags import (
    Lags,
    OffsetLags,
    OutsideLog,
    Stuck,
    lags_of_owners,
    outside_logs,
    read_lags,
    stuck_since_before,
)
from spark.audit.parts import AuditRow
from spark.fleet import REBALANCING_STATES, UNSUPPORTED
from spark.groups import (
    CoordinatorLocation,
    Dispute,
    FleetGroup,
    OddClaims,
    has_single_answer,
    is_another_clients,
    read_or_failed,
    read_topics,
)
from spark.settings import ConsumerSettings
from spark.solve import claims_of_row, is_homogeneous

EMPTY = "empty"
"""Status of a group without members."""


class Led(NamedTuple):
    """Partitions that members own, of topics that the cluster has.

    `owner` is the member's index, `leader` the broker that leads the partition, -1 if that isn't
    known; `rack` is the number of the leader's rack, 0 if it isn't known.
    """

    owner: IntArray
    leader: IntArray
    rack: IntArray


@dataclass(frozen=True)
class GroupFacts:
    """One group of a fleet.

    `row` is the encoded one, with what `spark.audit.parts` adds to it, and `solved` what solving
    made of it. `from_before` is the group solved from the claims of the snapshot before, if these
    were others. `seat` tells of its coordinator. `several_brokers` says whether its cluster has
    more than one; `timeouts` are those that are stated for it, `joined` the sets of topics that it
    would have to join by partition number. `client_version` is that of its members' Kafka clients,
    where it is configured. `read` is what was read of it, with weights of that source if it is
    planned by weight.
    """

    row: AuditRow
    solved: Any
    read: FleetGroup
    from_before: Any
    seat: CoordinatorLocation
    several_brokers: bool
    timeouts: ConsumerSettings
    joined: Sequence[Sequence[str]]
    client_version: str | None = None
    weight_source: str | None = None

    @property
    def name(self) -> str:
        name: str = self.row.group
        return name

    @property
    def blanks(self) -> dict[str, object]:
        """Blanks that sentences of all findings may have."""
        return {"group": self.name, "members": self.members, "plan": self.solved, "row": self.row}

    @cached_property
    def members(self) -> int:
        return len(self.row.member_ids)

    @cached_property
    def plan(self) -> Any:
        """The solved row of a group that has a plan, or None."""
        return None if self.solved.max_load is None else self.solved

    @cached_property
    def is_homogeneous(self) -> bool:
        """Whether all members read the same topics, and nobody claims a partition beside these."""
        return self.solved.reason is None and is_homogeneous(self.read)

    @cached_property
    def has_another_assignor(self) -> bool:
        """Whether its assignor isn't Kafka's, although it has the name of one of Kafka's."""
        if self.plan is None or not has_single_answer(self.row):
            return False
        if self.is_homogeneous and self._is_dealt_out:
            return False
        problem = self.read.problem
        return problem is not None and is_another_clients(self.row, problem)

    @property
    def _is_dealt_out(self) -> bool:
        """Whether each partition is with whom Kafka gives it where all members read all topics."""
        members, number = self.members, self.plan.partition
        if self.row.group_strategy == "range":
            least, more = np.divmod(self.topic_sizes[self.plan.topic], members)
            over = number - more * (least + 1)
            place = np.where(over < 0, number // (least + 1), more + over // np.maximum(least, 1))
        else:
            place = np.arange(len(number)) % members
        names = zip(self.row.instance_ids, self.row.member_ids, strict=True)
        order = np.argsort([f"i{static}" if static else f"m{name}" for static, name in names])
        return bool((self.plan.previous == order[place]).all())

    @cached_property
    def weighted(self) -> Problem | None:
        """The group with its partitions' weights; None without a plan or a known weight."""
        # encoded only where the store has weights
        weights = getattr(self.row, "column_values", None)
        if self.plan is None or weights is None or not (weights >= 0).any():
            return None
        is_read = self.weight_source == "column"
        return (self.read if is_read else read_or_failed(self.row, "column")).problem

    @cached_property
    def is_unsupported(self) -> bool:
        return bool(self.solved.status == UNSUPPORTED)

    @cached_property
    def is_settled(self) -> bool:
        """Whether it is a group of consumers whose ownership isn't on its way."""
        return not self.is_unsupported and self.row.state not in REBALANCING_STATES

    @cached_property
    def topic_sizes(self) -> IntArray:
        """Partitions of each topic of the plan that are read, or owned by somebody."""
        return np.bincount(self.plan.topic, minlength=len(self.plan.topics))

    @cached_property
    def subscribers(self) -> NDArray[np.int32]:
        """Subscribers of each topic of the plan."""
        row, place = self.row, self.topic_index
        counts = np.zeros(len(self.plan.topics), np.int32)
        counts[place[: len(row.topics)]] = row.subscriber_counts
        return counts

    @cached_property
    def topic_index(self) -> IntArray:
        """The index that each of the row's topics has in the plan; -1: none."""
        return read_topics(self.row).place

    @cached_property
    def has_odd_owners(self) -> bool:
        """Whether any partition's owner is gone, or doesn't subscribe to its topic."""
        return bool(len(self.plan.action)) and int(self.plan.action.max()) > 1

    @cached_property
    def claims(self) -> OddClaims | None:
        """The claims of a group with several on a partition, or of several generations; or None."""
        return None if self.is_unsupported else claims_of_row(self.row, self.solved)

    @cached_property
    def disputes(self) -> list[Dispute]:
        """Partitions with several claimants."""
        return self.claims.disputes() if self.claims else []

    @cached_property
    def lags(self) -> Lags | None:
        """The lags of the partitions that a planned group reads; None if none is known."""
        if self.plan is None or not len(self.late.lag):
            return None
        return read_lags(self.late, self.topic_index, self.topic_sizes)

    @cached_property
    def offsets(self) -> OffsetLags:
        return OffsetLags.of(self.row)

    @cached_property
    def late(self) -> OffsetLags:
        return self.offsets.late

    @cached_property
    def most_lag(self) -> float:
        """Of any topics of the group together, roughly: no more than this."""
        lags = self.late.lag
        return float(lags.sum(dtype=np.float64)) * 1.000001 if len(lags) else 0.0

    @cached_property
    def lag_of_members(self) -> dict[str, int]:
        """The lag of each member who owns something of a topic with known lags."""
        assert self.lags
        return lags_of_owners(self.lags, self.plan, self.members)

    @cached_property
    def stuck(self) -> list[Stuck]:
        """By topic, what is written and of which nothing was committed since the one before."""
        if self.plan is None:
            return []
        return stuck_since_before(self.row, self.late, self.topic_index, self.topic_sizes)

    def outside_logs(self, side: str) -> list[OutsideLog]:
        """By topic that the group reads, or may read again, what is committed outside of its log.

        The side is `beyond` the end, or `deleted`, which is before the start.
        """
        topics = self.offsets.topic
        if not len(topics) or (self.plan is None and self.solved.status != EMPTY):
            return []
        is_read = np.ones(len(topics), np.bool_)
        if self.solved.status != EMPTY:
            topic = self.topic_index[topics]
            is_read = (topic >= 0) & (np.append(self.topic_sizes, 0)[topic] > 0)
        return outside_logs(self.row.all_topics, self.offsets, side, is_read)

    @cached_property
    def led(self) -> Led:
        """Leaders of what the members of a planned group own."""
        row, plan = self.row, self.plan
        leading = np.full(len(plan.topics), -1)
        leading[self.topic_index[row.led_topics]] = np.arange(len(row.led_topics))
        at = leading[plan.topic]
        mask = (plan.previous >= 0) & (plan.previous < self.members) & (at >= 0)
        topic, number = at[mask], plan.partition[mask]
        counts = row.leaders_counts
        place = (counts.cumsum() - counts)[topic] + number
        is_there = number < counts[topic]
        place[~is_there] = 0

        def of_partition(numbers: Any, unknown: int) -> IntArray:
            if not len(numbers):
                return np.full(len(place), unknown)
            return np.where(is_there, numbers[place], unknown)

        return Led(
            owner=plan.previous[mask],
            leader=of_partition(row.leaders, -1),
            rack=of_partition(getattr(row, "leader_racks", ()), 0),
        )
