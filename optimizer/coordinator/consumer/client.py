"""A consumer of KIP-848 (AbstractMembershipManager, AbstractHeartbeatRequestManager)."""

from __future__ import annotations

from typing import Any

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.client import Client
from optimizer.coordinator.context import NONE
from optimizer.coordinator.protocols import CoordinatorOfConsumer, GroupOfConsumer


class ConsumerClient(Client):
    """Beats, hears what to own, gets there inside poll(), acknowledges."""

    def __init__(
        self, coordinator: CoordinatorOfConsumer[ConsumerClient], *arguments: Any, **named: Any
    ) -> None:
        super().__init__(coordinator.context, *arguments, **named)
        self.coordinator = coordinator
        self.beat_interval = self.context.broker.heartbeat_ms
        self.session_ms = self.context.broker.session_ms
        self.wanted: Parts | None = None
        self.reconciling = False

    @property
    def group(self) -> GroupOfConsumer[ConsumerClient] | None:
        return self.coordinator.consumer_group

    @property
    def busy(self) -> bool:
        """Whether it is on its way into the group, or to what it shall own."""
        return self.reconciling or self.member_id is None

    # Heartbeats.

    def begin(self) -> None:
        """The first heartbeat reaches the coordinator."""
        self.returning = False
        if not self.alive:
            return
        if self.member_id is None:
            self.take_id()
        self.beats_from = self.sign_of_life = self.context.now
        self.beat_set = False
        self.answer(self.coordinator.for_consumers().joins(self))

    def answer(self, wanted: Parts | None) -> None:
        """Take what a heartbeat was answered: None where nothing is new."""
        self.sign_of_life = self.context.now
        if wanted is not None and self.alive:
            self.wanted = wanted
            if not self.reconciling:
                self.reconciling = True
                self.when_polling(self._reconcile)
        if self.group is not None:
            self.group.wake(self)

    def _send_beat(self) -> None:
        if self.group is None:
            self.on_fenced()
        else:
            self.answer(self.group.beats(self))

    def on_fenced(self) -> None:
        """The coordinator doesn't know it any more: partitions are lost, it joins again."""
        self.wanted, self.reconciling, self.giving_up = None, False, NONE
        self.when_polling(self.lose_and_return, "fenced")

    def return_to_group(self) -> None:
        if self.returning:
            return
        self.returning = True
        self.wanted, self.reconciling, self.giving_up = None, False, NONE
        expected = self.context.now + self.context.delays.round_trip
        self.context.clock.at(
            self.context.chance.time("rejoined", self.name, expected, self.context.now), self.begin
        )

    # Reconciliation.

    def _reconcile(self) -> None:
        """Give up what isn't wanted any more, take what is, inside poll()."""
        if not self.reconciling or self.wanted is None:
            return
        wanted = self.wanted
        takes = self.context.delays.reconcile
        revoked = self.owned - wanted
        self.giving_up = revoked
        if revoked:
            self.commit()
            self.stop_reading(revoked, committed=True, in_rebalance=True)
            self.context.log("revoked", self.name, partitions=revoked)
            if self.settings.revoke_ms:
                self.context.ledger.stop(self.context.now, self.number, sorted(self.owned))
                takes = max(takes, self.settings.revoke_ms)
                self.call_back(self.settings.revoke_ms)
        now = self.context.now
        ends = self.context.chance.time("reconciled", self.name, now + takes, now)
        self.context.clock.at(ends, self.when_polling, self._finish, wanted)

    def _finish(self, wanted: Parts) -> None:
        if not self.reconciling or self.member_id is None:
            return
        added = wanted - self.owned
        self.read(self.owned & wanted)
        self.owned, self.giving_up = wanted, NONE
        self.context.log("assigned", self.name, partitions=added)
        if self.group is not None:
            self.group.own(self, added)
        self.read(added, self.context.delays.fetch)
        self.reconciling = False
        newer = self.wanted if self.wanted != wanted else None
        expected = self.context.now + self.context.delays.round_trip
        self.beats_from = self.context.chance.time("request", self.name, expected, self.context.now)
        self.beat_set = False
        self.context.clock.at(self.beats_from, self._acknowledge, newer)

    def _acknowledge(self, newer: Parts | None) -> None:
        """The heartbeat that says that all is as it should be."""
        self.beat()
        if newer is not None and not self.reconciling:
            self.answer(newer)

    # What the application does.

    def subscribe(self, topics: tuple[str, ...]) -> None:
        """Other topics: they go out with the next regular heartbeat."""
        if self.alive:
            self.topics = topics
            if self.group is not None:
                self.group.will_subscribe(self)

    def look_at_metadata(self) -> None:
        """The coordinator looks by itself."""

    def poll_timeout(self) -> None:
        """The next heartbeat says that the member leaves, or is away."""
        if self.alive and self.blocked_until > self.context.now:
            self.context.clock.at(self.next_beat(), self.leave_late)

    def leave_late(self) -> None:
        if not self.alive or self.blocked_until <= self.context.now or self.expired_poll:
            return
        self.expired_poll = True
        self.wanted, self.reconciling, self.giving_up = None, False, NONE
        self.context.log("poll_timeout", self.name)
        self.sign_of_life = self.last_beat()
        self._say_goodbye(leave=None)

    # The end.

    def _say_goodbye(self, *, leave: bool | None) -> None:
        group = self.group
        if self.member_id is None or group is None:
            return
        if self.instance_id is None or leave:
            group.leave(self.member_id)
        else:
            group.leaves_for_now(self)

    def last_sign_at_close(self, delay_ms: float) -> float:
        return min(self.sign_of_life, self.context.now)

    def log_revoked_at_close(self) -> None:
        self.context.log("revoked", self.name, partitions=self.owned)

    def say_goodbye_after(self, delay: float, leave: bool | None) -> None:
        self.context.after(delay, self._finish_closing, leave)

    def _finish_closing(self, leave: bool | None) -> None:
        self._say_goodbye(leave=leave)
        self.owned = NONE
