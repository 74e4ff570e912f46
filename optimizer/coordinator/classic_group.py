"""The coordinator's side of the classic protocol (GroupMetadataManager, ClassicGroup)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from optimizer.coordinator.assignors import Parts, Seen, assigned, hash_order
from optimizer.coordinator.classic_client import ClassicClient
from optimizer.coordinator.election import candidates, elected
from optimizer.coordinator.settings import COOPERATIVE
from optimizer.coordinator.world import NONE, Generation, World

FIRST_JOIN_MS = 300_000
"""How long a newcomer's first JoinGroup is kept without a sign of life; fixed in Kafka."""


@dataclass(slots=True)
class Membership:
    """A member as the coordinator knows it. `identity` outlives a static member's restarts."""

    client: ClassicClient
    member_id: str
    identity: int
    parked: bool = True
    awaits_sync: bool = False
    seen: Seen = field(default_factory=lambda: Seen("", ()))
    sticky: Seen = field(default_factory=lambda: Seen("", ()))
    assignment: Parts = NONE
    silence: int = 0

    def take(self) -> None:
        """What a JoinGroup says of the client."""
        client = self.client
        common = self.member_id, client.topics
        rest = client.instance_id, client.rack
        self.seen = Seen(*common, client.owned, client.generation, *rest)
        self.sticky = Seen(*common, *client.sticky, *rest)
        self.parked = True


