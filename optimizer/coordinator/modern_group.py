"""The coordinator's side of KIP-848 (GroupMetadataManager, ConsumerGroup)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from optimizer.coordinator.assignors import Parts, Seen, assigned, timeline_order
from optimizer.coordinator.classic_client import ClassicClient
from optimizer.coordinator.election import candidates
from optimizer.coordinator.reconciliation import STABLE, UNRELEASED, UNREVOKED, Current, reconciled
from optimizer.coordinator.settings import SERVER_ASSIGNORS
from optimizer.coordinator.world import NONE, MemberState, Target, World

if TYPE_CHECKING:
    from optimizer.coordinator.coordinator import Coordinator
    from optimizer.coordinator.modern_client import ModernClient

AWAY = -2
"""The epoch of a static member that said it would be back."""

UNSEEN = -1
"""In place of a version of topics: none has been looked at yet."""

REGEX_REST_MS = 10_000
"""Patterns aren't resolved twice within this time; fixed in Kafka."""

LATER_REGEX_MS = 1


@dataclass(slots=True)
class ModernMember:
    """A member as the coordinator knows it. `identity` outlives a static member's restarts."""

    client: ModernClient | ClassicClient
    member_id: str
    identity: int
    topics: tuple[str, ...] = ()
    current: Current = field(default_factory=Current)
    silence: int = 0
    revocation: int = 0
    away: bool = False


