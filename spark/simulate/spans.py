"""A timeline as rows for a chart: who reads how much from when to when."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from optimizer.coordinator import Timeline
from spark.simulate.picture import steps_of_spans

MEMBERS = 24
"""So many members are told of: those whose reading changes most often."""

Span = tuple[float, float]


def spans_of(timeline: Timeline) -> list[dict[str, Any]]:
    """Rows of `spark.charts.timeline`: lag, each member, and what nobody reads.

    How a group at rest goes on is told for a tenth of the time, so that it is seen.
    """
    ends = timeline.end + (timeline.end / 10 if timeline.stable else 0)
    reads: dict[str, list[Span]] = {name: [] for name in timeline.lives}
    for item in timeline.readings:
        until = ends if item.end >= timeline.end else item.end
        reads[timeline.lives[item.member]].append((item.start, until))
    steps = {name: _steps(spans) for name, spans in reads.items()}
    shown = sorted(steps, key=lambda name: (-len(steps[name]), name))[:MEMBERS]
    pauses = [(pause.start, pause.end) for pause in timeline.pauses]
    pauses += [(since, ends) for since in timeline.unread_at_end.values()]
    lanes: list[tuple[str | None, list[tuple[float, float, int]]]]
    lanes = [*((name, steps[name]) for name in sorted(shown)), (None, _steps(pauses))]
    course = timeline.lag.course if timeline.lag else []
    lag = [{"at": time / 1000, "lag": records} for time, records in course]
    return lag + [
        {"member": name, "start": start / 1000, "end": end / 1000, "partitions": count}
        for name, of_lane in lanes
        for start, end, count in of_lane
    ]


def _steps(spans: Iterable[Span]) -> list[tuple[float, float, int]]:
    """From when to when how many of the spans last, where any do."""
    times, counts = steps_of_spans(spans)
    steps = zip(pairwise(times.tolist()), counts.tolist(), strict=False)
    return [(at, until, count) for (at, until), count in steps if count]
