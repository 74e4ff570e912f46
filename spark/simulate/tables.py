"""A simulation for programs, as tables: all that happened, and what chance makes of it."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from optimizer.coordinator import Timeline, lag_figures
from spark.simulate.account import partitions_of
from spark.simulate.simulate import GroupSimulation

FIELDS = (
    *("rebalances", "unread_seconds", "longest_pause", "stopped_needlessly", "moved"),
    *("taken_over", "seconds_read_twice", "records_read_twice", "records_waited", "stable"),
)


def happenings_of(timeline: Timeline) -> list[dict[str, Any]]:
    """Everything that happened, for programs; partitions as Kafka prints them."""
    return [
        {
            "at_ms": round(happening.at, 3),
            "what": happening.what,
            "member": happening.member,
            "member_id": happening.member_id,
            "generation": happening.generation,
            "partitions": partitions_of(timeline, happening.partitions),
            "why": happening.why,
        }
        for happening in timeline.happenings
    ]


def lag_of(timeline: Timeline) -> list[dict[str, Any]]:
    """The most that each partition was behind, of those that were; nothing where it isn't known."""
    partitions = timeline.lag.partitions if timeline.lag else {}
    return [
        {
            "partition": partitions_of(timeline, frozenset((number,)))[0],
            "records": round(item.records, 3),
            "seconds": round(item.seconds, 3),
            "catch_up_seconds": item.catch_up and round(item.catch_up, 3),
            "reader": None if item.reader is None else timeline.lives[item.reader],
        }
        for number, item in partitions.items()
    ]


def tables_of(simulation: GroupSimulation) -> dict[str, list[dict[str, Any]]]:
    """All of a simulation for programs."""
    timeline = simulation.timeline
    figures = {field: getattr(timeline, field) for field in FIELDS} | lag_figures(timeline)
    summary = {
        "cluster": simulation.cluster,
        "group": simulation.group,
        "strategy": simulation.strategy,
        "seconds": round(timeline.end / 1000, 3),
    }
    return {
        "simulation": [summary | figures],
        "generations": [
            {
                "at_ms": round(generation.at, 3),
                "generation": generation.number,
                "protocol": generation.protocol,
                "leader": generation.leader,
                "members": list(generation.members),
                "assignment": {
                    name: partitions_of(timeline, parts)
                    for name, parts in (generation.assignment or {}).items()
                },
            }
            for generation in timeline.generations
        ],
        "targets": [
            {
                "at_ms": round(target.at, 3),
                "epoch": target.epoch,
                "assignor": target.assignor,
                "assignment": {
                    name: partitions_of(timeline, parts)
                    for name, parts in target.assignment.items()
                },
            }
            for target in timeline.targets
        ],
        "pauses": [
            {
                "partition": partitions_of(timeline, frozenset((pause.partition,)))[0],
                "from_ms": round(pause.start, 3),
                "to_ms": round(pause.end, 3),
                "before": timeline.lives[pause.before] if pause.before >= 0 else None,
                "after": timeline.lives[pause.after],
            }
            for pause in timeline.pauses
        ],
        "lag": lag_of(timeline),
        "happenings": happenings_of(timeline),
    }


MEASURES = {
    "rebalances": "rebalances",
    "moved": "partitions moved",
    "taken_over": "partitions taken over",
    "unread_seconds": "partition-seconds unread",
    "longest_pause": "longest pause (seconds)",
    "stopped_needlessly": "stopped needlessly",
    "seconds_read_twice": "partition-seconds read twice",
}
"""Fields of a `Timeline`, and what people call them."""

LAG_MEASURES = {"records": "largest lag (records)", "seconds": "largest lag (seconds)"}
"""The same of its `lag`."""


def spread_of(timelines: Sequence[Timeline]) -> list[dict[str, Any]]:
    """A row a measure: its least, median and most among the timelines, of which there is one."""
    by_measure = {field: [getattr(timeline, field) for timeline in timelines] for field in MEASURES}
    lags = [timeline.lag for timeline in timelines if timeline.lag]
    if lags:
        by_measure |= {field: [getattr(lag, field) for lag in lags] for field in LAG_MEASURES}
    return [
        {
            "measure": name,
            "least": float(min(by_measure[field])),
            "median": float(median(by_measure[field])),
            "most": float(max(by_measure[field])),
        }
        for field, name in (MEASURES | LAG_MEASURES).items()
        if field in by_measure
    ]