class ModernGroup:
    """Epochs, a target, and members on their way to it. Classic members may be among them."""

    def __init__(self, coordinator: Coordinator, epoch: int = 1) -> None:
        self.coordinator = coordinator
        self.world: World = coordinator.world
        self.epoch = self.target_epoch = epoch
        self.computed_at: float | None = None
        self.members: dict[str, ModernMember] = {}
        self.target: dict[str, Parts] = {}
        self.holder: dict[int, str] = {}
        self.unsettled: set[str] = set()
        self.topic_sizes: dict[str, int] = {}
        self.pending: set[str] = set()
        self.present: set[int] = set()
        self.peak = 0
        self.subscribing: set[int] = set()
        self.silent: set[int] = set()
        self.seen_version = self.world.catalog.version
        self.resolved: dict[str, tuple[str, ...]] = {}
        self.resolved_version = -1
        self.resolving = False
        self.resolved_at: float | None = None

    def admit(self, member: ModernMember, target: Parts) -> None:
        """One more member, with what it shall have so far."""
        self.members[member.member_id] = member
        self.peak = max(self.peak, len(self.members) - 1)
        self.present.add(member.identity)
        self.target[member.member_id] = target

    # Heartbeats of consumers.

    def joins(self, client: ModernClient) -> Parts | None:
        """The first heartbeat of a member; what it may read.

        A static one takes the place of its instance id's member, who must have said that it would
        be back, unless it used the classic protocol.
        """
        assert client.member_id is not None
        old = self._of_instance(client.instance_id)
        if old is not None and not old.away and not isinstance(old.client, ClassicClient):
            self.world.tell("static_refused", client.name, member_id=client.member_id)
            client.die("UNRELEASED_INSTANCE_ID")
            return None
        if old is not None:
            member = self._replace(old, client)
        else:
            what = "member_added" if client.instance_id is None else "static_added"
            self.world.tell(what, client.name, member_id=client.member_id)
            member = ModernMember(client, client.member_id, client.number)
            self.admit(member, NONE)
        return self._settle(member, owned=NONE, joins=True)

    def beats(self, client: ModernClient) -> Parts | None:
        """A heartbeat; what it may read now, if that is another than before."""
        member = self.members.get(client.member_id or "")
        if member is None or member.client is not client:
            client.fenced()
            return None
        owned = None if client.reconciling else client.owned
        return self._settle(member, owned=owned)

    def _settle(
        self, member: ModernMember, *, owned: Parts | None, joins: bool = False
    ) -> Parts | None:
        topics = self._topics_of(member.client)
        changed = topics != member.topics
        member.topics = topics
        self.subscribing.discard(member.client.number)
        version = self.world.catalog.version
        if changed or version != self.seen_version:
            self.seen_version = version
            sizes = self.sizes()
            if changed or sizes != self.topic_sizes:
                self.topic_sizes = sizes
                self.bump()
        self._compute(member.member_id if joins else None)
        before = member.current
        readable = self.world.catalog.of_topics(topics) if changed and not joins else None
        current = reconciled(
            before,
            self.target[member.member_id],
            self.target_epoch,
            owned=owned,
            readable=readable,
            is_free=lambda one: self.holder.get(one, member.member_id) == member.member_id,
        )
        self._keep(member, current)
        if joins or current.assigned != before.assigned:
            return current.assigned
        return None

    def _keep(self, member: ModernMember, current: Current) -> None:
        before = member.current
        settled = current.state == STABLE and current.epoch == self.target_epoch
        (self.unsettled.discard if settled else self.unsettled.add)(member.member_id)
        if current == before:
            return
        member.current = current
        for one in (before.assigned | before.revoking) - current.assigned - current.revoking:
            if self.holder.get(one) == member.member_id:
                del self.holder[one]
        for one in current.assigned | current.revoking:
            self.holder[one] = member.member_id
        state = MemberState(self.world.now, member.client.name, *current)
        self.world.member_states.append(state)
        if current.state == UNREVOKED and before.state != UNREVOKED:
            member.revocation += 1
            limit = member.client.settings.max_poll_ms
            self.world.clock.at(
                self.world.now + limit, self._revocation_timeout, member, member.revocation
            )

    def _revocation_timeout(self, member: ModernMember, revocation: int) -> None:
        here = self.members.get(member.member_id) is member
        if here and member.revocation == revocation and member.current.state == UNREVOKED:
            self.world.tell("rebalance_timeout", member.client.name)
            self._remove(member)
            client = member.client
            if client.alive:
                self.world.clock.at(client.next_beat(), client.beat)

    # Epochs and targets.

    def bump(self) -> None:
        """Something changed that the assignment depends on."""
        self.epoch += 1
        self.world.epochs.append((self.world.now, self.epoch))
        self.wake_all()

    def _compute(self, newcomer: str | None) -> None:
        """Compute the target, if it is due: only inside a heartbeat (KIP-1263)."""
        now = self.world.now
        interval = self.world.broker.assignment_interval_ms
        if self.target_epoch == self.epoch:
            return
        if self.computed_at is not None and now - self.computed_at < interval:
            return
        assignor = self._assignor()
        members = [
            Seen(
                member.member_id,
                member.topics,
                self.target[member.member_id],
                instance_id=member.client.instance_id,
                rack=member.client.rack,
            )
            for member in map(self.members.__getitem__, self._order(newcomer))
        ]
        catalog = self.world.catalog
        strategy = SERVER_ASSIGNORS[assignor]
        self.target = assigned(catalog, catalog.version, strategy, members, cooperative=False)
        self.target_epoch, self.computed_at = self.epoch, now
        by_name = {m.client.name: self.target[m.member_id] for m in self.members.values()}
        self.world.targets.append(Target(now, self.epoch, assignor, by_name))
        self.unsettled = {*self.members}

    def _order(self, newcomer: str | None) -> list[str]:
        """The members as an assignor gets to see them: who joins just now comes last."""
        known = [one for one in self.members if one != newcomer]
        self.peak = max(self.peak, len(known))
        order = timeline_order(known, self.peak)
        return order if newcomer is None else [*order, newcomer]

    def _assignor(self) -> str:
        votes = Counter(
            member.client.settings.remote_assignor
            for member in self.members.values()
            if member.client.settings.remote_assignor in SERVER_ASSIGNORS
        )
        if not votes:
            return self.world.broker.assignor
        most = max(votes.values())
        return min(str(name) for name, count in votes.items() if count == most)

    def sizes(self) -> dict[str, int]:
        """Partitions of each topic that anybody subscribes to."""
        sizes = self.world.catalog.sizes
        return {
            topic: sizes[topic]
            for topics in {member.topics for member in self.members.values()}
            for topic in topics
            if topic in sizes
        }

    # Patterns.

    def _topics_of(self, client: ModernClient | ClassicClient) -> tuple[str, ...]:
        if client.pattern is None:
            return client.topics
        self._resolve(client.pattern)
        return self.resolved.get(client.pattern, ())

    def _resolve(self, pattern: str) -> None:
        """Have a pattern resolved in the background, if topics came since, and not too often."""
        now, version = self.world.now, self.world.catalog.version
        if pattern in self.resolved and version == self.resolved_version:
            return
        if self.resolving:
            return
        rests = self.resolved_at is not None and now - self.resolved_at < REGEX_REST_MS
        if pattern in self.resolved and rests:
            return
        self.resolving, self.resolved_at = True, now
        takes = LATER_REGEX_MS if self.resolved else self.world.delays.resolve
        self.world.clock.at(now + takes, self._resolution, pattern)

    def _resolution(self, pattern: str) -> None:
        self.resolving = False
        topics = self.world.catalog.matching(pattern)
        self.resolved_version = self.world.catalog.version
        if self.resolved.get(pattern, ()) == topics:
            return
        self.resolved[pattern] = topics
        for member in self.members.values():
            if member.client.pattern == pattern:
                member.topics = topics
        self.topic_sizes = self.sizes()
        self.bump()

    # Static members, and the end of memberships.

    def _of_instance(self, instance_id: str | None) -> ModernMember | None:
        for member in self.members.values() if instance_id is not None else ():
            if member.client.instance_id == instance_id:
                return member
        return None

    def _replace(self, old: ModernMember, client: ModernClient | ClassicClient) -> ModernMember:
        assert client.member_id is not None
        before, after = old.member_id, client.member_id
        self.world.tell("static_replaced", client.name, member_id=after)
        self.members[after] = self.members.pop(before)
        self.target[after] = self.target.pop(before)
        self.holder = {
            one: after if holder == before else holder for one, holder in self.holder.items()
        }
        self.unsettled.discard(before)
        self.subscribing.discard(old.client.number)
        if old.client is not client and old.client.alive:
            self.world.clock.at(old.client.next_sign(), old.client.die, "FENCED_INSTANCE_ID")
        old.client, old.member_id, old.away = client, after, False
        old.silence += 1
        self.silent.discard(old.identity)
        old.current = Current(assigned=old.current.assigned)
        return old

    def leaves_for_now(self, client: ModernClient) -> None:
        """A static member says that it will be back; its session isn't extended.

        What it was to give up is free from then on, the rest is kept for it.
        """
        member = self.members.get(client.member_id or "")
        if member is None or member.client is not client:
            return
        self.world.tell("static_left_for_now", client.name, member_id=client.member_id)
        member.away = True
        for one in member.current.revoking:
            self.holder.pop(one, None)
        member.current = member.current._replace(epoch=AWAY, revoking=NONE)
        self.unsettled.discard(member.member_id)
        self.subscribing.discard(client.number)
        self.falls_silent(client)

    def falls_silent(self, client: ModernClient | ClassicClient) -> None:
        """No more heartbeats from it: its session ends so long after the last sign of life."""
        member = self.members.get(client.member_id or "")
        if member is not None and member.client is client:
            self._await_end(member)

    def _await_end(self, member: ModernMember) -> None:
        member.silence += 1
        client = member.client
        self.silent.add(member.identity)
        classic = isinstance(client, ClassicClient)
        session = client.settings.session_ms if classic else self.world.broker.session_ms
        expires = client.sign_of_life + session
        self.world.clock.at(expires, self._expire, member, member.silence)

    def _expire(self, member: ModernMember, silence: int) -> None:
        if self.members.get(member.member_id) is member and member.silence == silence:
            name = member.client.name
            self.world.tell("session_expired", name, member_id=member.member_id)
            self._remove(member)

    def disband(self) -> None:
        """The group is of the classic protocol from now on."""
        self.members = {}

    def restart_sessions(self) -> None:
        """Another broker coordinates the group: every session starts anew."""
        for member in self.members.values():
            client = member.client
            if not client.alive or member.away or client.member_id != member.member_id:
                client.sign_of_life = self.world.now
                self._await_end(member)

    def leave(self, member_id: str) -> None:
        """A member leaves for good."""
        self.pending.discard(member_id)
        member = self.members.get(member_id)
        if member is not None:
            what = "classic_left" if isinstance(member.client, ClassicClient) else "left"
            self.world.tell(what, member.client.name, member_id=member_id)
            self._remove(member)

    def _remove(self, member: ModernMember) -> None:
        del self.members[member.member_id]
        self.present.discard(member.identity)
        self.silent.discard(member.identity)
        self.subscribing.discard(member.client.number)
        self.target.pop(member.member_id, None)
        self.unsettled.discard(member.member_id)
        self.holder = {
            one: holder for one, holder in self.holder.items() if holder != member.member_id
        }
        if self.coordinator.turns_back(self, rebalance=True):
            return
        self.topic_sizes = self.sizes()
        self.bump()

    # Who has to beat.

    @property
    def assignments(self) -> dict[str, Parts]:
        """What each member has, by its name."""
        return {member.client.name: member.current.assigned for member in self.members.values()}

    @property
    def at_rest(self) -> bool:
        """Whether no heartbeat would change anything."""
        if not self.members:
            return True
        on_their_way = self.unsettled or self.resolving or self.subscribing or self.pending
        if on_their_way or self.silent:
            return False
        version = self.world.catalog.version
        unresolved = bool(self.resolved) and self.resolved_version != version
        return self.epoch == self.target_epoch and self.seen_version == version and not unresolved

    def will_subscribe(self, client: ModernClient) -> None:
        """A member subscribes to other topics: its next heartbeat says so."""
        member = self.members.get(client.member_id or "")
        if member is not None and member.client is client and not member.away:
            self.subscribing.add(client.number)
            self.wake(client)

    def wake_all(self) -> None:
        """Something is new: every member's next heartbeat matters."""
        for member in self.members.values():
            self.wake(member.client)

    def wake(self, client: ModernClient | ClassicClient) -> None:
        """See to it that a member's next heartbeat is looked at, unless all is at rest."""
        if client.beat_set or not client.alive or self.at_rest:
            return
        client.beat_set = True
        self.world.clock.at(client.next_beat(), self._beat, client, client.beats_from)

    def _beat(self, client: ModernClient | ClassicClient, beats_from: float) -> None:
        if client.beats_from == beats_from:
            client.beat_set = False
            client.beat()
        # who beat meanwhile for another reason set another time

    def own(self, client: ModernClient | ClassicClient, partitions: Parts) -> None:
        """A member has what it was given."""
        member = self.members.get(client.member_id or "")
        if partitions and member is not None:
            self.world.ledger.own(self.world.now, member.identity, partitions, self.present)

    # Classic members in a consumer group (KIP-848, migration).

    def hand_out_id(self, client: ClassicClient) -> None:
        """A dynamic newcomer of the classic protocol gets an id first."""
        client.member_id = client.future_id or self.world.new_id()
        client.future_id = None
        self.pending.add(client.member_id)

    def join(self, client: ClassicClient) -> None:
        """A JoinGroup: answered at once, without waiting for anybody."""
        holder = self._of_instance(client.instance_id)
        if holder is not None and client.member_id not in (None, holder.member_id):
            client.die("FENCED_INSTANCE_ID")
            return
        if client.member_id is None:
            client.member_id = client.future_id or self.world.new_id()
        self.pending.discard(client.member_id)
        if not self._fits(client):
            self.world.tell("join_error", client.name, why="INCONSISTENT_GROUP_PROTOCOL")
            client.die("INCONSISTENT_GROUP_PROTOCOL")
            return
        old = self._of_instance(client.instance_id)
        member = self.members.get(client.member_id)
        self.world.tell("member_added", client.name, member_id=client.member_id)
        if member is None and old is not None:
            member = self._replace(old, client)
        elif member is None:
            member = ModernMember(client, client.member_id, client.number)
            self.admit(member, NONE)
        self._settle(member, owned=client.owned)
        epoch, given = member.current.epoch, member.current.assigned
        if old is not None and self.coordinator.turns_back(self, rebalance=False):
            epoch, given = self.epoch, self.target[client.member_id]
        client.joined(epoch)
        client.synced(epoch, given, None)
        client.beat_set = False
        self.wake(client)

    def _fits(self, client: ClassicClient) -> bool:
        """Whether it offers an assignor that all others of the classic protocol do as well."""
        old = self._of_instance(client.instance_id)
        others = {
            member.client.settings.assignors
            for member in self.members.values()
            if isinstance(member.client, ClassicClient)
            and member is not old
            and member.client is not client
        }
        return not others or bool(candidates(others) & {*client.settings.assignors})

    def heartbeat(self, client: ClassicClient) -> None:
        """A classic member's heartbeat: it is told to join again where it lags behind."""
        member = self.members.get(client.member_id or "")
        if member is None and self._of_instance(client.instance_id) is not None:
            client.die("FENCED_INSTANCE_ID")
            return
        if member is None:
            client.forget("UNKNOWN_MEMBER_ID", new_id=True)
            return
        current = member.current
        released = current.state == UNRELEASED and all(
            self.holder.get(one, member.member_id) == member.member_id
            for one in self.target[member.member_id]
        )
        if current.epoch < self.target_epoch or current.state == UNREVOKED or released:
            client.want_rejoin("group is already rebalancing")
        self.wake(client)

    def catches_up(self, client: ClassicClient) -> None:
        """Its heartbeats are looked at as long as anything is on its way."""

    def leader_sees(self, client: ClassicClient) -> None:
        """Nobody leads here."""
