"""A consumer of KIP-848 (AbstractMembershipManager, AbstractHeartbeatRequestManager)."""

from __future__ import annotations

from typing import Any

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.client import Client
from optimizer.coordinator.coordinator import Coordinator
from optimizer.coordinator.modern_group import ModernGroup
from optimizer.coordinator.observed import EARLIEST_MS
from optimizer.coordinator.world import NONE

DRIFT_MS = 100
"""How much later than due each heartbeat may be, by which all later ones are late as well."""

LATEST_UNWATCHED_MS = 1_000
"""How much later than expected a heartbeat may be of which most aren't observed."""


class ModernClient(Client):
    """Beats, is told what to own, gets there inside poll(), acknowledges."""

    def __init__(self, coordinator: Coordinator, *arguments: Any, **named: Any) -> None:
        super().__init__(coordinator.world, *arguments, **named)
        self.coordinator = coordinator
        self.wanted: Parts | None = None
        self.reconciling = False
        self.giving_up: Parts = NONE

    @property
    def group(self) -> ModernGroup | None:
        """The group, unless it is one of the classic protocol at present."""
        group = self.coordinator.group
        return group if isinstance(group, ModernGroup) else None

    @property
    def beat_interval(self) -> float:
        return self.world.broker.heartbeat_ms

    @property
    def latest_beat(self) -> float:
        """Nearly an interval: a heartbeat that wasn't observed has changed nothing."""
        most = LATEST_UNWATCHED_MS + self.observed.held_up_ms
        return min(self.beat_interval - EARLIEST_MS, most)

    def latest_phase(self, beats: int) -> float:
        return super().latest_phase(beats) + beats * DRIFT_MS

    @property
    def reads(self) -> Parts:
        return self.owned - self.giving_up

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
            self.member_id = self.future_id or self.world.new_id()
        self.beats_from = self.sign_of_life = self.world.now
        self.beat_set = False
        self.answer(self.coordinator.for_consumers().joins(self))

    def answer(self, wanted: Parts | None) -> None:
        """What a heartbeat was answered: None where nothing is new."""
        self.sign_of_life = self.world.now
        if wanted is not None and self.alive:
            self.wanted = wanted
            if not self.reconciling:
                self.reconciling = True
                self.when_polling(self._reconcile)
        if self.group is not None:
            self.group.wake(self)

    def beat(self) -> None:
        """A regular heartbeat."""
        self.beats_from = self.world.now
        if not self.alive or self.expired_poll or self.member_id is None:
            return
        if self.group is None:
            self.fenced()
        else:
            self.answer(self.group.beats(self))

    def fenced(self) -> None:
        """The coordinator doesn't know it any more: partitions are lost, it joins again."""
        self.wanted, self.reconciling, self.giving_up = None, False, NONE
        self.when_polling(self._rejoin, "fenced")

    def _rejoin(self, why: str) -> None:
        self.lose(why)
        self.return_to_group()

    def return_to_group(self) -> None:
        if self.returning:
            return
        self.returning = True
        self.wanted, self.reconciling, self.giving_up = None, False, NONE
        expected = self.world.now + self.world.delays.round_trip
        self.world.clock.at(self.observed.rejoined(self.name, expected, self.world.now), self.begin)

    # Reconciliation.

    def _reconcile(self) -> None:
        """Give up what isn't wanted any more, take what is, inside poll()."""
        if not self.reconciling or self.wanted is None:
            return
        wanted = self.wanted
        takes = self.world.delays.reconcile
        revoked = self.owned - wanted
        self.giving_up = revoked
        if revoked:
            self.commit()
            self.stop_reading(revoked, committed=True, in_rebalance=True)
            self.world.tell("revoked", self.name, partitions=revoked)
            if self.settings.revoke_ms:
                self.world.ledger.stop(self.world.now, self.number, sorted(self.owned))
                takes = max(takes, self.settings.revoke_ms)
                self.call_back(self.settings.revoke_ms)
        now = self.world.now
        ends = self.observed.reconciliation(self.name, now + takes, now)
        self.world.clock.at(ends, self.when_polling, self._finish, wanted)

    def _finish(self, wanted: Parts) -> None:
        if not self.reconciling or self.member_id is None:
            return
        added = wanted - self.owned
        self.read(self.owned & wanted)
        self.owned, self.giving_up = wanted, NONE
        self.world.tell("assigned", self.name, partitions=added)
        if self.group is not None:
            self.group.own(self, added)
        self.read(added, self.world.delays.fetch)
        self.reconciling = False
        newer = self.wanted if self.wanted != wanted else None
        expected = self.world.now + self.world.delays.round_trip
        self.beats_from = self.observed.request(self.name, expected, self.world.now)
        self.beat_set = False
        self.world.clock.at(self.beats_from, self._acknowledge, newer)

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
        if self.alive and self.blocked_until > self.world.now:
            self.world.clock.at(self.next_beat(), self._leave_for_now)

    def _leave_for_now(self) -> None:
        if not self.alive or self.blocked_until <= self.world.now or self.expired_poll:
            return
        self.expired_poll = True
        self.wanted, self.reconciling, self.giving_up = None, False, NONE
        self.world.tell("poll_timeout", self.name)
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

    def close(
        self, leave: bool | None, delay_ms: float = 0, silent_ms: float | None = None
    ) -> None:
        """close(): commit, revoke, a last heartbeat."""
        if not self.alive:
            return
        world = self.world
        self.last_poll = world.now
        self.sign_of_life = max(self.sign_of_life, self.last_beat())
        self.commit()
        self.sign_of_life = min(self.sign_of_life, world.now)
        if silent_ms is not None:
            self.sign_of_life = world.now - silent_ms
        self.alive = False
        world.tell("closing", self.name)
        delay = world.delays.round_trip + delay_ms
        if self.owned:
            world.tell("revoked", self.name, partitions=self.owned)
            world.ledger.stop(world.now, self.number, sorted(self.owned))
            delay += self.settings.revoke_ms
        world.clock.at(world.now + delay, self._closed, leave)

    def _closed(self, leave: bool | None) -> None:
        self._say_goodbye(leave=leave)
        self.owned = NONE

    def commit(self) -> None:
        """Commits are no signs of life here."""
        sign_of_life = self.sign_of_life
        super().commit()
        self.sign_of_life = sign_of_life

    def kill(self, silent_ms: float | None = None) -> None:
        """The process is gone without a word."""
        if not self.alive:
            return
        self.sign_of_life = max(self.sign_of_life, self.last_beat())
        if silent_ms is not None:
            self.sign_of_life = self.world.now - silent_ms
        self.stop_reading(self.owned, committed=False)
        self.alive = False
        self.last_poll = self.world.now
        self.world.tell("killed", self.name)
        if self.group is not None:
            self.group.falls_silent(self)
