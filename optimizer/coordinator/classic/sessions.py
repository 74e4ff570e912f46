"""Members of the classic protocol: their signs of life, and how their memberships end."""

from abc import abstractmethod
from dataclasses import dataclass, field

from optimizer.coordinator.assignors import Parts, Seen, hash_order
from optimizer.coordinator.classic.client import ClassicClient
from optimizer.coordinator.client import Client
from optimizer.coordinator.context import NONE, Context
from optimizer.coordinator.sessions import MemberRecord, Sessions

FIRST_JOIN_MS = 300_000
"""How long a newcomer's first JoinGroup is kept; fixed in Kafka (NEW_MEMBER_JOIN_TIMEOUT_MS)."""


@dataclass(slots=True)
class ClassicMember(MemberRecord):
    """A member of the classic protocol; it is new until its first join phase has ended."""

    client: ClassicClient
    parked: bool = True
    is_new: bool = True
    awaits_sync: bool = False
    seen: Seen = field(default_factory=lambda: Seen("", ()))
    sticky: Seen = field(default_factory=lambda: Seen("", ()))
    assignment: Parts = NONE

    def take(self) -> None:
        """The fields of a client's JoinGroup."""
        client = self.client
        common = self.member_id, client.topics
        rest, capacity = (client.instance_id, client.rack), client.capacity
        self.seen = Seen(*common, client.owned, client.generation, *rest, capacity)
        self.sticky = Seen(*common, *client.sticky, *rest, capacity)
        self.parked = True


class ClassicSessions(Sessions[ClassicMember]):
    """State of a classic group at a time: its members' heartbeats and sessions."""

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.state = "Empty"
        self.generation = 0
        self.protocol: str | None = None
        self.leader: str | None = None
        self.awaited: ClassicMember | None = None  # one of those that haven't joined yet
        self.phase = 0
        self.initial = False
        self.further = False
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
        """The partitions of each member, by its name."""
        return {member.client.name: member.assignment for member in self.members.values()}

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

    def falls_silent(self, client: Client) -> None:
        if self.member_of(client) is None:
            self.pending.discard(client.member_id or "")
        super().falls_silent(client)

    def _end(self, member: ClassicMember) -> None:
        if not member.parked:
            self.session_expired(member)
            self._remove([member], "session expired")

    def _await_first_join(self, member: ClassicMember) -> None:
        """Drop a newcomer whose first join phase lasts too long, alive or not.

        Only a rebalance timeout above that lets a phase last as long.
        """
        if self._rebalance_timeout() > FIRST_JOIN_MS:
            self.context.after(FIRST_JOIN_MS, self._drop_newcomer, member)

    def _drop_newcomer(self, member: ClassicMember) -> None:
        if not member.is_new or self.members.get(member.member_id) is not member:
            return
        client = member.client
        self.session_expired(member)
        if client.alive and client.member_id == member.member_id:
            client.forget("UNKNOWN_MEMBER_ID", new_id=True)
        self._remove([member], "session expired")

    def await_the_late(self) -> None:
        """Clients that aren't in this generation learn it at their next heartbeat."""
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

    def _forget(self, member: ClassicMember) -> None:
        del self.members[member.member_id]
        self.present.discard(member.identity)
        if self.leader == member.member_id:
            order = hash_order([*self.members], self.peak)
            self.leader = order[0] if order else None
        client = member.client
        if client.alive and client.member_id == member.member_id and not client.expired_poll:
            self.context.clock.at(client.next_beat(), client.beat)

    def _remove(self, gone: list[ClassicMember], why: str) -> None:
        for member in gone:
            self._forget(member)
        if not gone:
            return
        if self.state in ("Stable", "CompletingRebalance"):
            self.prepare(why)
        else:
            self._maybe_complete()