class ClassicGroup:
    """Empty, PreparingRebalance, CompletingRebalance, Stable: a group and its members."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.state = "Empty"
        self.generation = 0
        self.protocol: str | None = None
        self.leader: str | None = None
        self.members: dict[str, Membership] = {}
        self.present: set[int] = set()
        self.pending: set[str] = set()
        self.phase = 0
        self.initial = False
        self.further = False
        self.peak = 0
        self.snapshot: dict[str, int] = {}

    # Joining.

    def hand_out_id(self, client: ClassicClient) -> None:
        """A dynamic newcomer only gets an id first (KIP-394); it blocks the end of a join phase."""
        member_id = client.future_id or f"{client.name}-{self.world.new_id()}"
        client.future_id = None
        client.member_id = member_id
        self.pending.add(member_id)

    def join(self, client: ClassicClient) -> None:
        """A JoinGroup with an id, or a static member's."""
        if client.member_id is not None:
            self.pending.discard(client.member_id)
        known = self.members.get(client.member_id or "")
        if known is not None:
            self._rejoin(known)
        elif not self._fits(client):
            self.world.tell("join_error", client.name, why="INCONSISTENT_GROUP_PROTOCOL")
            client.die("INCONSISTENT_GROUP_PROTOCOL")
            self._maybe_complete()
        elif (old := self.of_instance(client.instance_id)) is not None:
            if client.member_id is None:
                self._replace(old, client)
            else:
                client.die("FENCED_INSTANCE_ID")
        elif self._is_full():
            self.world.tell("join_error", client.name, why="GROUP_MAX_SIZE_REACHED")
            client.die("GROUP_MAX_SIZE_REACHED")
        else:
            self._add(client)

    def _fits(self, client: ClassicClient) -> bool:
        others = [
            m
            for m in self.members.values()
            if m.client.instance_id != client.instance_id or client.instance_id is None
        ]
        if not others:
            return True
        common = candidates({m.client.settings.assignors for m in others})
        return bool(common & set(client.settings.assignors))

    def _is_full(self) -> bool:
        count = len(self.members)
        if self.state == "PreparingRebalance":
            count = sum(member.parked for member in self.members.values())
        return count >= self.world.broker.max_size

    def of_instance(self, instance_id: str | None) -> Membership | None:
        """The member of that instance id, if there is one."""
        if instance_id is None:
            return None
        for member in self.members.values():
            if member.client.instance_id == instance_id:
                return member
        return None

    def _add(self, client: ClassicClient) -> None:
        if client.instance_id is not None:
            client.member_id = client.future_id or f"{client.instance_id}-{self.world.new_id()}"
            client.future_id = None
        assert client.member_id is not None
        what = "member_added" if client.instance_id is None else "static_added"
        self.world.tell(what, client.name, member_id=client.member_id)
        member = Membership(client, client.member_id, client.number)
        member.take()
        self.members[client.member_id] = member
        self.present.add(member.identity)
        self.peak = max(self.peak, len(self.members))
        if self.leader is None:
            self.leader = client.member_id
        if self.state == "PreparingRebalance":
            self.further = True
            self._maybe_complete()
        else:
            self.prepare("new_member")

    def _rejoin(self, member: Membership) -> None:
        member.take()
        if self.state == "PreparingRebalance":
            self._maybe_complete()
        else:
            self.prepare("rejoins")

    def _replace(self, old: Membership, client: ClassicClient) -> None:
        """A static member is back, or another one has its id (KIP-345)."""
        before = old.member_id
        if not (client.member_id and client.member_id == before):
            client.member_id = client.future_id or f"{client.instance_id}-{self.world.new_id()}"
            client.future_id = None
        self.world.tell("static_replaced", client.name, member_id=client.member_id)
        was_parked = old.parked
        fenced = old.client
        self.members = {
            (client.member_id if key == before else key): one for key, one in self.members.items()
        }
        old.client, old.member_id = client, client.member_id
        old.silence += 1
        old.awaits_sync = False
        if self.leader == before:
            self.leader = client.member_id
        if fenced is not client and fenced.alive:
            if was_parked:
                fenced.die("FENCED_INSTANCE_ID")
            else:
                self.world.clock.at(fenced.next_sign(), fenced.die, "FENCED_INSTANCE_ID")
        old.take()
        if self.state == "PreparingRebalance":
            self._maybe_complete()
        elif self.state == "Stable" and elected(self._lists()) == self.protocol:
            self._return_unnoticed(old)
        else:
            self.prepare("static member replaced")

    def _return_unnoticed(self, member: Membership) -> None:
        member.parked = False
        client = member.client
        self.world.tell("static_no_rebalance", client.name)
        client.joined(self.generation)
        if self.leader == member.member_id:
            self.snapshot = self._sizes(client)
        client.synced(self.generation, member.assignment, self.protocol)

    # A group that was there before.

    def admit(self, member: Membership) -> None:
        """A member that joined long ago."""
        member.take()
        member.parked = False
        self.members[member.member_id] = member
        self.present.add(member.identity)

    def settle(self, generation: int) -> None:
        """The group is at rest in that generation; the first member leads."""
        first = next(iter(self.members.values()))
        self.state, self.generation, self.leader = "Stable", generation, first.member_id
        self.protocol = elected(self._lists())
        self.peak = len(self.members)
        self.snapshot = self._sizes(first.client)

    # The join phase.

    def prepare(self, why: str) -> None:
        """Begin a join phase."""
        if self.state == "CompletingRebalance":
            for member in self.members.values():
                if member.awaits_sync:
                    member.awaits_sync = False
                    if member.client.alive:
                        member.client.sync_refused()
                    else:
                        self.falls_silent(member.client)
        self.initial = self.state == "Empty"
        self.state = "PreparingRebalance"
        self.phase += 1
        self.further = False
        self.world.tell("preparing", why=why, generation=self.generation)
        limit = self._rebalance_timeout()
        clock, now = self.world.clock, self.world.now
        if self.initial:
            delay = self.world.broker.initial_delay_ms
            clock.at(now + delay, self._look_again, self.phase, max(limit - delay, 0))
            return
        clock.at(now + limit, self._time_out, self.phase)
        self._spread_word()
        self._maybe_complete()

    def _look_again(self, phase: int, left: float) -> None:
        if phase != self.phase or self.state != "PreparingRebalance":
            return
        if self.further and left > 0:
            self.further = False
            delay = min(self.world.broker.initial_delay_ms, left)
            clock = self.world.clock
            clock.at(self.world.now + delay, self._look_again, phase, left - delay)
        else:
            self._complete()

    def _spread_word(self) -> None:
        """Old members hear of the rebalance at their next heartbeat, all at nearly one time."""
        beats: dict[float, list[ClassicClient]] = {}
        for member in self.members.values():
            if not member.parked and member.client.alive and not member.client.rejoining:
                beats.setdefault(member.client.next_beat(), []).append(member.client)
        for time, clients in beats.items():
            self.world.clock.at(time, self._beats, clients)

    def catches_up(self, client: ClassicClient) -> None:
        """Who was busy with the last assignment hears of what came since at its next heartbeat."""
        member = self.members.get(client.member_id or "")
        waited_for = self.state == "PreparingRebalance" and not (member and member.parked)
        if member is None or client.generation != self.generation or waited_for:
            self.world.clock.at(client.next_beat(), client.beat)

    def _beats(self, clients: list[ClassicClient]) -> None:
        for client in clients:
            client.beat()

    def _rebalance_timeout(self) -> float:
        return max((m.client.settings.max_poll_ms for m in self.members.values()), default=0)

    def _time_out(self, phase: int) -> None:
        if phase == self.phase and self.state == "PreparingRebalance":
            self._complete()

    def _maybe_complete(self) -> None:
        if self.state != "PreparingRebalance" or self.initial or self.pending:
            return
        if all(member.parked for member in self.members.values()):
            self._complete()

    def _complete(self) -> None:
        """The end of a join phase: the one place where the generation counts on."""
        world = self.world
        for member in [m for m in self.members.values() if not m.parked]:
            if member.client.instance_id is None:
                world.tell("kicked_not_rejoined", member.client.name)
                self._forget(member)
        parked = [member for member in self.members.values() if member.parked]
        if self.members and not parked:
            world.clock.at(world.now + self._rebalance_timeout(), self._time_out, self.phase)
            return
        self.generation += 1
        self.phase += 1
        self.initial = False
        if not self.members:
            self.state, self.protocol, self.leader = "Empty", None, None
            world.tell("empty", generation=self.generation)
            self._keep(None)
            return
        self._settle_leader(parked)
        self.protocol = elected(self._lists())
        self.state = "CompletingRebalance"
        world.tell("join_phase_done", generation=self.generation)
        self._keep(None)
        for member in self.members.values():
            client = member.client
            if member.parked:
                member.parked = False
                member.awaits_sync = client.alive
                if client.alive:
                    client.joined(self.generation)
                else:
                    client.sign_of_life = world.now
                    self.falls_silent(client)
            elif client.alive:
                world.clock.at(client.next_beat(), client.beat)
        world.clock.at(world.now + self._rebalance_timeout(), self._expire_sync, self.phase)
        delay = world.delays.round_trip + world.delays.assign
        if self._leader_misses_topics():
            delay += world.delays.missing_topic
        world.clock.at(world.now + delay, self._assign, self.phase)

    def _settle_leader(self, parked: list[Membership]) -> None:
        leader = self.members.get(self.leader or "")
        if leader is None or not leader.parked:
            self.leader = hash_order([member.member_id for member in parked], self.peak)[0]

    def _lists(self) -> Counter[tuple[str, ...]]:
        return Counter(member.client.settings.assignors for member in self.members.values())

    def _keep(self, assignment: dict[str, Parts] | None) -> None:
        """Keep the account of this generation, or complete it when the assignment is there."""
        generations = self.world.generations
        at = self.world.now
        if generations and generations[-1].number == self.generation:
            at = generations.pop().at
        leader = self.members.get(self.leader or "")
        members = self.members.values()
        generations.append(
            Generation(
                at,
                self.generation,
                tuple(member.client.name for member in members),
                tuple(m.client.name for m in members if not m.parked and assignment is None),
                leader.client.name if leader else None,
                self.protocol,
                assignment,
                tuple(self.members),
            )
        )

    # The assignment.

    def _assign(self, phase: int) -> None:
        """The leader's SyncGroup arrives, if it still lives: everybody's is answered."""
        leader = self.members.get(self.leader or "")
        if phase != self.phase or self.state != "CompletingRebalance" or leader is None:
            return
        if not leader.client.alive:
            return
        answer = self._ask_leader(leader.client)
        self.state = "Stable"
        self.world.tell("assignment_received", leader.client.name, generation=self.generation)
        for member in self.members.values():
            member.assignment = answer[member.member_id]
        self._keep({m.client.name: m.assignment for m in self.members.values()})
        for member in [*self.members.values()]:
            if member.awaits_sync:
                member.awaits_sync = False
                if member.client.alive:
                    member.client.synced(self.generation, member.assignment, self.protocol)

    def _leader_misses_topics(self) -> bool:
        leader = self.members[self.leader or ""].client
        known = self.world.catalog.versions[leader.version]
        lists = {member.seen.topics for member in self.members.values()}
        return any(topic not in known for topics in lists for topic in topics)

    def _ask_leader(self, leader: ClassicClient) -> dict[str, Parts]:
        ids = [*self.members]
        order = ids if self.peak <= 12 else hash_order(ids, self.peak)
        members = [self.members[member_id] for member_id in order]
        version = leader.version
        if self._leader_misses_topics():
            leader.version = version = self.world.catalog.version
        self.snapshot = self._sizes(leader)
        assert self.protocol is not None
        return assigned(
            self.world.catalog,
            version,
            self.protocol,
            [member.sticky if self.protocol == "sticky" else member.seen for member in members],
            cooperative=self.protocol in COOPERATIVE,
        )

    def _sizes(self, leader: ClassicClient) -> dict[str, int]:
        """The group's topics as the leader knows them."""
        known = self.world.catalog.versions[leader.version]
        topics = {
            topic for lists in {m.client.topics for m in self.members.values()} for topic in lists
        }
        return {topic: known[topic] for topic in topics if topic in known}

    @property
    def assignments(self) -> dict[str, Parts]:
        """What each member has, by its name."""
        return {member.client.name: member.assignment for member in self.members.values()}

    @property
    def at_rest(self) -> bool:
        """Whether nothing more can come by itself."""
        if self.state not in ("Stable", "Empty") or self.pending:
            return False
        return all(member.client.alive for member in self.members.values())

    def leader_sees(self, client: ClassicClient) -> None:
        """The leader compares what it sees with what it assigned by."""
        leads = client.member_id == self.leader and self.state != "Empty"
        if leads and self._sizes(client) != self.snapshot:
            client.want_rejoin("cached metadata has changed")

    def own(self, client: ClassicClient, partitions: Parts) -> None:
        """A member has what it was given."""
        if partitions and client.member_id in self.members:
            identity = self.members[client.member_id].identity
            self.world.ledger.own(self.world.now, identity, partitions, self.present)

    def _expire_sync(self, phase: int) -> None:
        if phase == self.phase and self.state == "CompletingRebalance":
            gone = [m for m in self.members.values() if not m.awaits_sync]
            self._remove(gone, "no SyncGroup")

    # Signs of life.

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

    def _await_end(self, member: Membership) -> None:
        member.silence += 1
        client = member.client
        expires = client.sign_of_life + client.settings.session_ms
        if member.parked and client.generation < 0:
            expires = max(expires, client.sign_of_life + FIRST_JOIN_MS)
        self.world.clock.at(expires, self._expire, member.member_id, member.silence)

    def _expire(self, member_id: str, silence: int) -> None:
        member = self.members.get(member_id)
        if member is not None and member.silence == silence and not member.parked:
            self.world.tell("session_expired", member.client.name, member_id=member_id)
            self._remove([member], "session expired")

    def disband(self) -> None:
        """The group is of KIP-848 from now on: who waits for an answer has to join again."""
        waiting = [one for one in self.members.values() if one.parked or one.awaits_sync]
        self.members, self.phase = {}, self.phase + 1
        for member in waiting:
            if member.client.alive:
                member.client.sync_refused()

    def restart_sessions(self) -> None:
        """Another broker coordinates the group: every session starts anew."""
        for member in self.members.values():
            if not member.client.alive or member.client.member_id != member.member_id:
                member.client.sign_of_life = self.world.now
                self._await_end(member)

    def await_the_late(self) -> None:
        """Who isn't in this generation learns it at its next heartbeat."""
        for member in self.members.values():
            if member.client.alive and member.client.generation != self.generation:
                self.world.clock.at(member.client.next_beat(), member.client.beat)

    def leave(self, member_id: str) -> None:
        """A LeaveGroup."""
        self.pending.discard(member_id)
        member = self.members.get(member_id)
        if member is not None:
            self.world.tell("left", member.client.name, member_id=member_id)
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
            self.world.clock.at(client.next_beat(), client.beat)

    def _remove(self, gone: list[Membership], why: str) -> None:
        for member in gone:
            self._forget(member)
        if not gone:
            return
        if self.state in ("Stable", "CompletingRebalance"):
            self.prepare(why)
        else:
            self._maybe_complete()
