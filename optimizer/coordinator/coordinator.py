"""The group as the broker has it: of one protocol, or turned from one into the other."""

from collections.abc import Sequence

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.classic.client import ClassicClient
from optimizer.coordinator.classic.group import ClassicGroup
from optimizer.coordinator.classic.sessions import ClassicMember
from optimizer.coordinator.client import Client
from optimizer.coordinator.consumer.group import UNSEEN, ConsumerGroup
from optimizer.coordinator.consumer.sessions import ConsumerMember, Current
from optimizer.coordinator.context import Context


class Coordinator:
    """Holds the group and turns it (group.consumer.migration.policy = bidirectional)."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.group: ClassicGroup | ConsumerGroup = ClassicGroup(context)

    def settle(self, clients: Sequence[Client], generation: int) -> None:
        """Take members that joined long ago; the group is at rest in that generation, or epoch."""
        if all(client.is_classic for client in clients):
            group = ClassicGroup(self.context)
            for client in clients:
                assert isinstance(client, ClassicClient)
                client.settle(generation)
                assert client.member_id is not None
                group.admit(
                    ClassicMember(client, client.member_id, client.number, assignment=client.owned)
                )
            group.settle(generation)
            self.group = group
            return
        self.group = consumer_group = ConsumerGroup(self, generation)
        for client in clients:
            assert client.member_id is not None
            if isinstance(client, ClassicClient):
                client.settle(generation)
            member = ConsumerMember(client, client.member_id, client.number, topics=client.topics)
            self._take_over(consumer_group, member, client.owned)
        consumer_group.topic_sizes = consumer_group.sizes()

    @property
    def consumer_group(self) -> ConsumerGroup | None:
        """The group, unless it is one of the classic protocol at present."""
        return self.group if isinstance(self.group, ConsumerGroup) else None

    def for_classics(self) -> ClassicGroup | ConsumerGroup:
        """The group for a member of the classic protocol; an empty one is of its kind."""
        if isinstance(self.group, ConsumerGroup) and not self.group.members:
            group = ClassicGroup(self.context)
            group.generation = self.group.epoch
            self.group = group
        return self.group

    def for_consumers(self) -> ConsumerGroup:
        """The group for a member of KIP-848: the first one turns a classic group.

        What its members were given counts as what they have (ConsumerGroup.fromClassicGroup).
        """
        if isinstance(self.group, ConsumerGroup):
            return self.group
        old = self.group
        group = ConsumerGroup(self, max(old.generation, 1))
        self.group = group
        if old.members:
            self.context.log("converted_to_consumer")
        for session in old.members.values():
            member = ConsumerMember(
                session.client, session.member_id, session.identity, topics=session.client.topics
            )
            self._take_over(group, member, session.assignment)
        group.seen_version = UNSEEN  # its topics' metadata is new to it, so that it counts on
        old.disband()
        group.restart_sessions()
        return group

    def _take_over(self, group: ConsumerGroup, member: ConsumerMember, owned: Parts) -> None:
        member.current = Current(group.epoch, group.epoch, assigned=owned)
        group.admit(member, owned)
        group.holder.update(dict.fromkeys(owned, member.member_id))

    def turns_back(self, *, rebalance: bool) -> bool:
        """Whether only classic members are left: the group is classic again.

        It rebalances where one has left, and not where one is back with the classic protocol.
        """
        group = self.consumer_group
        if group is None or not group.members:
            return False
        if not all(member.client.is_classic for member in group.members.values()):
            return False
        self.context.log("converted_to_classic")
        turned = ClassicGroup(self.context)
        self.group = turned
        for session in group.members.values():
            assert isinstance(session.client, ClassicClient)
            inputs = group.target[session.member_id]
            turned.admit(
                ClassicMember(
                    session.client, session.member_id, session.identity, assignment=inputs
                )
            )
        turned.settle(group.epoch)
        group.disband()
        turned.restart_sessions()
        if rebalance:
            turned.prepare("downgrade")
        else:
            turned.await_the_late()
        return True
