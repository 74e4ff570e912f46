"""Moves sent to a live cluster, batch after batch: those of a plan, or the rollbacks that undo it.

A partition has a course: its replicas before the first batch, and after each. Where it stands on it
says what is left to send, so that a run goes on where one before it stopped.
"""

import time
from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from math import ceil
from pathlib import Path
from typing import NamedTuple, Protocol

from optimizer.figures import data_size, plural
from optimizer.replicas import BatchStep
from spark.errors import InputError
from spark.reassign.facts import Name, PartitionFacts
from spark.reassign.files import read_move
from spark.reassign.reassignment import Reassignment
from spark.reassign.verify import DONE, RUNNING, broker_ids, state_of
from spark.text import list_of

LivePartition = tuple[int | None, list[int], list[int], list[int], list[int]]
"""Leader, replicas without those that are being added, those in sync, adding, removing."""

PAUSE = 1.0
"""Seconds between two looks at a batch that is under way."""

PROGRESS_SECONDS = 30.0
"""Seconds between two sentences on how far a batch is."""

STANDS_STILL = 1800.0
"""Seconds without progress after which a batch is given up, beside those that its bytes take."""

SETTLES_IN = 15.0
"""Seconds in which brokers hear of what is done, and preferred leaders catch up."""


class LiveCluster(Protocol):
    """A live cluster, as far as moves need it; refusals are by partition, with their reasons.

    ConnectionError where no broker answers.
    """

    def alive(self) -> set[int]: ...

    def partitions(self, topics: Iterable[str] | None = None) -> Mapping[Name, LivePartition]: ...

    def move(self, replicas: Mapping[Name, list[int]]) -> dict[Name, str]: ...

    def elect(self, partitions: Sequence[Name]) -> dict[Name, str]: ...

    def throttle(self, steps: Sequence[BatchStep], rate: int) -> list[str]: ...

    def unthrottle(self, steps: Sequence[BatchStep]) -> list[str]: ...


class StoppedError(Exception):
    """Nothing more is sent; the sentence says why, and how to go on or back."""


class CopyPace(NamedTuple):
    """How fast copies go, in bytes a second of each broker, what partitions hold, and time."""

    rate: int
    sizes: Mapping[Name, int] = {}
    clock: Callable[[], float] = time.monotonic
    sleep: Callable[[float], None] = time.sleep


class Batch(NamedTuple):
    """The steps of one file, and what people call it."""

    label: str
    file: Path
    steps: dict[Name, BatchStep]

    def __str__(self) -> str:
        copies = sum(len({*step.after} - {*step.before}) for step in self.steps.values())
        partitions = [f"{topic}-{number}" for topic, number in self.steps]
        return (
            f"{self.label}: {copies} {'copy' if copies == 1 else 'copies'}, of "
            f"{list_of('partition', partitions)}"
        )


def batches_of_plan(of: Reassignment, out: Path) -> list[Batch]:
    """The batches of a plan whose files are in a folder."""
    steps = [{(step.topic, step.partition): step for step in batch} for batch in of.batches]
    return [
        Batch(f"batch {number} of {len(steps)}", out / f"{number:02}-move.json", moves)
        for number, moves in enumerate(steps, 1)
    ]


def rollbacks_in(out: Path) -> list[Batch]:
    """Batches that undo those in a folder, the last one first; InputError if it has none."""
    batches = []
    for file in sorted(out.glob("*-rollback.json"), key=lambda file: -_number(file)):
        moved = read_move(file.with_name(file.name.replace("rollback", "move")))
        steps = {
            name: BatchStep(*name, moved.get(name, before), before, None, None)
            for name, before in read_move(file).items()
        }
        batches.append(Batch(f"rollback of batch {_number(file)}", file, steps))
    if not batches:
        raise InputError(f"{out} holds no NN-rollback.json: give the folder of a plan")
    return batches


def _number(file: Path) -> int:
    return int(file.name.partition("-")[0])


