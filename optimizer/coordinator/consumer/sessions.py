"""Members of a consumer group: heartbeats that matter, sessions, and how memberships end."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.client import Client
from optimizer.coordinator.context import NONE
from optimizer.coordinator.protocols import Converter
from optimizer.coordinator.sessions import MemberRecord, Sessions

STABLE = "STABLE"
UNREVOKED = "UNREVOKED_PARTITIONS"
UNRELEASED = "UNRELEASED_PARTITIONS"


class Current(NamedTuple):
    """Where a member stands: epochs, state, what it may read, what it has to give up."""

    epoch: int = 0
    previous_epoch: int = 0
    state: str = STABLE
    assigned: Parts = NONE
    revoking: Parts = NONE


def reconcile(
    current: Current,
    target: Parts,
    target_epoch: int,
    *,
    owned: Parts | None,
    readable: Parts | None,
    is_free: Callable[[int], bool],
) -> Current:
    """The member's next step towards its target.

    `owned` is what its heartbeat says that it owns (None: it doesn't say), `readable` the
    partitions of its topics if its subscription has changed just now.
    """
    if current.state == STABLE and current.epoch == target_epoch:
        return current if readable is None else _without(current, readable, owned)
    if current.state == UNREVOKED and (owned is None or owned & current.revoking):
        return current if readable is None else _without(current, readable, owned)
    allowed = current.assigned if readable is None else current.assigned & readable
    kept = allowed & target
    revoking = current.assigned - kept
    if revoking and (owned is None or owned & revoking):
        return Current(current.epoch, current.epoch, UNREVOKED, kept, revoking)
    missing = target - kept
    free = frozenset(partition for partition in missing if is_free(partition))
    state = STABLE if free == missing else UNRELEASED
    return Current(target_epoch, current.epoch, state, kept | free)


def _without(current: Current, readable: Parts, owned: Parts | None) -> Current:
    """Partitions of topics that it doesn't subscribe to any more are taken away at once."""
    gone = current.assigned - readable
    if not gone:
        return current
    if owned is not None and not owned & gone:
        return current._replace(assigned=current.assigned - gone)
    revoking = current.revoking | gone
    return Current(current.epoch, current.epoch, UNREVOKED, current.assigned - gone, revoking)


@dataclass(slots=True)
class ConsumerMember(MemberRecord):
    """A member of a consumer group; one that is `away` said that it would be back."""

    topics: tuple[str, ...] = ()
    current: Current = field(default_factory=Current)
    revocation: int = 0


AWAY = -2
"""The epoch of a static member that said it would be back."""


class ConsumerSessions(Sessions[ConsumerMember]):
    """State of a consumer group at a time: its members' heartbeats and sessions."""

    def __init__(self, coordinator: Converter, epoch: int = 1) -> None:
        super().__init__(coordinator.context)
        self.coordinator = coordinator
        self.epoch = self.target_epoch = epoch
        self.computed_at: float | None = None
        self.target: dict[str, Parts] = {}
        self.holder: dict[int, str] = {}
        self.unsettled: set[str] = set()
        self.topic_sizes: dict[str, int] = {}
        self.subscribing: set[int] = set()
        self.seen_version = self.context.catalog.version
        self.resolved: dict[str, tuple[str, ...]] = {}
        self.resolved_version = -1
        self.resolving = False
        self.resolved_at: float | None = None

    def admit(self, member: ConsumerMember, target: Parts) -> None:
        """One more member, with what it shall have so far."""
        self.members[member.member_id] = member
        self.peak = max(self.peak, len(self.members) - 1)
        self.present.add(member.identity)
        self.target[member.member_id] = target

    @property
    def assignments(self) -> dict[str, Parts]:
        """The partitions of each member, by its name."""
        return {member.client.name: member.current.assigned for member in self.members.values()}

    def _replace(self, old: ConsumerMember, client: Client) -> ConsumerMember:
        assert client.member_id is not None
        before, after = old.member_id, client.member_id
        self.context.log("static_replaced", client.name, member_id=after)
        self.members[after] = self.members.pop(before)
        self.target[after] = self.target.pop(before)
        self.holder = {
            partition: after if holder == before else holder
            for partition, holder in self.holder.items()
        }
        self.unsettled.discard(before)
        self.subscribing.discard(old.client.number)
        if old.client is not client and old.client.alive:
            self.context.clock.at(old.client.next_sign(), old.client.die, "FENCED_INSTANCE_ID")
        old.client, old.member_id, old.away = client, after, False
        old.silence += 1
        self.silent.discard(old.identity)
        old.current = Current(assigned=old.current.assigned)
        return old

    def leaves_for_now(self, client: Client) -> None:
        """A static member says that it will be back; its session isn't extended.

        What it was to give up is free from then on, the rest is kept for it.
        """
        if (member := self.member_of(client)) is None:
            return
        self.context.log("static_left_for_now", client.name, member_id=client.member_id)
        member.away = True
        for partition in member.current.revoking:
            self.holder.pop(partition, None)
        member.current = member.current._replace(epoch=AWAY, revoking=NONE)
        self.unsettled.discard(member.member_id)
        self.subscribing.discard(client.number)
        self.falls_silent(client)

    def _end(self, member: ConsumerMember) -> None:
        self.session_expired(member)
        self._remove(member)

    def disband(self) -> None:
        """The group is of the classic protocol from now on."""
        self.members = {}

    def leave(self, member_id: str) -> None:
        """A member leaves for good."""
        self.pending.discard(member_id)
        member = self.members.get(member_id)
        if member is not None:
            what = "classic_left" if member.client.is_classic else "left"
            self.context.log(what, member.client.name, member_id=member_id)
            self._remove(member)

    def _remove(self, member: ConsumerMember) -> None:
        del self.members[member.member_id]
        self.present.discard(member.identity)
        self.silent.discard(member.identity)
        self.subscribing.discard(member.client.number)
        self.target.pop(member.member_id, None)
        self.unsettled.discard(member.member_id)
        self.holder = {
            partition: holder
            for partition, holder in self.holder.items()
            if holder != member.member_id
        }
        if self.coordinator.turns_back(rebalance=True):
            return
        self.topic_sizes = self.sizes()
        self.bump()

    @property
    def at_rest(self) -> bool:
        """Whether no heartbeat would change anything."""
        if not self.members:
            return True
        on_their_way = self.unsettled or self.resolving or self.subscribing or self.pending
        if on_their_way or self.silent:
            return False
        version = self.context.catalog.version
        unresolved = bool(self.resolved) and self.resolved_version != version
        return self.epoch == self.target_epoch and self.seen_version == version and not unresolved

    def will_subscribe(self, client: Client) -> None:
        """A member subscribes to other topics: its next heartbeat says so."""
        member = self.member_of(client)
        if member is not None and not member.away:
            self.subscribing.add(client.number)
            self.wake(client)

    def wake_all(self) -> None:
        """Something is new: every member's next heartbeat matters."""
        for member in self.members.values():
            self.wake(member.client)

    def wake(self, client: Client) -> None:
        """See to it that a member's next heartbeat is examined, unless all is at rest."""
        if client.beat_set or not client.alive or self.at_rest:
            return
        client.beat_set = True
        self.context.clock.at(client.next_beat(), self._beat, client, client.beats_from)

    def _beat(self, client: Client, beats_from: float) -> None:
        if client.beats_from == beats_from:
            client.beat_set = False
            client.beat()
        # who beat meanwhile for another reason set another time

    def bump(self) -> None:
        """Something changed that the assignment depends on."""
        self.epoch += 1
        self.context.epochs.append((self.context.now, self.epoch))
        self.wake_all()

    def sizes(self) -> dict[str, int]:
        """Partitions of each topic that anybody subscribes to."""
        sizes = self.context.catalog.sizes
        return {
            topic: sizes[topic]
            for topics in {member.topics for member in self.members.values()}
            for topic in topics
            if topic in sizes
        }
