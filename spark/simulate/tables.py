"""A simulation for programs: all that happened, as tables."""

from __future__ import annotations

from typing import Any

from optimizer.coordinator import Timeline
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
            "at_ms": round(one.at, 3),
            "what": one.what,
            "member": one.member,
            "member_id": one.member_id,
            "generation": one.generation,
            "partitions": partitions_of(timeline, one.partitions),
            "why": one.why,
        }
        for one in timeline.happenings
    ]


def tables_of(found: GroupSimulation) -> dict[str, list[dict[str, Any]]]:
    """All of a simulation for programs."""
    timeline = found.timeline
    figures = {field: getattr(timeline, field) for field in FIELDS}
    summary = {
        "cluster": found.cluster,
        "group": found.group,
        "strategy": found.strategy,
        "seconds": round(timeline.end / 1000, 3),
    }
    return {
        "simulation": [summary | figures],
        "generations": [
            {
                "at_ms": round(one.at, 3),
                "generation": one.number,
                "protocol": one.protocol,
                "leader": one.leader,
                "members": list(one.members),
                "assignment": {
                    name: partitions_of(timeline, parts)
                    for name, parts in (one.assignment or {}).items()
                },
            }
            for one in timeline.generations
        ],
        "targets": [
            {
                "at_ms": round(one.at, 3),
                "epoch": one.epoch,
                "assignor": one.assignor,
                "assignment": {
                    name: partitions_of(timeline, parts) for name, parts in one.assignment.items()
                },
            }
            for one in timeline.targets
        ],
        "pauses": [
            {
                "partition": partitions_of(timeline, frozenset((one.partition,)))[0],
                "from_ms": round(one.start, 3),
                "to_ms": round(one.end, 3),
                "before": timeline.lives[one.before] if one.before >= 0 else None,
                "after": timeline.lives[one.after],
            }
            for one in timeline.pauses
        ],
        "happenings": happenings_of(timeline),
    }