def left_of(
    batches: Sequence[Batch], live: LiveCluster, stays: Mapping[Name, list[int]] | None = None
) -> list[Batch]:
    """The batches with the steps that are still to be sent.

    `stays` are replicas of partitions that have no step. StoppedError for partitions that are
    somewhere else, and for brokers that are down and have to take replicas. Deleted partitions, and
    topics that were created since, don't matter.
    """
    courses: defaultdict[Name, list[BatchStep]] = defaultdict(list)
    for batch in batches:
        for name, step in batch.steps.items():
            courses[name].append(step)
    now, faults = facts_in(live), []
    left: dict[Name, list[BatchStep]] = {}
    for name, row in (stays or {}).items():
        courses.setdefault(name, [BatchStep(*name, row, row, None, None)])
    for name, course in courses.items():
        if name not in now:
            continue
        done = _steps_done(now[name], course)
        if done is None:
            rows = dict.fromkeys(map(broker_ids, (course[0].before, *(s.after for s in course))))
            faults.append(
                f"partition {now[name]} is on {broker_ids(now[name].replicas)}, not on "
                f"{' or '.join(rows)}: somebody else has moved it"
            )
        left[name] = course[done:]
    remaining = [
        batch._replace(
            steps={n: step for n, step in batch.steps.items() if step in left.get(n, ())}
        )
        for batch in batches
    ]
    taking = {b for batch in remaining for step in batch.steps.values() for b in step.after}
    faults += [f"broker {broker} is down" for broker in sorted(taking - live.alive())]
    if faults:
        raise StoppedError(first_of(faults))
    return remaining


def _steps_done(partition: PartitionFacts, course: Sequence[BatchStep]) -> int | None:
    """Steps of its course that a partition has behind it; None if it is somewhere else."""
    if not partition.is_moving:
        for done in range(len(course), 0, -1):
            if partition.replicas == course[done - 1].after:
                return done
    coming = {*partition.replicas, *partition.adding} - {*partition.removing}
    ends = [({*step.before}, {*step.after}) for step in course]
    return next((at for at, sets in enumerate(ends) if coming in sets), None)


def send(
    batches: Sequence[Batch],
    live: LiveCluster,
    pace: CopyPace,
    stays: Mapping[Name, list[int]] | None = None,
    elections: Sequence[Name] = (),
) -> Generator[str, None, None]:
    """Send batch after batch, and say so: each with a throttle, waited for, its leaders elected.

    What is done already is passed over. Raises StoppedError as soon as anything is otherwise than
    planned (see `left_of`), and where it is interrupted: KeyboardInterrupt may be thrown into it
    between two sentences.
    """
    stays = dict(stays or {})
    for at, batch in enumerate(batches):
        sender = _Sender(batch, live, pace)
        try:
            sender.steps = left_of(batches[at:], live, stays)[0].steps
            if sender.steps:
                yield str(batch._replace(steps=sender.steps))
                led = yield from sender.send()
                yield f"{batch.label} is done; {plural(led, 'preferred leader')} elected"
        except (StoppedError, ConnectionError, KeyboardInterrupt) as stopped:
            why = "interrupted" if isinstance(stopped, KeyboardInterrupt) else str(stopped)
            raise StoppedError(f"{batch.label} {sender.how_far(why)}") from None
        stays |= {name: step.after for name, step in batch.steps.items()}
    if elections:
        _elect(elections, live, pace)
        led = len(elections)
        yield f"{plural(led, 'preferred leader')} elected of partitions that keep their replicas"


