"""Members of a group of either protocol: who they are, their sessions, and what they own."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, TypeVar

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.client import Client
from optimizer.coordinator.context import Context


@dataclass(slots=True)
class MemberRecord:
    """A member as the coordinator knows it. `identity` outlives a static member's restarts."""

    client: Client
    member_id: str
    identity: int
    silence: int = 0
    away: bool = False


M = TypeVar("M", bound=MemberRecord)


class Sessions(ABC, Generic[M]):
    """The members of a group: `present` by identity, `silent` those whose sessions may end."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.members: dict[str, M] = {}
        self.present: set[int] = set()
        self.silent: set[int] = set()
        self.pending: set[str] = set()
        self.peak = 0

    @abstractmethod
    def _end(self, member: M) -> None:
        """The member's session is over."""

    def of_instance(self, instance_id: str | None) -> M | None:
        """The member of that instance id, if there is one."""
        members = self.members.values() if instance_id is not None else ()
        return next(
            (member for member in members if member.client.instance_id == instance_id), None
        )

    def member_of(self, client: Client) -> M | None:
        """The member that this process is; None also where another one has its id."""
        member = self.members.get(client.member_id or "")
        return member if member is not None and member.client is client else None

    def own(self, client: Client, partitions: Parts) -> None:
        """A member has what it was given."""
        member = self.members.get(client.member_id or "")
        if partitions and member is not None:
            self.context.ledger.own(self.context.now, member.identity, partitions, self.present)

    def falls_silent(self, client: Client) -> None:
        """No more heartbeats from it: its session ends so long after the last sign of life."""
        if (member := self.member_of(client)) is not None:
            self._await_end(member)

    def hears(self, client: Client) -> None:
        """Take a heartbeat again: the session goes on, unless it is over."""
        if (member := self.member_of(client)) is not None:
            member.silence += 1
            self.silent.discard(member.identity)

    def _await_end(self, member: M) -> None:
        member.silence += 1
        self.silent.add(member.identity)
        expires = member.client.sign_of_life + member.client.session_ms
        self.context.clock.at(expires, self._expire, member, member.silence)

    def _expire(self, member: M, silence: int) -> None:
        if self.members.get(member.member_id) is member and member.silence == silence:
            self._end(member)

    def session_expired(self, member: M) -> None:
        """Write down that its session is over."""
        self.context.log("session_expired", member.client.name, member_id=member.member_id)

    def restart_sessions(self) -> None:
        """Another broker coordinates the group: every session starts again."""
        for member in self.members.values():
            client = member.client
            if client.is_silent or member.away or client.member_id != member.member_id:
                client.sign_of_life = self.context.now
                self._await_end(member)
