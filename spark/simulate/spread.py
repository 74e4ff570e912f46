"""What chance makes of a scenario: the figures of several seeds side by side."""

from collections.abc import Sequence
from statistics import median
from typing import Any

from optimizer.coordinator import Timeline

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
    values = {field: [getattr(timeline, field) for timeline in timelines] for field in MEASURES}
    lags = [timeline.lag for timeline in timelines if timeline.lag]
    if lags:
        values |= {field: [getattr(lag, field) for lag in lags] for field in LAG_MEASURES}
    return [
        {
            "measure": name,
            "least": float(min(values[field])),
            "median": float(median(values[field])),
            "most": float(max(values[field])),
        }
        for field, name in (MEASURES | LAG_MEASURES).items()
        if field in values
    ]
