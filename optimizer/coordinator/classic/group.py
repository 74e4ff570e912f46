"""The coordinator's side of the classic protocol (GroupMetadataManager, ClassicGroup)."""

from optimizer.coordinator.assignors import candidates, elect_assignor
from optimizer.coordinator.classic.client import ClassicClient
from optimizer.coordinator.classic.rebalance import ClassicRebalance
from optimizer.coordinator.classic.sessions import ClassicMember


class ClassicGroup(ClassicRebalance):
    """Empty, PreparingRebalance, CompletingRebalance, Stable: who comes into a group, and how."""

    def hand_out_id(self, client: ClassicClient) -> None:
        """A dynamic newcomer only gets an id first (KIP-394); it blocks the end of a join phase."""
        if not self._accepts(client):
            self._refuse(client, "GROUP_MAX_SIZE_REACHED")
            return
        self.pending.add(client.take_id(f"{client.name}-"))

    def join(self, client: ClassicClient) -> None:
        """A JoinGroup with an id, or a static member's."""
        if client.member_id is not None:
            self.pending.discard(client.member_id)
        member = self.members.get(client.member_id or "")
        if not self._accepts(client):
            if member is not None:
                self._forget(member)
            self._refuse(client, "GROUP_MAX_SIZE_REACHED")
        elif member is not None:
            self._rejoin(member)
        elif not self._fits(client):
            self._refuse(client, "INCONSISTENT_GROUP_PROTOCOL")
        elif (old := self.of_instance(client.instance_id)) is not None:
            if client.member_id is None:
                self._replace(old, client)
            else:
                client.die("FENCED_INSTANCE_ID")
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

    def _accepts(self, client: ClassicClient) -> bool:
        """Whether group.max.size has room for it (GroupMetadataManager.acceptJoiningMember).

        In a join phase those count that have joined, so that the last members to rejoin have to go.
        A static member that returns without its id counts as a newcomer.
        """
        member, count = self.members.get(client.member_id or ""), len(self.members)
        if count < self.context.broker.max_size:  # nobody has to be counted one by one
            return True
        if self.state == "PreparingRebalance":
            count = sum(member.parked for member in self.members.values())
            member = member if member and member.parked else None
        return member is not None or count < self.context.broker.max_size

    def _refuse(self, client: ClassicClient, why: str) -> None:
        self.context.log("join_error", client.name, why=why)
        client.die(why)
        self._maybe_complete()

    def _add(self, client: ClassicClient) -> None:
        if client.instance_id is not None:
            client.take_id(f"{client.instance_id}-")
        assert client.member_id is not None
        what = "member_added" if client.instance_id is None else "static_added"
        self.context.log(what, client.name, member_id=client.member_id)
        member = ClassicMember(client, client.member_id, client.number)
        member.take()
        self.members[client.member_id] = member
        self.present.add(member.identity)
        self.peak = max(self.peak, len(self.members))
        if self.leader is None:
            self.leader = client.member_id
        self._await_first_join(member)
        if self.state == "PreparingRebalance":
            self.further = True
            self._maybe_complete()
        else:
            self.prepare("new_member")

    def _rejoin(self, member: ClassicMember) -> None:
        member.take()
        if self.state == "PreparingRebalance":
            self._maybe_complete()
        else:
            self.prepare("rejoins")

    def _replace(self, old: ClassicMember, client: ClassicClient) -> None:
        """A static member is back, or another one has its id (KIP-345)."""
        before = old.member_id
        is_same = client.member_id and client.member_id == before
        member_id = before if is_same else client.take_id(f"{client.instance_id}-")
        self.context.log("static_replaced", client.name, member_id=member_id)
        was_parked = old.parked
        fenced = old.client
        self.members = {
            (member_id if key == before else key): member for key, member in self.members.items()
        }
        old.client, old.member_id = client, member_id
        old.silence += 1
        old.awaits_sync = False
        if self.leader == before:
            self.leader = member_id
        if fenced is not client and fenced.alive:
            fenced.mark_replaced()
            if was_parked:
                fenced.die("FENCED_INSTANCE_ID")
            else:
                self.context.clock.at(fenced.next_sign(), fenced.die, "FENCED_INSTANCE_ID")
        old.take()
        if self.state == "PreparingRebalance":
            self._maybe_complete()
        elif self.state == "Stable" and elect_assignor(self._lists()) == self.protocol:
            self._return_unnoticed(old)
        else:
            self.prepare("static member replaced")

    def _return_unnoticed(self, member: ClassicMember) -> None:
        member.parked = False
        client = member.client
        self.context.log("static_no_rebalance", client.name)
        client.on_joined(self.generation)
        if self.leader == member.member_id:
            self.snapshot = self._sizes(client)
        client.on_synced(self.generation, member.assignment, self.protocol)

    def admit(self, member: ClassicMember) -> None:
        """A member that joined long ago."""
        member.take()
        member.parked = member.is_new = False
        self.members[member.member_id] = member
        self.present.add(member.identity)

    def settle(self, generation: int) -> None:
        """The group is at rest in that generation; the first member leads."""
        first = next(iter(self.members.values()))
        self.state, self.generation, self.leader = "Stable", generation, first.member_id
        self.protocol = elect_assignor(self._lists())
        self.peak = len(self.members)
        self.snapshot = self._sizes(first.client)

    @property
    def at_rest(self) -> bool:
        """Whether nothing more can come by itself."""
        if self.state not in ("Stable", "Empty") or self.pending:
            return False
        return all(member.client.alive for member in self.members.values())

    def disband(self) -> None:
        """The group is of KIP-848 from now on: who waits for an answer has to join again."""
        waiting = [
            member for member in self.members.values() if member.parked or member.awaits_sync
        ]
        self.members, self.phase = {}, self.phase + 1
        for member in waiting:
            if member.client.alive:
                member.client.sync_refused()
