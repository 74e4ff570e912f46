"""A timeline as a picture in text: a line a member, what it reads over time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from optimizer.coordinator import Lag, Timeline
from spark.simulate.names import short_names

NOTHING = "·"
"""Shown where a member reads nothing."""

DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
"""How many partitions are read; more than these count as `+`."""

BARS = "▁▂▃▄▅▆▇█"
"""Eighths of the largest lag."""

LINES = 24
"""Members that are shown, those first whose assignment changes."""

NAME = 16
"""Columns of a name."""

Counts = NDArray[np.int64]


def picture_of(timeline: Timeline, columns: int = 80) -> list[str]:
    """Lines of at most that many columns: the members, and what nobody reads.

    A column stands for a stretch of time, and shows the fewest partitions that a member read
    within it, so that a short pause shows as well; `unread` the most that nobody read; `lag`, where
    it is known, how far the group was behind, for the most that it was.
    """
    slots = max(columns - NAME - 2, 10)
    edges = np.linspace(_begin(timeline), max(timeline.end, 1.0), slots + 1)
    reads = {name: _least(timeline, name, edges) for name in dict.fromkeys(timeline.lives)}
    changing = [name for name, counts in reads.items() if len(set(counts.tolist())) > 1]
    shown = changing[:LINES]
    short = short_names(reads)
    lines = [
        _line(short[name], (_digit(count) for count in reads[name].tolist())) for name in shown
    ]
    if len(reads) > len(shown):
        lines.append(
            f"({len(reads) - len(shown)} more members, of which "
            f"{len(changing) - len(shown)} change what they read)"
        )
    unread = _most_unread(timeline, edges)
    lines.append(_line("unread", (_digit(count) for count in unread.tolist())))
    if timeline.lag is not None and timeline.lag.records:
        lines.append(_line("lag", _heights(timeline.lag, edges)))
    lines.append(_axis(edges))
    return lines


def _begin(timeline: Timeline) -> float:
    """A little before the first thing that happens."""
    first = min((happening.at for happening in timeline.happenings), default=0.0)
    return max(0.0, first - 0.05 * (timeline.end - first))


def _least(timeline: Timeline, name: str, edges: NDArray[np.float64]) -> Counts:
    """The fewest partitions that a member read in each stretch."""
    mine = [item for item in timeline.readings if timeline.lives[item.member] == name]
    steps = steps_of_spans((item.start, item.end) for item in mine)
    return _extreme(steps, edges, np.minimum)


def _most_unread(timeline: Timeline, edges: NDArray[np.float64]) -> Counts:
    """The most partitions that nobody read in each stretch."""
    pauses = [(pause.start, pause.end) for pause in timeline.pauses]
    pauses += [(since, timeline.end) for since in timeline.unread_at_end.values()]
    return _extreme(steps_of_spans(pauses), edges, np.maximum)


def steps_of_spans(spans: Iterable[tuple[float, float]]) -> tuple[NDArray[np.float64], Counts]:
    """Times at which a number changes, and the number from then on."""
    changes: dict[float, int] = {}
    for start, end in spans:
        changes[start] = changes.get(start, 0) + 1
        changes[end] = changes.get(end, 0) - 1
    times = np.array(sorted(changes), np.float64)
    return times, np.cumsum([changes[time] for time in times.tolist()], dtype=np.int64)


def _extreme(
    steps: tuple[NDArray[np.float64], Counts], edges: NDArray[np.float64], of: np.ufunc
) -> Counts:
    times, values = steps
    if not len(times):
        return np.zeros(len(edges) - 1, np.int64)
    last = times[-1]
    at = np.searchsorted(times, edges[:-1], "right") - 1
    result: Counts = np.where(at >= 0, values[np.maximum(at, 0)], 0)
    inner = (times > edges[0]) & (times < min(float(edges[-1]), last + 1))
    inner &= ~((times == last) & (last >= edges[-1]))
    slot = np.searchsorted(edges, times[inner], "right") - 1
    of.at(result, slot, values[inner])
    return result


def _heights(lag: Lag, edges: NDArray[np.float64]) -> Iterator[str]:
    """The most that a group was behind in each stretch, as a bar as high as that."""
    times, records = np.array(lag.course).T
    at_edges = np.interp(edges, times, records)
    most = np.maximum(at_edges[:-1], at_edges[1:])
    slot = np.searchsorted(edges, times, "right") - 1
    inner = (slot >= 0) & (slot < len(most))
    np.maximum.at(most, slot[inner], records[inner])
    for height in np.ceil(most / lag.records * len(BARS)).astype(int).tolist():
        yield BARS[height - 1] if height else NOTHING


def _digit(count: int) -> str:
    if count == 0:
        return NOTHING
    return DIGITS[count] if count < len(DIGITS) else "+"


def _line(name: str, cells: Iterator[str]) -> str:
    short = name if len(name) <= NAME else f"{name[: NAME - 7]}…{name[-6:]}"
    return f"{short:<{NAME}}  {''.join(cells)}"


def _axis(edges: Sequence[float] | NDArray[np.float64]) -> str:
    """The times at both ends and in the middle."""
    width = len(edges) - 1
    first, middle, last = (f"{edges[at] / 1000:.0f} s" for at in (0, width // 2, width))
    line = f"{first:<{width // 2}}{middle}"
    return f"{'':<{NAME}}  {line}{last:>{max(width - len(line), len(last) + 1)}}"
