"""A consumer process: what both protocols have in common."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any

from optimizer.coordinator.assignors import Parts
from optimizer.coordinator.context import NONE, Context
from optimizer.coordinator.protocols import ClientRequests
from optimizer.settings import ClientSettings


class Client(ABC):
    """One life of a process, from its start to its end; a restart makes another one.

    `number` is its own in the run; a static member that replaces another takes over the number, as
    it takes over the partitions.
    """

    is_classic = False
    beat_interval: float
    """Milliseconds between heartbeats."""
    session_ms: float
    """How long it may be silent."""

    def __init__(
        self,
        context: Context,
        name: str,
        topics: tuple[str, ...],
        config: ClientSettings,
        *,
        instance_id: str | None = None,
        rack: str | None = None,
        member_id: str | None = None,
        pattern: str | None = None,
    ) -> None:
        self.context = context
        self.name = name
        self.topics = topics
        self.settings = config
        self.instance_id = instance_id
        self.rack = rack
        self.capacity = context.scenario.capacities.get(name)
        self.pattern = pattern
        self.future_id = member_id
        self.member_id: str | None = None
        self.number = len(context.names)
        context.names.append(name)
        self.owned: Parts = NONE
        self.giving_up: Parts = NONE
        self.alive = True
        self.blocked_until = 0.0
        self.called_until = 0.0
        self.frozen_until = 0.0
        self.last_poll = math.inf
        self.expired_poll = False
        self.replaced = False
        self.blocked_from = 0.0
        self.returning = False
        self.committed = context.now
        self.sign_of_life = context.now
        self.beats_from = context.now
        self.beat_set = False

    def take_id(self, beginning: str = "") -> str:
        """Give the client its id: the one that it will have, if known, or else a random one."""
        self.member_id = self.future_id or f"{beginning}{self.context.new_id()}"
        self.future_id = None
        return self.member_id

    # What the application does.

    def when_polling(self, action: Callable[..., None], *arguments: Any) -> None:
        """Do something inside poll(): at once, unless the application is busy."""
        busy_until = max(self.blocked_until, self.called_until)
        if busy_until > self.context.now:
            self.context.clock.at(busy_until, self.when_polling, action, *arguments)
        elif self.alive:
            action(*arguments)

    def block(self, for_ms: float) -> None:
        """The application doesn't poll from now on."""
        if self.alive:
            self._stand_still(for_ms, "block_begin")
            if for_ms > self.settings.max_poll_ms:
                self.context.after(self.settings.max_poll_ms, self.poll_timeout)

    def _stand_still(self, for_ms: float, what: str) -> None:
        """The application does nothing for so long."""
        context = self.context
        until = context.now + for_ms
        self.sign_of_life = max(self.sign_of_life, self.last_commit())
        self.committed = self.last_commit()
        if self.blocked_until < context.now:
            self.blocked_from = context.now
        self.blocked_until = max(self.blocked_until, until)
        context.log(what, self.name)
        context.ledger.stop(context.now, self.number, self.owned)
        context.clock.at(until, self.unblock)

    def unblock(self) -> None:
        """The application polls again."""
        if not self.alive or self.blocked_until > self.context.now:
            return
        self.context.log("block_end", self.name)
        if self.expired_poll:
            self.return_late()
        else:
            self.read(self.owned)

    @property
    def is_silent(self) -> bool:
        """Whether no heartbeat comes from it: it is gone, or stands still."""
        return not self.alive or self.frozen_until > self.context.now

    def freeze(self, for_ms: float) -> None:
        """The whole process stands still from now on, its heartbeats too."""
        if not self.alive:
            return
        last_sign = self.last_sign()
        self._stand_still(for_ms + self.context.delays.round_trip, "freeze_begin")
        self.sign_of_life = last_sign
        self.frozen_until = max(self.frozen_until, self.context.now + for_ms)
        self.context.clock.at(self.frozen_until, self._thaw, self.context.now)
        self.fall_silent()

    def _thaw(self, since: float) -> None:
        """The client's thread is first: a heartbeat, or a goodbye if poll() comes too late."""
        now = self.context.now
        if not self.alive or self.frozen_until > now:
            return
        self.context.log("freeze_end", self.name)
        self.sign_of_life = now
        if self.group is not None:
            self.group.hears(self)
        if now - since > self.settings.max_poll_ms:
            self.leave_late()
        else:
            self.beat()

    @abstractmethod
    def leave_late(self) -> None:
        """Say goodbye since poll() came too late: the membership has ended."""

    def return_late(self) -> None:
        """Poll again, though the membership has ended meanwhile."""
        if self.alive and self.expired_poll and self.blocked_until <= self.context.now:
            self.expired_poll = False
            self.lose("poll timeout")
            self.return_to_group()

    def call_back(self, for_ms: float) -> None:
        """The application is in a callback, inside of poll(), for so long."""
        self.called_until = self.context.now + for_ms

    @abstractmethod
    def begin(self) -> None:
        """The first request reaches the coordinator."""

    @abstractmethod
    def subscribe(self, topics: tuple[str, ...]) -> None:
        """The application subscribes to other topics."""

    @abstractmethod
    def look_at_metadata(self) -> None:
        """The client's metadata is fresh."""

    @abstractmethod
    def poll_timeout(self) -> None:
        """max.poll.interval.ms is over: the client's own thread gives the membership up."""

    @abstractmethod
    def return_to_group(self) -> None:
        """Join as one that has no membership any more."""

    @property
    @abstractmethod
    def busy(self) -> bool:
        """Whether it is on its way into the group, or to what it shall own."""

    # Reading.

    def read(self, partitions: Iterable[int], after: float = 0) -> None:
        """Fetch from these partitions, from then on that the first records are here."""
        if partitions:
            self.context.after(after, self._begin, frozenset(partitions))

    def _begin(self, partitions: Parts) -> None:
        if self.alive and self.blocked_until <= self.context.now:
            reads = self.owned - self.giving_up
            readable = reads & partitions - self.context.away - self.context.gone
            self.context.ledger.start(self.context.now, self.number, sorted(readable))

    def stop_reading(
        self, partitions: Parts, *, committed: bool, in_rebalance: bool = False
    ) -> None:
        """Give partitions up; what wasn't committed will be read again."""
        if not committed:
            context = self.context
            context.ledger.reread(context.now, self.number, partitions, self.last_commit())
        self.context.ledger.stop(
            self.context.now,
            self.number,
            sorted(partitions),
            in_rebalance=in_rebalance,
            committed=committed and self.settings.auto_commit,
        )

    def last_commit(self) -> float:
        """When positions were committed last: each commit interval, inside poll()."""
        if not self.settings.auto_commit or not self.owned or self.rests:
            return self.committed
        until = min(self.context.now, self.last_poll)
        interval = max(self.settings.commit_ms, 1)
        return max(
            self.committed,
            self.committed + math.floor(max(until - self.committed, 0) / interval) * interval,
        )

    @property
    def rests(self) -> bool:
        """Whether periodic commits rest: up to the poll() that ends a block, or once replaced."""
        return self.replaced or self.blocked_until >= self.context.now

    def mark_replaced(self) -> None:
        """Another process has its instance id: the coordinator takes no commit of it any more."""
        self.committed = self.last_commit()
        self.replaced = True

    def commit(self) -> None:
        """Commit the positions now: at the end of a block, before anything is read again."""
        if self.settings.auto_commit and self.owned and not self.replaced:
            ends_block = self.blocked_until == self.context.now
            self.committed = self.blocked_from if ends_block else self.context.now
            if self.is_classic:  # a sign of life in that protocol alone
                self.sign_of_life = self.context.now

    def lose(self, why: str) -> None:
        """The membership is gone: partitions are lost, without a commit."""
        if self.owned:
            self.stop_reading(self.owned, committed=False)
            self.context.log("lost", self.name, partitions=self.owned, why=why)
        self.owned = NONE

    def lose_and_return(self, why: str) -> None:
        """The membership is gone, and the client joins again."""
        self.lose(why)
        self.return_to_group()

    # Heartbeats.

    def next_beat(self) -> float:
        """When its next regular heartbeat goes out."""
        interval = self.beat_interval + self.context.delays.late
        beat = self.context.chance.beat(self, interval, self.context.now)
        return max(beat, self.frozen_until)

    def last_beat(self) -> float:
        """When its last one went out, at the start of the membership at the earliest."""
        interval = self.beat_interval + self.context.delays.late
        beats = math.floor((self.context.now - self.beats_from) / interval)
        return self.beats_from + max(beats, 0) * interval

    def next_sign(self) -> float:
        """When it speaks to the coordinator next: a heartbeat, or a commit."""
        commit = self.last_commit() + self.settings.commit_ms
        if not self.owned or not self.settings.auto_commit or commit <= self.context.now:
            return self.next_beat()
        return max(min(self.next_beat(), commit), self.frozen_until)

    def beat(self) -> None:
        """A heartbeat that matters."""
        if self.is_silent:
            return
        self.beats_from = self.context.now
        if not self.expired_poll and self.member_id is not None:
            self._send_beat()

    @abstractmethod
    def _send_beat(self) -> None:
        """The coordinator takes a heartbeat, and answers it."""

    # The end.

    def close(
        self, leave: bool | None, delay_ms: float = 0, silent_ms: float | None = None
    ) -> None:
        """close(): commit, revoke, and leave as `Close` says."""
        if not self.alive:
            return
        context = self.context
        self.last_poll = context.now
        self.sign_of_life = max(self.sign_of_life, self.last_beat())
        self.commit()
        self.sign_of_life = self.last_sign_at_close(delay_ms)
        if silent_ms is not None:
            self.sign_of_life = context.now - silent_ms
        self.alive = False
        context.log("closing", self.name)
        delay = context.delays.round_trip + delay_ms
        if self.owned:
            self.log_revoked_at_close()
            context.ledger.stop(context.now, self.number, sorted(self.owned))
            delay += self.settings.revoke_ms
        self.say_goodbye_after(delay, leave)

    @abstractmethod
    def last_sign_at_close(self, delay_ms: float) -> float:
        """When it spoke to the coordinator last, if its last commit takes so long."""

    @abstractmethod
    def log_revoked_at_close(self) -> None:
        """Write down that it gives up what it owns."""

    @abstractmethod
    def say_goodbye_after(self, delay: float, leave: bool | None) -> None:
        """Leave after a delay in milliseconds, or fall silent."""

    def kill(self, silent_ms: float | None = None) -> None:
        """The process is gone without a word."""
        if not self.alive:
            return
        now = self.context.now
        self.sign_of_life = self.last_sign() if silent_ms is None else now - silent_ms
        self.stop_reading(self.owned, committed=False)
        self.alive = False
        self.last_poll = now
        self.context.log("killed", self.name)
        self.fall_silent()

    def last_sign(self) -> float:
        """When it spoke to the coordinator last."""
        last = max(self.sign_of_life, self.last_beat())
        return max(last, self.last_commit()) if self.is_classic else last

    @property
    @abstractmethod
    def group(self) -> ClientRequests[Any] | None:
        """The group as it is at present; None while that is of the other protocol."""

    def fall_silent(self) -> None:
        """Let the group await the end of its session."""
        if self.group is not None:
            self.group.falls_silent(self)

    def die(self, why: str) -> None:
        """A fatal error: the application ends."""
        if self.alive:
            self.context.log("error", self.name, why=why)
            self.lose(why)
            self.alive = False
