"""A replay as a plain loop over snapshots: what the one in Spark has to come to."""

from collections.abc import Iterator
from datetime import datetime
from functools import cache
from itertools import pairwise
from typing import Any

from optimizer import STRATEGIES, Goals, assign
from tests.spark.replay.random_histories import History, Look, Partition

CURRENT = "current"
MAX_AGE = 24 * 3600

Owners = dict[Partition, str]
Row = dict[str, Any]


def hours_of(history: History) -> list[float]:
    """For how long each snapshot's facts hold: until the next, or a day; the last for no time."""
    times = [datetime.strptime(name, "%Y%m%dT%H%M%S%z").timestamp() for name in history.ids]
    return [min(b - a, MAX_AGE) / 3600 for a, b in pairwise(times)] + [0.0]


def facts_of(look: Look) -> Any:
    """What a rebalance would follow a change of."""
    read = {topic for topics in look.readers.values() for topic in topics}
    return (
        {look.who(m): (topics, look.rack_of[m]) for m, topics in look.readers.items()},
        {topic: size for topic, size in look.topics.items() if topic in read},
    )


def carried(before: Look, owners: Owners, now: Look) -> Owners:
    """The partitions that are there still, by whom they are owned now; "" is one who left."""
    by_who = {now.who(member): member for member in now.readers}
    return {
        (topic, p): by_who.get(before.who(member), "")
        for (topic, p), member in owners.items()
        if p < now.topics.get(topic, 0)
    }


def changes_of(look: Look, before: Owners, after: Owners) -> tuple[int, int, int, int]:
    """Moves, takeovers, partitions that may be kept, and those of them that aren't."""
    keepable = {p: m for p, m in before.items() if p[0] in look.readers.get(m, ())}
    moves = sum(p in after and after[p] != m for p, m in keepable.items())
    takeovers = sum(p in after and after[p] != m for p, m in before.items()) - moves
    lost = sum(after.get(p) != m for p, m in keepable.items())
    return moves, takeovers, len(keepable), lost


def readable(look: Look, owners: Owners) -> Owners:
    """What is owned by somebody who is there and reads it."""
    return {p: m for p, m in owners.items() if p[0] in look.readers.get(m, ())}


def replayed(history: History, strategy: str, goals: Goals) -> Iterator[Row | None]:
    """What a strategy makes of each snapshot; None where the group isn't there or isn't judged."""
    owners: Owners | None = None  # now
    if history.looks[0] is None:
        owners = {}
    before: Look | None = None
    facts: Any = None
    for look, hours in zip(history.looks, hours_of(history), strict=True):
        if look is None or not look.is_judged:
            if look is None or not look.readers:
                owners, before, facts = {}, None, None
            yield None
            continue
        first = owners is None
        had = carried(before, owners, look) if before and owners is not None else owners
        start = look.owners if had is None else had
        anew = facts is None or facts_of(look) != facts
        if strategy == CURRENT:
            after = readable(look, look.owners)
            if first:
                start = after
            anew = anew or after != start
        elif anew:
            plan = assign(look.group(start), strategy, goals)
            after = {p: member for member, owned in plan.assignment.items() for p in owned}
        else:
            after = start
        moves, takeovers, kept, lost = changes_of(look, start, after)
        loads = [sum(m == member for m in after.values()) for member in look.readers]
        eager = strategy == CURRENT or STRATEGIES[strategy].eager
        yield {
            "hours": hours,
            "rebalanced": anew,
            "first": first,
            "max_load": max(loads),
            "min_load": min(loads),
            "sum_squares": sum(load * load for load in loads),
            "excess": max(0, max(loads) - min_max_load(look)),
            "moves": moves,
            "takeovers": takeovers,
            "stopped": (kept if eager else lost) if anew else 0,
            "remote_reads": remote_reads(look, after),
        }
        owners, before, facts = after, look, facts_of(look)


@cache
def min_max_load(look: Look) -> int:
    """The highest load of the optimum."""
    return max(assign(look.group({})).loads.values())


def remote_reads(look: Look, owners: Owners) -> int | None:
    """Partitions none of whose replicas is in the rack of their reader."""
    plan = assign(look.group(owners), goals=Goals(rack="any"))
    return plan.reads_found.remote if plan.reads_found else None
