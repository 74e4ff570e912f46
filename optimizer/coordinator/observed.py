"""What was observed of a run: what chance made of it, to be repeated by the twin."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

EARLIEST_MS = 50
"""How much earlier than expected something observed may be, as lateness adds up."""

LATEST_BEAT_MS = 500
"""How much later than expected a heartbeat may be on an idle machine."""

LATEST_ANSWER_MS = 700
"""How much later than expected a member may come to what it has to do in poll()."""

LATEST_REQUEST_MS = 100
"""How much later than it was sent a request may arrive."""

Times = Mapping[str, Sequence[float]]


@dataclass(frozen=True)
class Observed:
    """Times by member, in order; each is taken in place of one that is expected about then.

    `beats` are heartbeats, of which those may be left out that change nothing; `joins` JoinGroups;
    `reconciled` ends of reconciliations (KIP-848). `held_up_ms` is how much the machine is known to
    have held members up, so that what they did may be that much later.
    """

    beats: Times = field(default_factory=dict)
    joins: Times = field(default_factory=dict)
    reconciled: Times = field(default_factory=dict)
    held_up_ms: float = 0

    def beat(self, name: str, expected: float, after: float, within: float) -> float | None:
        """The heartbeat that was expected then, if it comes after a time."""
        return _first(self.beats, name, max(expected - EARLIEST_MS, after), expected + within)

    def phase(
        self, name: str, expected: float, after: float, interval: float, within: float
    ) -> float:
        """When a heartbeat was that wasn't observed, by the phase of the next one that was."""
        seen = self.beats.get(name, ())
        at = bisect_right(seen, after)
        if at == len(seen) or seen[at] > expected + 2.5 * interval:
            return expected
        late = (seen[at] - expected) % interval
        if late > interval - EARLIEST_MS:
            late -= interval
        if late > within:
            return expected
        shifted = expected + late
        return shifted if shifted > after else shifted + interval

    def request(self, name: str, expected: float, after: float) -> float:
        """When a request arrived that was sent shortly before it is expected."""
        latest = expected + LATEST_REQUEST_MS + self.held_up_ms
        return _first(self.beats, name, after, latest) or expected

    def rejoined(self, name: str, expected: float, after: float) -> float:
        """When the first heartbeat of a member arrived that has lost its membership."""
        return _first(self.beats, name, after, self._latest(expected)) or expected

    def join(self, name: str, expected: float, after: float) -> float:
        """When a JoinGroup was sent."""
        return _first(self.joins, name, after, self._latest(expected)) or expected

    def reconciliation(self, name: str, expected: float, after: float) -> float:
        """When a reconciliation ended."""
        return _first(self.reconciled, name, after, self._latest(expected)) or expected

    def _latest(self, expected: float) -> float:
        return expected + LATEST_ANSWER_MS + self.held_up_ms


def _first(times: Times, name: str, after: float, latest: float) -> float | None:
    """The first time of a member after one and not later than another."""
    seen = times.get(name, ())
    at = bisect_right(seen, after)
    return seen[at] if at < len(seen) and seen[at] <= latest else None
