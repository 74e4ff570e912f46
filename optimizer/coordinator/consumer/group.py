"""The coordinator's side of KIP-848 (GroupMetadataManager, ConsumerGroup)."""

from optimizer.coordinator.assignors import Parts, candidates
from optimizer.coordinator.classic.client import ClassicClient
from optimizer.coordinator.consumer.client import ConsumerClient
from optimizer.coordinator.consumer.sessions import UNRELEASED, UNREVOKED, ConsumerMember
from optimizer.coordinator.consumer.targets import ConsumerTargets
from optimizer.coordinator.context import NONE

UNSEEN = -1
"""In place of a version of topics: none has been examined yet."""


class ConsumerGroup(ConsumerTargets):
    """Epochs, a target, and members on their way to it. Classic members may be among them."""

    def joins(self, client: ConsumerClient) -> Parts | None:
        """The first heartbeat of a member; what it may read.

        A static one takes the place of its instance id's member, who must have said that it would
        be back, unless it used the classic protocol.
        """
        assert client.member_id is not None
        old = self.of_instance(client.instance_id)
        if old is not None and not old.away and not old.client.is_classic:
            self.context.log("static_refused", client.name, member_id=client.member_id)
            client.die("UNRELEASED_INSTANCE_ID")
            return None
        if old is not None:
            member = self._replace(old, client)
        else:
            what = "member_added" if client.instance_id is None else "static_added"
            self.context.log(what, client.name, member_id=client.member_id)
            member = ConsumerMember(client, client.member_id, client.number)
            self.admit(member, NONE)
        return self._settle(member, owned=NONE, joins=True)

    def beats(self, client: ConsumerClient) -> Parts | None:
        """A heartbeat; what it may read now, if that is another than before."""
        member = self.member_of(client)
        if member is None:
            client.on_fenced()
            return None
        owned = None if client.reconciling else client.owned
        return self._settle(member, owned=owned)

    def hand_out_id(self, client: ClassicClient) -> None:
        """A dynamic newcomer of the classic protocol gets an id first."""
        self.pending.add(client.take_id())

    def join(self, client: ClassicClient) -> None:
        """A JoinGroup: answered at once, without waiting for anybody."""
        old = self.of_instance(client.instance_id)
        if old is not None and client.member_id not in (None, old.member_id):
            client.die("FENCED_INSTANCE_ID")
            return
        member_id = client.member_id or client.take_id()
        self.pending.discard(member_id)
        if not self._fits(client):
            self.context.log("join_error", client.name, why="INCONSISTENT_GROUP_PROTOCOL")
            client.die("INCONSISTENT_GROUP_PROTOCOL")
            return
        member = self.members.get(member_id)
        self.context.log("member_added", client.name, member_id=member_id)
        if member is None and old is not None:
            member = self._replace(old, client)
        elif member is None:
            member = ConsumerMember(client, member_id, client.number)
            self.admit(member, NONE)
        self._settle(member, owned=client.owned)
        epoch, inputs = member.current.epoch, member.current.assigned
        if old is not None and self.coordinator.turns_back(rebalance=False):
            epoch, inputs = self.epoch, self.target[member_id]
        client.on_joined(epoch)
        client.on_synced(epoch, inputs, None)
        client.beat_set = False
        self.wake(client)

    def _fits(self, client: ClassicClient) -> bool:
        """Whether it offers an assignor that all others of the classic protocol do as well."""
        old = self.of_instance(client.instance_id)
        others = {
            member.client.settings.assignors
            for member in self.members.values()
            if member.client.is_classic and member is not old and member.client is not client
        }
        return not others or bool(candidates(others) & {*client.settings.assignors})

    def heartbeat(self, client: ClassicClient) -> None:
        """A classic member's heartbeat: the answer is to join again where it lags behind."""
        member = self.members.get(client.member_id or "")
        if member is None and self.of_instance(client.instance_id) is not None:
            client.die("FENCED_INSTANCE_ID")
            return
        if member is None:
            client.forget("UNKNOWN_MEMBER_ID", new_id=True)
            return
        current = member.current
        released = current.state == UNRELEASED and all(
            self.holder.get(partition, member.member_id) == member.member_id
            for partition in self.target[member.member_id]
        )
        if current.epoch < self.target_epoch or current.state == UNREVOKED or released:
            client.want_rejoin("group is already rebalancing")
        self.wake(client)

    def catches_up(self, client: ClassicClient) -> None:
        """A client's heartbeats are examined as long as anything is on its way."""

    def leader_sees(self, client: ClassicClient) -> None:
        """Nobody leads here."""
