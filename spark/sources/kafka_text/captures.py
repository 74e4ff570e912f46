"""One consumer group, put together from all captures of it.

A capture is one printed table's rows of one group: its members, its offsets or its state. Captures
are taken in the order in which they are given, and what was given last counts:

* the members are those of the last members view, and whoever owns a partition besides;
* the owner of a partition is what the last capture that tells of that partition says. A members
  view with topic names (--verbose) tells of all the group's partitions, an offsets view of those
  that it lists;
* offsets and state are the last ones; but a group that was seen rebalancing stays so, because what
  the captures say of its owners can't be relied on.

Captures that deny one another were taken at different moments: `contradictory` then.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from optimizer.figures import plural
from spark.fleet import CONSUMER, OTHER, REBALANCING_STATES, SHARE, UNKNOWN_STATE, group_type

TopicPartition = tuple[str, int]


class CliMember(NamedTuple):
    """A member as one row shows it; `host` begins with `/`, as Kafka prints it."""

    member_id: str
    instance_id: str | None = None
    client_id: str | None = None
    host: str | None = None
    generation: int | None = None

    def update_by(self, newer: CliMember) -> CliMember:
        """The member with the facts of a later row."""
        newer_values = {name: value for name, value in newer._asdict().items() if value is not None}
        return self._replace(**newer_values)


class MemberRow(NamedTuple):
    """A row of the members view.

    `owned` is None where the row doesn't say which partitions, and `partitions`, their number,
    where it is in doubt.
    """

    member: CliMember
    partitions: int | None
    owned: Sequence[TopicPartition] | None


class Offset(NamedTuple):
    committed_offset: int | None
    end_offset: int | None
    lag: int | None


class OffsetRow(NamedTuple):
    """A row of the offsets view: of a partition, or (before 2.3) of a member without any."""

    partition: TopicPartition | None
    offset: Offset
    member: CliMember | None


class GroupStateRow(NamedTuple):
    """The group's state. Only a state view tells the rest, and the exact state (`exact`).

    `type` (one of `spark.fleet.TYPES`) is what a list of groups tells.
    """

    state: str | None
    strategy: str | None = None
    generation: int | None = None
    members: int | None = None
    coordinator: int | None = None
    exact: bool = True
    type: str | None = None


@dataclass
class CliGroup:
    name: str
    state: str | None = None
    strategy: str | None = None
    generation: int | None = None
    counted_members: int | None = None
    """#MEMBERS of the state view"""
    coordinator: int | None = None
    offsets: dict[TopicPartition, Offset] = field(default_factory=dict)
    tasks: dict[str, int] = field(default_factory=dict)
    """how many tasks each of Connect's connectors has, which stands for a topic"""
    listed_type: str | None = None
    """what the last list of groups with types says"""
    contradictory: bool = False
    offsets_differ: bool = False
    lost_members: int = 0
    """rows of members that could not be read"""
    _members: dict[str, CliMember] = field(default_factory=dict)
    _listed: dict[str, int | None] | None = None
    """the last members view: #PARTITIONS by member id"""
    _idle: set[str] = field(default_factory=set)
    _owners: dict[TopicPartition, tuple[str, ...]] = field(default_factory=dict)
    """more than one owner where Kafka prints more; none where it says that there is none"""
    _owners_complete: bool = False

    @property
    def members(self) -> dict[str, CliMember]:
        """Members by id, sorted."""
        owners = {member_id for owners in self._owners.values() for member_id in owners}
        return {
            id_: self._members[id_] for id_ in sorted(owners | self._idle | set(self._listed or ()))
        }

    @property
    def state_or_why_unknown(self) -> str | None:
        """The state; of a group whose members aren't all known that, and why, unless it is moving.

        Without its members it would pass for an empty group, or as planned among fewer.
        """
        if self.state in REBALANCING_STATES:
            return self.state
        if self.lost_members:
            lost = plural(self.lost_members, "line")
            return f"{UNKNOWN_STATE}: {lost} of its members could not be read"
        if not self.members and (self.counted_members or self.state == "Stable"):
            return f"{UNKNOWN_STATE}: it has members, and no text tells which"
        return self.state

    @property
    def type(self) -> str | None:
        """As listed; epochs, which groups of the classic protocol haven't, tell of KIP-848's.

        Client ids and the strategy tell Kafka Streams.
        """
        members = self.members.values()
        has_epochs = any(member.generation is not None for member in members)
        epochs = CONSUMER if has_epochs or self.generation is not None else None
        clients = [member.client_id for member in members]
        return group_type(self.listed_type or epochs, self.strategy, clients)

    @property
    def claims(self) -> list[tuple[str, int, str]]:
        """(topic, partition, member id) of everything owned, sorted."""
        return sorted((*partition, id_) for partition, ids in self._owners.items() for id_ in ids)

    @property
    def topics(self) -> set[str]:
        """The topics of which some member owns a partition."""
        return {topic for (topic, _), ids in self._owners.items() if ids}

    def take_starts(self, rows: Sequence[OffsetRow]) -> None:
        """Start offsets, which kafka-share-groups prints: of nobody in particular (KIP-932)."""
        self.listed_type = SHARE
        self.offsets |= {row.partition: row.offset for row in rows if row.partition is not None}

    def take_members(self, rows: Sequence[MemberRow]) -> None:
        listed = {row.member.member_id: row.partitions for row in rows}
        self.contradictory |= self._listed is not None and self._listed.keys() != listed.keys()
        self._listed = listed
        self._meet(row.member for row in rows)
        owners = _owners((p, row.member.member_id) for row in rows for p in row.owned or ())
        if all(row.owned is not None for row in rows):
            partitions = {*owners, *self._owners}
            self._compare({partition: owners.get(partition, ()) for partition in partitions})
            self._owners, self._owners_complete = owners, True
        else:
            self._compare(owners)
            self._owners |= owners

    def take_offsets(self, rows: Sequence[OffsetRow]) -> None:
        self._meet(row.member for row in rows if row.member)
        self._idle = {row.member.member_id for row in rows if row.member and not row.partition}
        text: dict[TopicPartition, tuple[str, ...]] = {
            row.partition: () for row in rows if row.partition
        }
        text |= _owners(
            (row.partition, row.member.member_id) for row in rows if row.partition and row.member
        )
        self._compare(text)
        self._owners |= text
        for row in rows:
            if row.partition:
                before = self.offsets.get(row.partition, row.offset)
                self.offsets_differ |= before != row.offset
                self.offsets[row.partition] = row.offset

    def take_state(self, row: GroupStateRow) -> None:
        self.strategy = row.strategy or self.strategy
        if row.type != OTHER or self.listed_type is None:
            self.listed_type = row.type or self.listed_type
        self.generation = row.generation if row.generation is not None else self.generation
        self.counted_members = row.members if row.members is not None else self.counted_members
        self.coordinator = row.coordinator if row.coordinator is not None else self.coordinator
        if row.state is None or row.state == self.state:
            return
        was_rebalancing = self.state in REBALANCING_STATES
        is_rebalancing = row.state in REBALANCING_STATES
        self.contradictory |= self.state is not None and not (was_rebalancing and is_rebalancing)
        if not was_rebalancing or (is_rebalancing and row.exact):
            self.state = row.state

    def owners_missing(self) -> bool:
        """Whether members own partitions, by their number, and no capture says which."""
        return any((self._listed or {}).values()) and not self.topics

    def captures_disagree(self) -> bool:
        """Whether the captures can't be of one moment, or lines of them are missing."""
        if self.contradictory or (self.state == "Empty" and bool(self.members)):
            return True
        return self._listed is not None and not self.owners_missing() and not self._counts_agree()

    def members_missing(self) -> bool:
        """Whether the state view counts more members than are known."""
        return self.counted_members is not None and self.counted_members > len(self.members)

    def _counts_agree(self) -> bool:
        """Whether each member owns as many partitions as the last members view says."""
        listed = self._listed or {}
        owned = Counter(member_id for ids in self._owners.values() for member_id in ids)
        return owned.keys() <= listed.keys() and all(
            count in (None, owned[member_id]) for member_id, count in listed.items()
        )

    def _meet(self, members: Iterable[CliMember]) -> None:
        for member in members:
            earlier = self._members.get(member.member_id)
            if earlier != member:
                self._members[member.member_id] = earlier.update_by(member) if earlier else member

    def _compare(self, owners_of: dict[TopicPartition, tuple[str, ...]]) -> None:
        for partition, owners in owners_of.items():
            if partition in self._owners or self._owners_complete:
                self.contradictory |= self._owners.get(partition, ()) != owners


def _owners(pairs: Iterable[tuple[TopicPartition, str]]) -> dict[TopicPartition, tuple[str, ...]]:
    owners: dict[TopicPartition, set[str]] = {}
    for partition, member_id in pairs:
        owners.setdefault(partition, set()).add(member_id)
    return {partition: tuple(sorted(ids)) for partition, ids in owners.items()}
