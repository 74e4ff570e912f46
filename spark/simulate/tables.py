"""A simulation for programs, as tables: all that happened, and what chance makes of it."""

from collections.abc import Iterable, Mapping, Sequence
from statistics import median
from typing import Any

from optimizer.coordinator import TITLES, Timeline, figures_of
from spark.simulate.account import partitions_of
from spark.simulate.simulate import GroupSimulation

Rows = list[dict[str, Any]]


def tables_of(simulation: GroupSimulation) -> dict[str, Rows]:
    """All of a simulation for programs; partitions as Kafka prints them."""
    timeline = simulation.timeline
    summary = {
        "cluster": simulation.cluster,
        "group": simulation.group,
        "strategy": simulation.strategy,
        "seconds": round(timeline.end / 1000, 3),
        **figures_of(timeline),
    }

    def names(parts: Iterable[int]) -> list[str]:
        return partitions_of(timeline, frozenset(parts))

    def assignment(of: Mapping[str, Iterable[int]] | None) -> dict[str, list[str]]:
        return {name: names(parts) for name, parts in (of or {}).items()}

    def life(number: int | None) -> str | None:
        return None if number is None or number < 0 else timeline.lives[number]

    return {
        "simulation": [summary],
        "generations": [
            {
                "at_ms": round(generation.at, 3),
                "generation": generation.number,
                "protocol": generation.protocol,
                "leader": generation.leader,
                "members": list(generation.members),
                "assignment": assignment(generation.assignment),
            }
            for generation in timeline.generations
        ],
        "targets": [
            {
                "at_ms": round(target.at, 3),
                "epoch": target.epoch,
                "assignor": target.assignor,
                "assignment": assignment(target.assignment),
            }
            for target in timeline.targets
        ],
        "pauses": [
            {
                "partition": names([pause.partition])[0],
                "from_ms": round(pause.start, 3),
                "to_ms": round(pause.end, 3),
                "before": life(pause.before),
                "after": life(pause.after),
            }
            for pause in timeline.pauses
        ],
        "lag": [
            {
                "partition": names([number])[0],
                "records": round(item.records, 3),
                "seconds": round(item.seconds, 3),
                "catch_up_seconds": item.catch_up and round(item.catch_up, 3),
                "reader": life(item.reader),
            }
            for number, item in (timeline.lag.partitions if timeline.lag else {}).items()
        ],
        "happenings": [
            {
                "at_ms": round(happening.at, 3),
                "what": happening.what,
                "member": happening.member,
                "member_id": happening.member_id,
                "generation": happening.generation,
                "partitions": names(happening.partitions),
                "why": happening.why,
            }
            for happening in timeline.happenings
        ],
    }


def spread_of(timelines: Sequence[Timeline]) -> Rows:
    """A row a measure: its least, median and most among the timelines, of which there is one."""
    by_timeline = [figures_of(timeline) for timeline in timelines]
    by_measure = {
        name: [of[field] for of in by_timeline if of[field] is not None]
        for field, name in TITLES.items()
    }
    return [
        {
            "measure": name,
            "least": float(min(values)),
            "median": float(median(values)),
            "most": float(max(values)),
        }
        for name, values in by_measure.items()
        if values
    ]
