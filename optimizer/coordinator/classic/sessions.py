"""Members of the classic protocol: their signs of life, and how their memberships end."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field

from optimizer.coordinator.assignors import Parts, Seen, hash_order
from optimizer.coordinator.classic.client import ClassicClient
from optimizer.coordinator.context import NONE, Context

FIRST_JOIN_MS = 300_000
"""How long a newcomer's first JoinGroup is kept; fixed in Kafka (NEW_MEMBER_JOIN_TIMEOUT_MS)."""


@dataclass(slots=True)
class Membership:
    """A member as the coordinator knows it. `identity` outlives a static member's restarts.

    It is new until the first join phase that it has waited for ends.
    """

    client: ClassicClient
    member_id: str
    identity: int
    parked: bool = True
    is_new: bool = True
    awaits_sync: bool = False
    seen: Seen = field(default_factory=lambda: Seen("", ()))
    sticky: Seen = field(default_factory=lambda: Seen("", ()))
    assignment: Parts = NONE
    silence: int = 0

    def take(self) -> None:
        """What a JoinGroup says of the client."""
        client = self.client
        common = self.member_id, client.topics
        rest, capacity = (client.instance_id, client.rack), client.capacity
        self.seen = Seen(*common, client.owned, client.generation, *rest, capacity)
        self.sticky = Seen(*common, *client.sticky, *rest, capacity)
        self.parked = True


class ClassicSessions(ABC):
    """What a classic group is at a time, its members' heartbeats and sessions."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.state = "Empty"
        self.generation = 0
        self.protocol: str | None = None
        self.leader: str | None = None
        self.members: dict[str, Membership] = {}
        self.present: set[int] = set()
        self.pending: set[str] = set()
        self.awaited: Membership | None = None  # one of those that haven't joined yet
        self.phase = 0
        self.initial = False
        self.further = False
        self.peak = 0
        self.snapshot: dict[str, int] = {}

    @abstractmethod
    def prepare(self, why: str) -> None:
        """Begin a join phase."""

    @abstractmethod
    def _maybe_complete(self) -> None:
        """End a join phase that waits for nobody any more."""

    @abstractmethod
    def _rebalance_timeout(self) -> float:
        """How long a join phase waits at most, in milliseconds."""

    @property
    def assignments(self) -> dict[str, Parts]:
        """What each member has, by its name."""
        return {member.client.name: member.assignment for member in self.members.values()}

    def of_instance(self, instance_id: str | None) -> Membership | None:
        """The member of that instance id, if there is one."""
        if instance_id is None:
            return None
        for member in self.members.values():
            if member.client.instance_id == instance_id:
                return member
        return None

    def own(self, client: ClassicClient, partitions: Parts) -> None:
        """A member has what it was given."""
        if partitions and client.member_id in self.members:
            identity = self.members[client.member_id].identity
            self.context.ledger.own(self.context.now, identity, partitions, self.present)

    def heartbeat(self, client: ClassicClient) -> None:
        """A heartbeat, where its answer matters."""
        member = self.members.get(client.member_id or "")
        if member is None and self.of_instance(client.instance_id) is not None:
            client.die("FENCED_INSTANCE_ID")
        elif member is None:
            client.forget("UNKNOWN_MEMBER_ID", new_id=True)
        elif member.parked:
            return
        elif client.generation != self.generation:
            client.forget("ILLEGAL_GENERATION", new_id=False)
        elif self.state == "PreparingRebalance":
            client.want_rejoin("group is already rebalancing")

    def falls_silent(self, client: ClassicClient) -> None:
        """No more heartbeats from it: its session ends so long after the last sign of life."""
        member = self.members.get(client.member_id or "")
        if member is None or member.client is not client:
            self.pending.discard(client.member_id or "")
        else:
            self._await_end(member)

    def hears(self, client: ClassicClient) -> None:
        """It beats again: its session goes on, unless that is over."""
        member = self.members.get(client.member_id or "")
        if member is not None and member.client is client:
            member.silence += 1

    def _await_end(self, member: Membership) -> None:
        member.silence += 1
        client = member.client
        expires = client.sign_of_life + client.settings.session_ms
        self.context.clock.at(expires, self._expire, member.member_id, member.silence)

    def _expire(self, member_id: str, silence: int) -> None:
        member = self.members.get(member_id)
        if member is not None and member.silence == silence and not member.parked:
            self.context.log("session_expired", member.client.name, member_id=member_id)
            self._remove([member], "session expired")

    def _await_first_join(self, member: Membership) -> None:
        """Drop a newcomer whose first join phase lasts too long, alive or not.

        Only a rebalance timeout above that lets a phase last as long.
        """
        if self._rebalance_timeout() > FIRST_JOIN_MS:
            at = self.context.now + FIRST_JOIN_MS
            self.context.clock.at(at, self._drop_newcomer, member)

    def _drop_newcomer(self, member: Membership) -> None:
        if not member.is_new or self.members.get(member.member_id) is not member:
            return
        client = member.client
        self.context.log("session_expired", client.name, member_id=member.member_id)
        if client.alive and client.member_id == member.member_id:
            client.forget("UNKNOWN_MEMBER_ID", new_id=True)
        self._remove([member], "session expired")

    def restart_sessions(self) -> None:
        """Another broker coordinates the group: every session starts again."""
        for member in self.members.values():
            if member.client.is_silent or member.client.member_id != member.member_id:
                member.client.sign_of_life = self.context.now
                self._await_end(member)

    def await_the_late(self) -> None:
        """Who isn't in this generation learns it at its next heartbeat."""
        for member in self.members.values():
            if member.client.alive and member.client.generation != self.generation:
                self.context.clock.at(member.client.next_beat(), member.client.beat)

    def leave(self, member_id: str) -> None:
        """A LeaveGroup."""
        self.pending.discard(member_id)
        member = self.members.get(member_id)
        if member is not None:
            self.context.log("left", member.client.name, member_id=member_id)
            self._remove([member], "left")
        else:
            self._maybe_complete()

    def _forget(self, member: Membership) -> None:
        del self.members[member.member_id]
        self.present.discard(member.identity)
        if self.leader == member.member_id:
            order = hash_order([*self.members], self.peak)
            self.leader = order[0] if order else None
        client = member.client
        if client.alive and client.member_id == member.member_id and not client.expired_poll:
            self.context.clock.at(client.next_beat(), client.beat)

    def _remove(self, gone: list[Membership], why: str) -> None:
        for member in gone:
            self._forget(member)
        if not gone:
            return
        if self.state in ("Stable", "CompletingRebalance"):
            self.prepare(why)
        else:
            self._maybe_complete()
