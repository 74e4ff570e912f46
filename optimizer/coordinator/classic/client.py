"""A consumer of the classic protocol (AbstractCoordinator, ConsumerCoordinator)."""

from __future__ import annotations

from typing import Any

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.client import Client
from optimizer.coordinator.context import NONE
from optimizer.coordinator.protocols import CoordinatorOfClassic, GroupOfClassic

SAME_MS = 0.001
"""Times that lie closer together are the same."""


class ClassicClient(Client):
    """Joins, syncs, beats and leaves; eager or cooperative by its own list of assignors."""

    is_classic = True

    def __init__(
        self, coordinator: CoordinatorOfClassic[ClassicClient], *arguments: Any, **named: Any
    ) -> None:
        super().__init__(coordinator.context, *arguments, **named)
        self.coordinator = coordinator
        self.beat_interval = self.settings.heartbeat_ms
        self.session_ms = self.settings.session_ms
        self.generation = -1
        self.rejoining = True
        self.version = self.context.catalog.version
        self.sticky: tuple[Parts, int] = (NONE, -1)
        self.sent_join = -1.0
        self.joined_topics = self.topics
        self._match()

    @property
    def group(self) -> GroupOfClassic[ClassicClient]:
        return self.coordinator.group

    @property
    def rests(self) -> bool:
        return self.rejoining or super().rests

    @property
    def busy(self) -> bool:
        """Whether it is on its way into the group."""
        return self.rejoining

    def settle(self, generation: int) -> None:
        """A client that joined long ago."""
        self.generation = generation
        self.rejoining = False
        self.sticky = self.owned, generation

    # Joining.

    def begin(self) -> None:
        """The first request reaches the coordinator: a dynamic member's only gets an id."""
        if not self.alive:
            return
        self.version = self.context.catalog.version
        self._match()
        self.coordinator.for_classics()
        if self.instance_id is None:
            self.member_id = None
            self.group.hand_out_id(self)
            self.context.after(self.context.delays.round_trip, self.send_join)
        else:
            self.send_join()

    def send_join(self) -> None:
        """JoinGroup, in poll()."""
        if self.frozen_until > self.context.now:
            self.context.clock.at(self.frozen_until, self.send_join)
        elif self.alive and not self.expired_poll:
            self.sent_join = self.context.now
            self.joined_topics = self.topics
            self.group.join(self)

    def want_rejoin(self, why: str) -> None:
        """The member has to join again, at its next poll()."""
        if not self.rejoining and self.alive:
            self.committed = self.last_commit()
            self.rejoining = True
            self.context.log("rejoin_wanted", self.name, why=why)
            self.when_polling(self.prepare_join)

    def prepare_join(self) -> None:
        """Commit, give up what has to be given up, join (ConsumerCoordinator.onJoinPrepare)."""
        if not self.rejoining or self.expired_poll or self.member_id is None:
            return
        self.commit()
        given_up = self.owned
        if self.settings.cooperative:
            given_up -= self.context.catalog.of_topics(self.topics)
        delay = self.context.delays.round_trip
        if given_up or (self.generation >= 0 and not self.settings.cooperative):
            self.revoke(given_up, committed=True)
        if given_up and self.settings.revoke_ms:
            delay += self.settings.revoke_ms
            self.call_back(self.settings.revoke_ms)
        expected = self.context.now + delay
        earliest = max(expected - self.context.delays.round_trip - SAME_MS, self.sent_join)
        sent = self.context.chance.time("join", self.name, expected, earliest)
        self.context.clock.at(sent, self._join_if_member)

    def _join_if_member(self) -> None:
        """All is given up; the membership may have ended meanwhile."""
        if self.member_id is not None:
            self.send_join()

    def call_back(self, for_ms: float) -> None:
        super().call_back(for_ms)
        if for_ms > self.settings.max_poll_ms:
            self.context.after(self.settings.max_poll_ms, self.poll_timeout)
            self.context.after(for_ms, self.return_late)

    def revoke(self, partitions: Parts, *, committed: bool) -> None:
        """onPartitionsRevoked."""
        self.stop_reading(partitions, committed=committed, in_rebalance=True)
        self.context.log("revoked", self.name, generation=self.generation, partitions=partitions)
        self.owned -= partitions

    def on_joined(self, generation: int) -> None:
        """The join phase is over: heartbeats start again, in step with everybody's."""
        self.generation = generation
        self.beats_from = self.sign_of_life = self.context.now + 1

    def on_synced(self, generation: int, partitions: Parts, protocol: str | None) -> None:
        """The assignment is here; the application hears of it in poll()."""
        self.when_polling(self._complete, generation, partitions, protocol)

    def sync_refused(self) -> None:
        """Another rebalance began before the assignment was there."""
        if self.alive:
            self.rejoining = False
            self.want_rejoin("rebalance in progress")

    def _complete(self, generation: int, partitions: Parts, protocol: str | None) -> None:
        """ConsumerCoordinator.onJoinComplete."""
        if generation != self.generation or self.member_id is None:
            return
        self.rejoining = False
        if protocol == "sticky":
            self.sticky = partitions, generation
        if not partitions <= self.context.catalog.of_topics(self.topics):
            self.want_rejoin("the assignment doesn't match the subscription")
            return
        revoked = self.owned - partitions
        if not revoked:
            self._take(generation, partitions, revoked)
            return
        self.rejoining = True
        self.revoke(revoked, committed=False)
        busy = self.settings.revoke_ms
        if busy:
            self.context.ledger.stop(self.context.now, self.number, sorted(self.owned))
            self.context.after(busy, self.when_polling, self._take, generation, partitions, revoked)
            self.call_back(busy)
        else:
            self._take(generation, partitions, revoked)

    def _take(self, generation: int, partitions: Parts, revoked: Parts) -> None:
        """onPartitionsAssigned; who had to revoke something joins again at once."""
        if self.expired_poll:
            # told all the same, though the membership ended while it gave up the others
            added, self.owned = partitions - self.owned, partitions
            self.context.log("assigned", self.name, generation=generation, partitions=added)
            return
        if generation != self.generation or self.member_id is None:
            return
        self.rejoining = False
        added = partitions - self.owned
        self.read(self.owned)
        self.owned = partitions
        self.committed = self.context.now
        self.context.log("assigned", self.name, generation=generation, partitions=added)
        self.group.own(self, added)
        self.read(added, self.context.delays.fetch)
        if revoked:
            self.want_rejoin("partitions were revoked")
        elif self.topics != self.joined_topics:
            self.want_rejoin("the subscription changed")
        else:
            self.group.catches_up(self)
            self.group.leader_sees(self)

    # Heartbeats and metadata.

    def _send_beat(self) -> None:
        self.group.heartbeat(self)

    def forget(self, why: str, *, new_id: bool) -> None:
        """Drop the generation that the coordinator no longer knows, and the id if `new_id`."""
        if new_id:
            self.member_id = None
        self.generation = -1
        self.rejoining = True
        self.when_polling(self.lose_and_return, why)

    def return_to_group(self) -> None:
        if self.returning:
            return
        self.returning = True
        self.rejoining = True
        self.context.after(self.context.delays.round_trip, self._return)

    def _return(self) -> None:
        self.returning = False
        if self.member_id is None:
            self.begin()
        else:
            self.send_join()

    def look_at_metadata(self) -> None:
        """Metadata is fresh: topics may match a pattern; else only the leader draws conclusions."""
        self.version = self.context.catalog.version
        if self.alive and self._match():
            self.want_rejoin("the subscription changed")
        elif self.alive:
            self.group.leader_sees(self)

    def _match(self) -> bool:
        """Subscribe to the topics that a pattern matches, as it does by itself; whether others."""
        before = self.topics
        if self.pattern is not None:
            self.topics = self.context.catalog.matching(self.pattern)
        return self.topics != before

    def subscribe(self, topics: tuple[str, ...]) -> None:
        """The application subscribes to other topics."""
        if self.alive:
            self.topics = topics
            self.version = self.context.catalog.version
            self.want_rejoin("the subscription changed")

    # The end.

    def poll_timeout(self) -> None:
        busy = max(self.blocked_until, self.called_until) > self.context.now
        if not self.alive or not busy or self.member_id is None:
            return
        self.context.log("poll_timeout", self.name)
        self.sign_of_life = max(self.sign_of_life, self.last_beat())
        self.expired_poll = True
        if self.instance_id is None:
            self.group.leave(self.member_id)
        else:
            self.group.falls_silent(self)
        self.member_id, self.generation = None, -1
        self.rejoining = True

    def last_sign_at_close(self, delay_ms: float) -> float:
        commits = self.owned and self.settings.auto_commit
        return self.context.now + delay_ms if commits else self.sign_of_life

    def log_revoked_at_close(self) -> None:
        what = "lost" if self.rejoining else "revoked"
        self.context.log(what, self.name, generation=self.generation, partitions=self.owned)

    def say_goodbye_after(self, delay: float, leave: bool | None) -> None:
        if leave is None:
            leave = self.instance_id is None
        if self.member_id is not None and leave:
            self.context.after(delay, self.group.leave, self.member_id)
        else:
            self.group.falls_silent(self)

    def leave_late(self) -> None:
        self.poll_timeout()
