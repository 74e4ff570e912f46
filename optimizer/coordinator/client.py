"""A consumer process: what both protocols have in common."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.observed import LATEST_BEAT_MS, Observed
from optimizer.coordinator.settings import ClientSettings
from optimizer.coordinator.world import NONE, World


class Client:
    """One life of a process, from its start to its end; a restart makes another one.

    `number` is its own in the run; a static member that replaces another takes over the number, as
    it takes over the partitions.
    """

    def __init__(
        self,
        world: World,
        name: str,
        topics: tuple[str, ...],
        settings: ClientSettings,
        *,
        instance_id: str | None = None,
        rack: str | None = None,
        member_id: str | None = None,
        pattern: str | None = None,
    ) -> None:
        self.world = world
        self.name = name
        self.topics = topics
        self.settings = settings
        self.instance_id = instance_id
        self.rack = rack
        self.capacity = world.scenario.capacities.get(name)
        self.pattern = pattern
        self.future_id = member_id
        self.member_id: str | None = None
        self.number = len(world.names)
        world.names.append(name)
        self.owned: Parts = NONE
        self.alive = True
        self.blocked_until = 0.0
        self.called_until = 0.0
        self.last_poll = math.inf
        self.expired_poll = False
        self.replaced = False
        self.blocked_from = 0.0
        self.returning = False
        self.committed = world.now
        self.sign_of_life = world.now
        self.beats_from = world.now
        self.beat_set = False

    # What the application does.

    def when_polling(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do something inside poll(): at once, unless the application is busy."""
        busy_until = max(self.blocked_until, self.called_until)
        if busy_until > self.world.now:
            self.world.clock.at(busy_until, self.when_polling, action, *arguments)
        elif self.alive:
            action(*arguments)

    def block(self, for_ms: float) -> None:
        """The application doesn't poll from now on."""
        if not self.alive:
            return
        world = self.world
        until = world.now + for_ms
        self.sign_of_life = max(self.sign_of_life, self.last_commit())
        self.committed = self.last_commit()
        if self.blocked_until < world.now:
            self.blocked_from = world.now
        self.blocked_until = max(self.blocked_until, until)
        world.tell("block_begin", self.name)
        world.ledger.stop(world.now, self.number, self.owned)
        if for_ms > self.settings.max_poll_ms:
            world.clock.at(world.now + self.settings.max_poll_ms, self.poll_timeout)
        world.clock.at(until, self.unblock)

    def unblock(self) -> None:
        """It polls again."""
        if not self.alive or self.blocked_until > self.world.now:
            return
        self.world.tell("block_end", self.name)
        if self.expired_poll:
            self.return_late()
        else:
            self.read(self.owned)

    def return_late(self) -> None:
        """It polls again, but its membership has ended meanwhile."""
        if self.alive and self.expired_poll and self.blocked_until <= self.world.now:
            self.expired_poll = False
            self.lose("poll timeout")
            self.return_to_group()

    def call_back(self, for_ms: float) -> None:
        """The application is in a callback, inside of poll(), for so long."""
        self.called_until = self.world.now + for_ms

    def poll_timeout(self) -> None:
        """max.poll.interval.ms is over: the client's own thread gives the membership up."""
        raise NotImplementedError

    def return_to_group(self) -> None:
        """Join as one that has no membership any more."""
        raise NotImplementedError

    # Reading.

    def read(self, partitions: Iterable[int], after: float = 0) -> None:
        """Fetch from these partitions, from then on that the first records are here."""
        if partitions:
            self.world.clock.at(self.world.now + after, self._begin, frozenset(partitions))

    def _begin(self, partitions: Parts) -> None:
        if self.alive and self.blocked_until <= self.world.now:
            readable = self.reads & partitions - self.world.away - self.world.gone
            self.world.ledger.start(self.world.now, self.number, sorted(readable))

    @property
    def reads(self) -> Parts:
        """What it fetches from, of what it owns."""
        return self.owned

    def stop_reading(
        self, partitions: Parts, *, committed: bool, in_rebalance: bool = False
    ) -> None:
        """Give partitions up; what wasn't committed will be read again."""
        if not committed:
            world = self.world
            world.ledger.reread(world.now, self.number, partitions, self.last_commit())
        self.world.ledger.stop(
            self.world.now,
            self.number,
            sorted(partitions),
            in_rebalance=in_rebalance,
            committed=committed and self.settings.auto_commit,
        )

    def last_commit(self) -> float:
        """When positions were committed last: each commit interval, inside poll()."""
        if not self.settings.auto_commit or not self.owned or self.rests:
            return self.committed
        until = min(self.world.now, self.last_poll)
        interval = max(self.settings.commit_ms, 1)
        return max(
            self.committed,
            self.committed + math.floor(max(until - self.committed, 0) / interval) * interval,
        )

    @property
    def rests(self) -> bool:
        """Whether periodic commits rest: up to the poll() that ends a block, or once replaced."""
        return self.replaced or self.blocked_until >= self.world.now

    def mark_replaced(self) -> None:
        """Another process has its instance id: the coordinator takes no commit of it any more."""
        self.committed = self.last_commit()
        self.replaced = True

    def commit(self) -> None:
        """Commit the positions now: at the end of a block, before anything is read again."""
        if self.settings.auto_commit and self.owned and not self.replaced:
            ends_block = self.blocked_until == self.world.now
            self.committed = self.blocked_from if ends_block else self.world.now
            self.sign_of_life = self.world.now

    def lose(self, why: str) -> None:
        """The membership is gone: partitions are lost, without a commit."""
        if self.owned:
            self.stop_reading(self.owned, committed=False)
            self.world.tell("lost", self.name, partitions=self.owned, why=why)
        self.owned = NONE

    # Heartbeats.

    def next_beat(self) -> float:
        """When its next regular heartbeat goes out."""
        interval = self.beat_interval + self.world.delays.late
        passed = math.floor((self.world.now - self.beats_from) / interval)
        due = self.beats_from + passed * interval
        # one that should be over may be late
        late = self._observed_beat(due) if passed > 0 else None
        following = due + interval if passed > 0 else self.beats_from + interval
        observed = late or self._observed_beat(following)
        if observed is not None:
            return observed
        within = self.latest_phase(round((following - self.beats_from) / interval))
        return self.observed.phase(self.name, following, self.world.now, self.beat_interval, within)

    def _observed_beat(self, expected: float) -> float | None:
        """The observed heartbeat that was expected then, if it is still to come."""
        after = max(self.beats_from, self.world.now)
        return self.observed.beat(self.name, expected, after, self.latest_beat)

    @property
    def observed(self) -> Observed:
        """What was observed of the run."""
        return self.world.scenario.observed

    @property
    def latest_beat(self) -> float:
        """How much later than expected an observed heartbeat may be."""
        return LATEST_BEAT_MS

    def latest_phase(self, beats: int) -> float:
        """The same of one that wasn't observed, by its phase; `beats`: since the last known one."""
        return LATEST_BEAT_MS / 2

    def last_beat(self) -> float:
        """When its last one went out, at the start of the membership at the earliest."""
        interval = self.beat_interval + self.world.delays.late
        beats = math.floor((self.world.now - self.beats_from) / interval)
        return self.beats_from + max(beats, 0) * interval

    def next_sign(self) -> float:
        """When it speaks to the coordinator next: a heartbeat, or a commit."""
        commit = self.last_commit() + self.settings.commit_ms
        if not self.owned or not self.settings.auto_commit or commit <= self.world.now:
            return self.next_beat()
        return min(self.next_beat(), commit)

    @property
    def beat_interval(self) -> float:
        """Milliseconds between heartbeats."""
        raise NotImplementedError

    # The end.

    def die(self, why: str) -> None:
        """A fatal error: the application ends."""
        if self.alive:
            self.world.tell("error", self.name, why=why)
            self.lose(why)
            self.alive = False
