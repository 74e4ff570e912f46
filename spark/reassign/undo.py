"""The way back from a plan that was handed to a live cluster, all of it or part of it."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path
from typing import NamedTuple

from optimizer.figures import counted
from optimizer.replicas import Step
from spark.errors import InputError
from spark.reassign.execution import LiveCluster, Pace, StoppedError, UnderWay, first_of, seen_in
from spark.reassign.facts import PartitionFacts
from spark.reassign.files import read_move


class BatchUndo(NamedTuple):
    """What takes a batch back: `copies` are the replicas that some brokers no longer hold."""

    number: int
    steps: list[Step]

    @property
    def copies(self) -> int:
        return sum(len({*step.after} - {*step.before}) for step in self.steps)

    def __str__(self) -> str:
        return (
            f"batch {self.number}: {counted(len(self.steps), 'partition')} "
            f"{'goes' if len(self.steps) == 1 else 'go'} back, "
            f"{self.copies} {'copy' if self.copies == 1 else 'copies'}"
        )


def batch_undos(out: Path, live: LiveCluster) -> list[BatchUndo]:
    """The moves that undo the batches in a folder, the last one first.

    Partitions that are as before their batch, or deleted, are left out. InputError if the folder
    holds no rollbacks; StoppedError for partitions that somebody else has moved, and for brokers
    that are down.
    """
    rollbacks = {int(path.name.split("-")[0]): path for path in out.glob("*-rollback.json")}
    if not rollbacks:
        raise InputError(f"{out} holds no NN-rollback.json: give the folder of a plan")
    now, faults, ways = seen_in(live), [], []
    for number in sorted(rollbacks, reverse=True):
        rollback = rollbacks[number]
        moved = read_move(rollback.with_name(rollback.name.replace("rollback", "move")))
        steps = []
        for name, before in read_move(rollback).items():
            item = now.get(name)
            if item is None or (list(item.replicas) == before and not item.is_moving):
                continue
            if not _is_of_batch(item, moved.get(name, []), before):
                faults.append(
                    f"partition {item} is on {item.replicas}; batch {number} moves it from "
                    f"{before} to {moved.get(name)}, so somebody else has moved it"
                )
                continue
            steps.append(Step(*name, list(item.replicas), before, None, _new(item, before)))
            now[name] = item._replace(replicas=before, adding=[], removing=[])
        if steps:
            ways.append(BatchUndo(number, steps))
    needed = {broker for way in ways for step in way.steps for broker in step.after}
    faults += [f"broker {broker} is down" for broker in sorted(needed - live.alive())]
    if faults:
        raise StoppedError(f"nothing was undone: {first_of(faults)}")
    return ways


def undo(ways: list[BatchUndo], live: LiveCluster, pace: Pace) -> Generator[str, None, None]:
    """Take batches back one by one, each with a throttle and its leaders elected, and say so.

    Raises StoppedError as soon as one can't be; KeyboardInterrupt may be thrown into it.
    """
    for way in ways:
        yield str(way)
        under_way = UnderWay(way.steps, {}, live, pace)
        try:
            yield from under_way.carried_out()
        except (StoppedError, ConnectionError, KeyboardInterrupt) as stopped:
            why = "interrupted" if isinstance(stopped, KeyboardInterrupt) else str(stopped)
            raise StoppedError(
                f"undoing batch {way.number} stopped: {why}. {len(under_way.done)} of "
                f"{counted(len(way.steps), 'partition')} are back; run the same command again"
            ) from None
        yield f"batch {way.number} is undone"


def _is_of_batch(partition_facts: PartitionFacts, moved: list[int], before: list[int]) -> bool:
    """Whether a batch, or its cancellation, has brought a partition to where it is."""
    coming = {*partition_facts.replicas, *partition_facts.adding} - {*partition_facts.removing}
    return coming in ({*moved}, {*before})


def _new(partition_facts: PartitionFacts, before: list[int]) -> int | None:
    """A broker that has to copy the partition again, if there is one."""
    return next((broker for broker in before if broker not in partition_facts.replicas), None)
