"""The group as the broker has it: of one protocol, or turned from one into the other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.classic_client import ClassicClient
from optimizer.coordinator.classic_group import ClassicGroup
from optimizer.coordinator.classic_member import Membership
from optimizer.coordinator.modern_group import UNSEEN, ModernGroup
from optimizer.coordinator.modern_member import ModernMember
from optimizer.coordinator.modern_sessions import ModernSessions
from optimizer.coordinator.reconciliation import Current
from optimizer.coordinator.world import World

if TYPE_CHECKING:
    from optimizer.coordinator.modern_client import ModernClient


class Coordinator:
    """Holds the group and turns it (group.consumer.migration.policy = bidirectional)."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.group: ClassicGroup | ModernGroup = ClassicGroup(world)

    def settle(self, clients: Sequence[ClassicClient | ModernClient], generation: int) -> None:
        """These members joined long ago; the group is at rest in that generation, or epoch."""
        if all(isinstance(client, ClassicClient) for client in clients):
            group = ClassicGroup(self.world)
            for client in clients:
                assert isinstance(client, ClassicClient)
                client.settle(generation)
                assert client.member_id is not None
                group.admit(
                    Membership(client, client.member_id, client.number, assignment=client.owned)
                )
            group.settle(generation)
            self.group = group
            return
        self.group = modern = ModernGroup(self, generation)
        for client in clients:
            assert client.member_id is not None
            if isinstance(client, ClassicClient):
                client.settle(generation)
            member = ModernMember(client, client.member_id, client.number, client.topics)
            self._take_over(modern, member, client.owned)
        modern.topic_sizes = modern.sizes()

    def for_classics(self) -> ClassicGroup | ModernGroup:
        """The group for a member of the classic protocol; an empty one is of its kind."""
        if isinstance(self.group, ModernGroup) and not self.group.members:
            group = ClassicGroup(self.world)
            group.generation = self.group.epoch
            self.group = group
        return self.group

    def for_consumers(self) -> ModernGroup:
        """The group for a member of KIP-848: the first one turns a classic group.

        What its members were given counts as what they have (ConsumerGroup.fromClassicGroup).
        """
        if isinstance(self.group, ModernGroup):
            return self.group
        old = self.group
        group = ModernGroup(self, max(old.generation, 1))
        self.group = group
        if old.members:
            self.world.tell("converted_to_consumer")
        for one in old.members.values():
            member = ModernMember(one.client, one.member_id, one.identity, one.client.topics)
            self._take_over(group, member, one.assignment)
        group.seen_version = UNSEEN  # its topics' metadata is new to it, so that it counts on
        old.disband()
        group.restart_sessions()
        return group

    def _take_over(self, group: ModernGroup, member: ModernMember, owned: Parts) -> None:
        member.current = Current(group.epoch, group.epoch, assigned=owned)
        group.admit(member, owned)
        group.holder.update(dict.fromkeys(owned, member.member_id))

    def turns_back(self, group: ModernSessions, *, rebalance: bool) -> bool:
        """Whether only classic members are left: the group is classic again.

        It rebalances where one has left, and not where one is back with the classic protocol.
        """
        clients = [member.client for member in group.members.values()]
        if not clients or not all(isinstance(client, ClassicClient) for client in clients):
            return False
        self.world.tell("converted_to_classic")
        turned = ClassicGroup(self.world)
        self.group = turned
        for one in group.members.values():
            assert isinstance(one.client, ClassicClient)
            given = group.target[one.member_id]
            turned.admit(Membership(one.client, one.member_id, one.identity, assignment=given))
        turned.settle(group.epoch)
        group.disband()
        turned.restart_sessions()
        if rebalance:
            turned.prepare("downgrade")
        else:
            turned.await_the_late()
        return True
