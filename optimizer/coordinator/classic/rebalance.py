"""A rebalance of the classic protocol: join phase, election, leader's assignment."""

from collections import Counter

from optimizer.coordinator.assignors import Parts, assign_targets, elect_assignor, hash_order
from optimizer.coordinator.classic.client import ClassicClient
from optimizer.coordinator.classic.sessions import ClassicMember, ClassicSessions
from optimizer.coordinator.context import Generation
from optimizer.settings import is_cooperative


class ClassicRebalance(ClassicSessions):
    """PreparingRebalance until all have joined, then Completing until the leader has assigned."""

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
        self.context.log("preparing", why=why, generation=self.generation)
        limit = self._rebalance_timeout()
        if self.initial:
            delay = self.context.broker.initial_delay_ms
            self.context.after(delay, self._look_again, self.phase, max(limit - delay, 0))
            return
        self.context.after(limit, self._time_out, self.phase)
        self._spread_word()
        self._maybe_complete()

    def _look_again(self, phase: int, left: float) -> None:
        if phase != self.phase or self.state != "PreparingRebalance":
            return
        if self.further and left > 0:
            self.further = False
            delay = min(self.context.broker.initial_delay_ms, left)
            self.context.after(delay, self._look_again, phase, left - delay)
        else:
            self._complete()

    def _spread_word(self) -> None:
        """Old members hear of the rebalance at their next heartbeat, all at nearly one time."""
        beats: dict[float, list[ClassicClient]] = {}
        for member in self.members.values():
            if not member.parked and member.client.alive and not member.client.rejoining:
                beats.setdefault(member.client.next_beat(), []).append(member.client)
        for time, clients in beats.items():
            self.context.clock.at(time, self._beats, clients)

    def _beats(self, clients: list[ClassicClient]) -> None:
        for client in clients:
            client.beat()

    def catches_up(self, client: ClassicClient) -> None:
        """Tell a client that was busy with the last assignment what came since, when it beats."""
        member = self.members.get(client.member_id or "")
        waited_for = self.state == "PreparingRebalance" and not (member and member.parked)
        if member is None or client.generation != self.generation or waited_for:
            self.context.clock.at(client.next_beat(), client.beat)

    def _rebalance_timeout(self) -> float:
        return max((m.client.settings.max_poll_ms for m in self.members.values()), default=0)

    def _time_out(self, phase: int) -> None:
        if phase == self.phase and self.state == "PreparingRebalance":
            self._complete()

    def _maybe_complete(self) -> None:
        if self.state != "PreparingRebalance" or self.initial or self.pending:
            return
        awaited = self.awaited
        if awaited and not awaited.parked and self.members.get(awaited.member_id) is awaited:
            return
        others = reversed(self.members.values())  # as they join in order, the last stays longest
        self.awaited = next((member for member in others if not member.parked), None)
        if self.awaited is None:
            self._complete()

    def _complete(self) -> None:
        """The end of a join phase: the one place where the generation counts on."""
        context = self.context
        for member in [m for m in self.members.values() if not m.parked]:
            if member.client.instance_id is None:
                context.log("kicked_not_rejoined", member.client.name)
                self._forget(member)
        parked = [member for member in self.members.values() if member.parked]
        if self.members and not parked:
            context.after(self._rebalance_timeout(), self._time_out, self.phase)
            return
        self.generation += 1
        context.rebalances += 1
        self.phase += 1
        self.initial = False
        if not self.members:
            self.state, self.protocol, self.leader = "Empty", None, None
            context.log("empty", generation=self.generation)
            self._keep(None)
            return
        self._settle_leader(parked)
        self.protocol = elect_assignor(self._lists())
        self.state = "CompletingRebalance"
        context.log("join_phase_done", generation=self.generation)
        self._keep(None)
        for member in self.members.values():
            client = member.client
            if member.parked:
                member.parked = member.is_new = False
                member.awaits_sync = client.alive
                if client.alive:
                    client.on_joined(self.generation)
                if client.is_silent:
                    client.sign_of_life = context.now
                    self.falls_silent(client)
            elif client.alive:
                context.clock.at(client.next_beat(), client.beat)
        context.after(self._rebalance_timeout(), self._expire_sync, self.phase)
        delay = context.delays.round_trip + context.delays.assign
        if self._leader_misses_topics():
            delay += context.delays.missing_topic
        context.after(delay, self._assign, self.phase)

    def _settle_leader(self, parked: list[ClassicMember]) -> None:
        leader = self.members.get(self.leader or "")
        if leader is None or not leader.parked:
            self.leader = hash_order([member.member_id for member in parked], self.peak)[0]

    def _lists(self) -> Counter[tuple[str, ...]]:
        return Counter(member.client.settings.assignors for member in self.members.values())

    def _keep(self, assignment: dict[str, Parts] | None) -> None:
        """Keep the account of this generation, or complete it when the assignment is there."""
        if not self.context.details:
            return
        generations = self.context.generations
        at = self.context.now
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

    def _assign(self, phase: int) -> None:
        """The leader's SyncGroup arrives, if it still lives: everybody's is answered."""
        leader = self.members.get(self.leader or "")
        if phase != self.phase or self.state != "CompletingRebalance" or leader is None:
            return
        if not leader.client.alive:
            return
        if leader.client.is_silent:
            self.context.clock.at(leader.client.frozen_until, self._assign, phase)
            return
        answer = self._ask_leader(leader.client)
        self.state = "Stable"
        self.context.log("assignment_received", leader.client.name, generation=self.generation)
        for member in self.members.values():
            member.assignment = answer[member.member_id]
        self._keep({m.client.name: m.assignment for m in self.members.values()})
        for member in [*self.members.values()]:
            if member.awaits_sync:
                member.awaits_sync = False
                if member.client.alive:
                    member.client.on_synced(self.generation, member.assignment, self.protocol)

    def _leader_misses_topics(self) -> bool:
        leader = self.members[self.leader or ""].client
        sizes = self.context.catalog.versions[leader.version]
        lists = {member.seen.topics for member in self.members.values()}
        return any(topic not in sizes for topics in lists for topic in topics)

    def _ask_leader(self, leader: ClassicClient) -> dict[str, Parts]:
        ids = [*self.members]
        order = ids if self.peak <= 12 else hash_order(ids, self.peak)
        members = [self.members[member_id] for member_id in order]
        version = leader.version
        if self._leader_misses_topics():
            leader.version = version = self.context.catalog.version
        self.snapshot = self._sizes(leader)
        assert self.protocol is not None
        return assign_targets(
            self.context.catalog,
            version,
            self.protocol,
            [member.sticky if self.protocol == "sticky" else member.seen for member in members],
            self.context.scenario.goals,
            cooperative=is_cooperative(self.protocol),
        )

    def _sizes(self, leader: ClassicClient) -> dict[str, int]:
        """The group's topics as the leader knows them."""
        sizes = self.context.catalog.versions[leader.version]
        topics = {
            topic for lists in {m.client.topics for m in self.members.values()} for topic in lists
        }
        return {topic: sizes[topic] for topic in topics if topic in sizes}

    def leader_sees(self, client: ClassicClient) -> None:
        """The leader compares what it sees with what it assigned by."""
        leads = client.member_id == self.leader and self.state != "Empty"
        if leads and self._sizes(client) != self.snapshot:
            client.want_rejoin("cached metadata has changed")

    def _expire_sync(self, phase: int) -> None:
        if phase == self.phase and self.state == "CompletingRebalance":
            # the leader's SyncGroup would have ended this state
            members = self.members.values()
            gone = [m for m in members if not m.awaits_sync or m.member_id == self.leader]
            self._remove(gone, "no SyncGroup")
