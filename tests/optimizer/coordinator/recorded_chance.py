"""What was observed of a run: what chance made of it, to be repeated by the twin."""

import math
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from optimizer.coordinator import Beating, Chance

EARLIEST_MS = 50
"""How much earlier than expected something observed may be, as lateness adds up."""

LATEST_BEAT_MS = 500
"""How much later than expected a heartbeat may be on an idle machine."""

DRIFT_MS = 100
"""How much later than due each heartbeat of KIP-848 may be; all later ones are late as well."""

LATEST_UNWATCHED_MS = 1_000
"""How much later than expected a heartbeat may be of which most aren't observed."""

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

    beats: Times
    joins: Times
    reconciled: Times
    held_up_ms: float
    looks: Mapping[float, Mapping[str, float]]


class RecordedChance(Chance):
    """Chance as it was in a recorded run, where that was observed."""

    observed: Observed

    def beat(self, client: Beating, interval: float, now: float) -> float:
        """The observed heartbeat, or one in the phase of the next that was observed."""
        latest, late_phase = LATEST_BEAT_MS, LATEST_BEAT_MS / 2
        if not client.is_classic:
            # nearly an interval: a heartbeat that wasn't observed has changed nothing
            most = LATEST_UNWATCHED_MS + self.observed.held_up_ms
            latest = min(client.beat_interval - EARLIEST_MS, most)
        passed = math.floor((now - client.beats_from) / interval)
        due = client.beats_from + passed * interval
        following = due + interval if passed > 0 else client.beats_from + interval
        after = max(client.beats_from, now)
        # one that should be over may be late
        for expected in (due, following) if passed > 0 else (following,):
            earliest = max(expected - EARLIEST_MS, after)
            if observed := _first(self.observed.beats, client.name, earliest, expected + latest):
                return observed
        if not client.is_classic:
            late_phase += round((following - client.beats_from) / interval) * DRIFT_MS
        return self._phase(client, following, now, late_phase)

    def _phase(self, client: Beating, expected: float, after: float, latest: float) -> float:
        """When a heartbeat was that wasn't observed, by the phase of the next one that was."""
        interval = client.beat_interval
        seen = _first(self.observed.beats, client.name, after, expected + 2.5 * interval)
        if seen is None:
            return expected
        late = (seen - expected) % interval
        if late > interval - EARLIEST_MS:
            late -= interval
        if late > latest:
            return expected
        shifted = expected + late
        return shifted if shifted > after else shifted + interval

    def time(self, what: str, name: str, expected: float, after: float) -> float:
        """When a member did something, if that was observed."""
        observed = self.observed
        times = {"join": observed.joins, "reconciled": observed.reconciled}
        latest = LATEST_REQUEST_MS if what == "request" else LATEST_ANSWER_MS
        last = expected + latest + observed.held_up_ms
        return _first(times.get(what, observed.beats), name, after, last) or expected

    def look(self, name: str, now: float, age: float) -> float:
        drawn = super().look(name, now, age)
        return self.observed.looks.get(now, {}).get(name, drawn)


def recorded_chance(observed: Observed, seed: int) -> RecordedChance:
    """What a scenario draws from that repeats a run."""
    chance = RecordedChance(seed)
    chance.observed = observed
    return chance


def _first(times: Times, name: str, after: float, latest: float) -> float | None:
    """The first time of a member after one and not later than another."""
    seen = times.get(name, ())
    at = bisect_right(seen, after)
    return seen[at] if at < len(seen) and seen[at] <= latest else None