class _Sender:
    """One batch, the steps of it that are to be sent, and how far they are."""

    def __init__(self, batch: Batch, live: LiveCluster, pace: CopyPace) -> None:
        self.batch, self.live, self.pace = batch, live, pace
        self.steps: dict[Name, BatchStep] = {}
        self.done: set[Name] = set()
        self.is_sent = self.is_throttled = False

    def send(self) -> Generator[str, None, int]:
        """From its throttle to its leaders, of whom it returns the number; says how far it is."""
        live, wanted = self.live, {name: step.after for name, step in self.steps.items()}
        # of the whole file: so it is the throttle of a run that stopped before, and is lifted too
        copying = [step for step in self.batch.steps.values() if {*step.after} - {*step.before}]
        self.is_throttled = bool(copying)
        if copying and (faults := live.throttle(copying, self.pace.rate)):
            self.is_throttled = bool(live.unthrottle(copying))
            raise StoppedError(f"the throttle couldn't be set: {first_of(faults)}")
        self.is_sent = True
        refused = live.move(wanted)
        if names := wanted.keys() - refused.keys():
            yield from self._wait(names)
        if copying and (faults := live.unthrottle(copying)):
            raise StoppedError(f"the throttle couldn't be lifted: {first_of(faults)}")
        self.is_throttled = False
        if refused:
            why = first_of(_refusals(refused))
            of = plural(len(wanted), "partition")
            raise StoppedError(f"{len(refused)} of {of} refused: {why}")
        led = [name for name, step in self.steps.items() if step.before[0] != step.after[0]]
        _elect(led, live, self.pace)
        return len(led)

    def _wait(self, names: set[Name]) -> Iterator[str]:
        """Until all these partitions are done; StoppedError if one has diverged or all stand still.

        Brokers hear a little later than the controller of what is done, so what looks
        diverged, or not started, is examined again for a while.
        """
        clock, sizes = self.pace.clock, self.pace.sizes
        strange_since: float | None = None
        begun = reported = moved = clock()
        patience = STANDS_STILL + sum(sizes.get(name, 0) for name in names) / self.pace.rate
        reached: set[tuple[Name, int | str]] = set()  # in sync once: who comes and goes isn't new
        while True:
            alive, partitions = self.live.alive(), facts_in(self.live, names)
            states = {
                name: state_of(partitions.get(name), alive, step.after, step.before)
                for name, step in self.steps.items()
                if name in names
            }
            self.done = {name for name, (state, _) in states.items() if state == DONE}
            if self.done == names:
                return
            left = names - self.done
            ends: set[tuple[Name, int | str]] = {(name, DONE) for name in self.done}
            ends |= {
                (n, broker) for n in left & partitions.keys() for broker in partitions[n].isr or ()
            }
            if ends - reached:
                moved, reached = clock(), reached | ends
            if clock() - moved > patience:
                raise StoppedError(
                    f"for {patience / 60:.0f} min no partition was done and no replica came into "
                    "sync: check that brokers reach each other, and raise the throttle"
                )
            strange = [
                f"{topic}-{number} has {' '.join(filter(None, states[topic, number]))}"
                for topic, number in sorted(left)
                if states[topic, number][0] != RUNNING
            ]
            down = {broker for name in left for broker in self.steps[name].after} - alive
            strange += [f"broker {broker} is down" for broker in sorted(down)]
            if strange and strange_since is not None and clock() - strange_since > SETTLES_IN:
                raise StoppedError(first_of(strange))
            strange_since = (strange_since or clock()) if strange else None
            if clock() - reported >= PROGRESS_SECONDS:
                reported = clock()
                yield self._progress(reported - begun)
            self.pace.sleep(PAUSE)

    def _progress(self, seconds: float) -> str:
        """`41 of 46 done, 3.1 of 4.0 GB, 2 min left`."""
        parts = [f"{len(self.done)} of {len(self.steps)} done"]
        share = len(self.done) / len(self.steps)
        whole, copied = (
            sum(self.pace.sizes.get(name, 0) for name in names) for names in (self.steps, self.done)
        )
        if whole:
            share = copied / whole
            parts.append(f"{data_size(copied)} of {data_size(whole)}")
        if share:
            parts.append(f"{ceil(seconds * (1 / share - 1) / 60)} min left")
        return ", ".join(parts)

    def how_far(self, why: str) -> str:
        """The state of the batch in a sentence, and how to go on or back."""
        if not self.is_sent:
            return f"isn't sent: {why}"
        file = self.batch.file
        return (
            f"stopped: {why}{' (its throttle stays until it is done)' * self.is_throttled}. "
            f"Done: {len(self.done)} of {plural(len(self.steps), 'partition')}; Kafka "
            "continues what it has begun. The same command goes on from there; to go back, undo "
            f"the plan in {file.parent}, or let kafka-reassign-partitions cancel {file}"
        )


def _elect(led: Sequence[Name], live: LiveCluster, pace: CopyPace) -> None:
    """Elect preferred leaders; one that isn't in sync yet may be so a little later."""
    begun, left = pace.clock(), list(led)
    while left:
        refused, partitions = live.elect(left), facts_in(live, left)
        if gone := [
            f"{topic}-{number}" for topic, number in left if (topic, number) not in partitions
        ]:
            raise StoppedError(f"{list_of('partition', gone)} was deleted meanwhile")
        left = [
            n for n in left if n in refused or partitions[n].leader != partitions[n].replicas[0]
        ]
        if left and pace.clock() - begun > SETTLES_IN:
            why = _refusals(refused) or [f"{t}-{number} is led by another" for t, number in left]
            raise StoppedError(f"preferred leaders weren't elected: {first_of(why)}")
        if left:
            pace.sleep(PAUSE)


def facts_in(live: LiveCluster, names: Iterable[Name] | None = None) -> dict[Name, PartitionFacts]:
    """The partitions of the cluster now, or those of the topics of some."""
    partitions = live.partitions(None if names is None else {topic for topic, _ in names})
    return {
        name: PartitionFacts(*name, leader, replicas, isr, adding, removing)
        for name, (leader, replicas, isr, adding, removing) in partitions.items()
    }


def _refusals(refused: Mapping[Name, str]) -> list[str]:
    return [f"{topic}-{number}: {why}" for (topic, number), why in sorted(refused.items())]


def first_of(sentences: Sequence[str]) -> str:
    """The first three sentences, and how many more there are."""
    more = len(sentences) - 3
    return "; ".join(sentences[:3]) + (f"; and {more} more" if more > 0 else "")
