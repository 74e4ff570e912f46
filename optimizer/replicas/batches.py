"""In which batches a plan is carried out: few copies at a time, spread over brokers.

A copy goes from its partition's leader to the new broker. Copies go greedily, the largest first,
each into the first batch that has room for it at both brokers; what has several copies gets them in
different batches, one after the other.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from optimizer.replicas.plan import ReplicaChange, ReplicaPlan

Name = tuple[str, int]


class BatchStep(NamedTuple):
    """A step of one batch for one partition: its list of replicas before and after."""

    topic: str
    partition: int
    before: list[int]
    after: list[int]
    source: int | None
    target: int | None


class _Copy(NamedTuple):
    change: int
    source: int
    target: int


def batches_of(
    plan: ReplicaPlan,
    copies: int | None = None,
    per_broker: int | None = None,
    leaders: Mapping[Name, int] | None = None,
    urgent: Collection[Name] = (),
) -> list[list[BatchStep]]:
    """The plan in batches, with limits for the copies of a batch and of a broker.

    `leaders` tells who leads partitions now, where it isn't the first replica. Copies of the
    `urgent` partitions go first, then those off brokers which aren't to be used, then the largest.
    What needs no copy is in the first batch if replicas are only dropped, and in the last if only
    their order changes.
    """
    changes, arrays = plan.changes, plan.cluster
    alive, used = ({*arrays.ids[flags].tolist()} for flags in (arrays.alive, arrays.used))
    wanted = [*_copies(changes, alive, leaders or {})]
    per = per_broker or len(wanted)
    most = {"all": copies or len(wanted), "out of": per, "into": per, "change": 1}
    sizes = {(p.topic, p.partition): p.size or 0 for p in arrays.partitions}

    def first(copy: _Copy) -> tuple[bool, bool, int]:
        change = changes[copy.change]
        leaves = any(broker not in used for broker in change.before)
        return change[:2] not in urgent, not leaves, -sizes[change[:2]]

    busy: Counter[tuple[int, str, int]] = Counter()
    of_change: defaultdict[int, list[tuple[int, _Copy]]] = defaultdict(list)
    for copy in sorted(wanted, key=first):
        ends = {"all": 0, "out of": copy.source, "into": copy.target, "change": copy.change}
        number = next(n for n in count() if all(busy[n, *e] < most[e[0]] for e in ends.items()))
        busy.update((number, *end) for end in ends.items())
        of_change[copy.change].append((number, copy))
    steps: list[list[BatchStep]] = [[] for _ in range(max((n for n, *_ in busy), default=0) + 1)]
    for at, change in enumerate(changes):
        if at not in of_change:
            step = BatchStep(*change[:2], change.before, change.after, None, None)
            steps[0 if len(change.after) < len(change.before) else -1].append(step)
        for number, step in _steps(change, sorted(of_change[at]), alive):
            steps[number].append(step)
    return [batch for batch in steps if batch]


def check_batches(
    batches: Sequence[Sequence[BatchStep]], copies: int | None = None, per_broker: int | None = None
) -> list[str]:
    """A sentence for each limit that a batch exceeds, by its steps alone."""
    faults = []
    for number, batch in enumerate(batches, 1):
        made = [step for step in batch if step.target is not None]
        counts = Counter("" for _ in made)
        counts.update(f" out of broker {step.source}" for step in made)
        counts.update(f" into broker {step.target}" for step in made)
        faults += [
            f"batch {number} makes {number_of} copies{where}, and {most} are allowed"
            for where, number_of in counts.items()
            if (most := per_broker if where else copies) and number_of > most
        ]
    return faults


def _copies(
    changes: Sequence[ReplicaChange], alive: set[int], leaders: Mapping[Name, int]
) -> Iterator[_Copy]:
    """Each replica that comes to a broker, from the leader, or another one where that is dead."""
    for at, change in enumerate(changes):
        leader = leaders.get(change[:2], change.before[0])
        source = next(b for b in (leader, *change.before) if b in alive)
        yield from (_Copy(at, source, b) for b in change.after if b not in change.before)


def _steps(
    change: ReplicaChange, copies: list[tuple[int, _Copy]], alive: set[int]
) -> Iterator[tuple[int, BatchStep]]:
    """A partition's steps: each adds one replica and lets one go; the last has the plan's order.

    Kafka refuses a file that names a dead broker, so these go at once; the leader goes last.
    """
    most, now = max(len(change.before), len(change.after)), change.before
    leaving = [broker for broker in change.before if broker not in change.after]
    leaving.sort(key=lambda broker: (broker in alive, copies and broker == copies[0][1].source))
    for rank, (batch, copy) in enumerate(copies):
        after = change.after
        if rank < len(copies) - 1:
            dead = sum(broker not in alive for broker in leaving)
            gone = leaving[: max(dead, len(now) + 1 - most)]
            leaving = leaving[len(gone) :]
            after = [*(broker for broker in now if broker not in gone), copy.target]
        yield batch, BatchStep(*change[:2], now, after, copy.source, copy.target)
        now = after
