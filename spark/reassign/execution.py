"""A plan carried out in a live cluster, batch by batch, as long as all is as it was planned for."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple, Protocol

from optimizer.figures import counted, data_size
from optimizer.replicas import Step
from spark.reassign.facts import PartitionFacts
from spark.reassign.reassignment import Reassignment
from spark.reassign.verify import DONE, RUNNING, broker_ids, state_of
from spark.text import named

Name = tuple[str, int]

Seen = tuple[int | None, list[int], list[int], list[int], list[int]]
"""Leader, replicas without those that are being added, those in sync, adding, removing."""

PAUSE = 1.0  # seconds between two looks at a batch that is under way

PROGRESS_SECONDS = 30.0  # seconds between two sentences on how far a batch is

STANDS_STILL = 1800.0
"""Seconds without progress after which a batch is given up, beside those that its bytes take."""

SETTLES_IN = 15.0
"""Seconds in which brokers hear of what is done, and preferred leaders catch up."""


class LiveCluster(Protocol):
    """What is asked of a cluster; refusals are by partition, with their reasons.

    ConnectionError where nobody answers.
    """

    def alive(self) -> set[int]: ...

    def partitions(self, topics: Iterable[str] | None = None) -> Mapping[Name, Seen]: ...

    def move(self, replicas: Mapping[Name, list[int]]) -> dict[Name, str]: ...

    def elect(self, partitions: Sequence[Name]) -> dict[Name, str]: ...

    def throttle(self, steps: Sequence[Step], rate: int) -> list[str]: ...

    def unthrottle(self, steps: Sequence[Step]) -> list[str]: ...


class StoppedError(Exception):
    """A plan isn't carried out any further; the sentence says why, and how to go back.

    `handed_over`: something of it was, so that its rollbacks are needed.
    """

    handed_over = True


class Pace(NamedTuple):
    """How fast copies go, in bytes a second of each broker, and how time passes."""

    rate: int
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


def differences(
    of: Reassignment, live: LiveCluster, now: Mapping[Name, list[int]] | None = None
) -> list[str]:
    """In what the cluster differs from the state that the plan was made from, or from `now`.

    Topics that were created since are no difference, nor are deleted ones of which nothing moves.
    """
    result = seen_in(live)
    planned = {(change.topic, change.partition) for change in of.changes}
    text = []
    for partition in of.current.partitions:
        name = (partition.topic, partition.partition)
        current = result.get(name)
        if current is None:
            if name in planned:
                text.append(f"partition {partition} isn't there any more")
            continue
        expected = (now or {}).get(name, partition.replicas)
        if current.is_moving:
            text.append(f"partition {current} is being reassigned")
        elif list(current.replicas) != list(expected):
            text.append(
                f"partition {partition} is on {broker_ids(current.replicas)}, and was on "
                f"{broker_ids(expected)}"
            )
    taking = {b for change in of.changes for b in change.after}
    text += [f"broker {broker} is down" for broker in sorted(taking - live.alive())]
    return text


def execute(
    of: Reassignment, live: LiveCluster, rollbacks: Sequence[Path], pace: Pace
) -> Generator[str, None, None]:
    """Carry out all batches and elections, and say so; `rollbacks` are the files that undo each.

    Each batch is handed over with a throttle, waited for, its preferred leaders elected, and
    verified. Raises StoppedError as soon as anything is otherwise than planned, and where it is
    interrupted: KeyboardInterrupt may be thrown into it between two sentences.
    """
    now = {
        (partition.topic, partition.partition): list(partition.replicas)
        for partition in of.current.partitions
    }
    count = len(of.batches.batches)
    for number, (batch, rollback) in enumerate(zip(of.batches.batches, rollbacks, strict=True), 1):
        under_way = UnderWay(batch, of.wanted.sizes, live, pace)
        try:
            if sentences := differences(of, live, now):
                raise StoppedError(f"the cluster isn't as planned for: {first_of(sentences)}")
            copies = sum(step.target is not None for step in batch)
            yield (
                f"batch {number} of {count}: {copies} {'copy' if copies == 1 else 'copies'}, of "
                f"{named('partition', _names(batch))}"
            )
            led = yield from under_way.carried_out()
        except (StoppedError, ConnectionError, KeyboardInterrupt) as stopped:
            why = "interrupted" if isinstance(stopped, KeyboardInterrupt) else str(stopped)
            if under_way.handed_over:
                raise StoppedError(
                    f"batch {number} stopped: {why}{under_way.how_far(rollback)}"
                ) from None
            undo = f"; {rollbacks[number - 2]} undoes the batch before it" if number > 1 else ""
            error = StoppedError(f"batch {number} isn't handed over: {why}{undo}")
            error.handed_over = number > 1
            raise error from None
        now |= {(step.topic, step.partition): step.after for step in batch}
        yield f"batch {number} of {count} is done; {counted(led, 'preferred leader')} elected"
    if of.elections:
        _elect(of.elections, live, pace)
        led = len(of.elections)
        yield f"{counted(led, 'preferred leader')} elected of partitions that keep their replicas"


class UnderWay:
    """One batch, and how far it is."""

    def __init__(
        self, batch: Sequence[Step], sizes: Mapping[Name, int], live: LiveCluster, pace: Pace
    ) -> None:
        self.steps = {(step.topic, step.partition): step for step in batch}
        self.sizes, self.live, self.pace = sizes, live, pace
        self.handed_over = self.throttled = False
        self.done: set[Name] = set()

    def carried_out(self) -> Generator[str, None, int]:
        """From its throttle to its leaders, of whom it returns the number; says how far it is."""
        live = self.live
        wanted = {name: step.after for name, step in self.steps.items()}
        copying = [step for step in self.steps.values() if step.target is not None]
        self.throttled = bool(copying)
        if copying and (faults := live.throttle(copying, self.pace.rate)):
            self.throttled = bool(live.unthrottle(copying))
            raise StoppedError(f"the throttle couldn't be set: {first_of(faults)}")
        self.handed_over = True
        refused = live.move(wanted)
        if len(refused) < len(wanted):
            yield from self._wait({name for name in wanted if name not in refused})
        if copying and (faults := live.unthrottle(copying)):
            raise StoppedError(f"the throttle couldn't be lifted: {first_of(faults)}")
        self.throttled = False
        if refused:
            raise StoppedError(
                f"{len(refused)} of {counted(len(wanted), 'partition')} refused: "
                f"{first_of(_refusals(refused))}"
            )
        led = [name for name, step in self.steps.items() if step.before[0] != step.after[0]]
        _elect(led, live, self.pace)
        return len(led)

    def _wait(self, names: set[Name]) -> Iterator[str]:
        """Until all these partitions are done; StoppedError if one has diverged or all stand still.

        Brokers hear a little later than the controller of what is done, so what looks
        diverged, or not started, is examined again for a while.
        """
        clock = self.pace.clock
        strange_since: float | None = None
        begun = text = moved = clock()
        patience = STANDS_STILL + sum(self.sizes.get(name, 0) for name in names) / self.pace.rate
        reached: set[tuple[Name, int | str]] = set()  # in sync once: who comes and goes isn't new
        while True:
            alive = self.live.alive()
            result = seen_in(self.live, names)
            open_ones: dict[Name, tuple[str, str]] = {}
            for name in names:
                step = self.steps[name]
                state = state_of(result.get(name), alive, step.after, step.before)
                if state[0] != DONE:
                    open_ones[name] = state
            self.done = names - open_ones.keys()
            if not open_ones:
                return
            ends = {(name, DONE) for name in self.done} | {
                (name, broker)
                for name in open_ones.keys() & result.keys()
                for broker in result[name].isr or ()
            }
            if ends - reached:
                moved, reached = clock(), reached | ends
            if clock() - moved > patience:
                raise StoppedError(
                    f"for {patience / 60:.0f} min no partition was done and no replica came into "
                    "sync: check that brokers reach each other, and raise the throttle"
                )
            strange = _strange(open_ones)
            gone = {b for name in open_ones for b in self.steps[name].after} - alive
            strange += [f"broker {broker} is down" for broker in sorted(gone)]
            if strange and strange_since is not None and clock() - strange_since > SETTLES_IN:
                raise StoppedError(first_of(strange))
            strange_since = (strange_since or clock()) if strange else None
            if clock() - text >= PROGRESS_SECONDS:
                text = clock()
                yield self._progress(text - begun)
            self.pace.sleep(PAUSE)

    def _progress(self, seconds: float) -> str:
        """`41 of 46 done, 3.1 of 4.0 GB, 2 min left`."""
        parts = [f"{len(self.done)} of {len(self.steps)} done"]
        share = len(self.done) / len(self.steps)
        if whole := sum(self.sizes.get(name, 0) for name in self.steps):
            copied = sum(self.sizes.get(name, 0) for name in self.done)
            share = copied / whole
            parts.append(f"{data_size(copied)} of {data_size(whole)}")
        if share:
            parts.append(f"{ceil(seconds * (1 / share - 1) / 60)} min left")
        return ", ".join(parts)

    def how_far(self, rollback: Path) -> str:
        """What is done, what Kafka goes on with, what stays set, and how to go back."""
        move = rollback.with_name(rollback.name.replace("rollback", "move"))
        throttle = (
            f" (its throttle stays until kafka-reassign-partitions verifies {move})"
            if self.throttled
            else ""
        )
        return (
            f"{throttle}. {len(self.done)} of {counted(len(self.steps), 'partition')} were done; "
            f"Kafka continues what it has begun. To go back, undo the plan in {rollback.parent}, "
            f"or let kafka-reassign-partitions cancel {move} and then execute {rollback}"
        )


def _strange(states: Mapping[Name, tuple[str, str]]) -> list[str]:
    return [
        f"{topic}-{number} has {state} {text}".rstrip()
        for (topic, number), (state, text) in sorted(states.items())
        if state != RUNNING
    ]


def _elect(led: Sequence[Name], live: LiveCluster, pace: Pace) -> None:
    """Elect preferred leaders; one that isn't in sync yet may be so a little later."""
    begun = pace.clock()
    left = list(led)
    while left:
        refused = live.elect(left)
        result = seen_in(live, left)
        if gone := [f"{topic}-{number}" for topic, number in left if (topic, number) not in result]:
            raise StoppedError(f"{named('partition', gone)} was deleted meanwhile")
        left = [n for n in left if n in refused or result[n].leader != result[n].replicas[0]]
        if left and pace.clock() - begun > SETTLES_IN:
            report = _refusals(refused) or [
                f"{topic}-{number} is led by another" for topic, number in left
            ]
            raise StoppedError(f"preferred leaders weren't elected: {first_of(report)}")
        if left:
            pace.sleep(PAUSE)


def seen_in(live: LiveCluster, names: Iterable[Name] | None = None) -> dict[Name, PartitionFacts]:
    partitions = live.partitions(None if names is None else {topic for topic, _ in names})
    return {
        name: PartitionFacts(*name, leader, replicas, isr, adding, removing)
        for name, (leader, replicas, isr, adding, removing) in partitions.items()
    }


def _names(batch: Sequence[Step]) -> list[str]:
    return [f"{step.topic}-{step.partition}" for step in batch]


def _refusals(refused: Mapping[Name, str]) -> list[str]:
    return [f"{topic}-{number}: {why}" for (topic, number), why in sorted(refused.items())]


def first_of(sentences: Sequence[str]) -> str:
    more = len(sentences) - 3
    return "; ".join(sentences[:3]) + (f"; and {more} more" if more > 0 else "")
