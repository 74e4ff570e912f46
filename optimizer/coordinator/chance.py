"""What is chance in a run: ids, phases, and when clients come to what they have to do."""

import math
from random import Random
from typing import Protocol


class Beating(Protocol):
    """A client, as far as its heartbeats go."""

    name: str
    beats_from: float
    is_classic: bool

    @property
    def beat_interval(self) -> float: ...


class Chance(Random):
    """Draws by a seed; all that a client does comes when it is expected. Times are milliseconds."""

    def beat(self, client: Beating, interval: float, now: float) -> float:
        """When the next regular heartbeat goes out, with so long from one to the next."""
        beats = max(math.floor((now - client.beats_from) / interval), 0)
        return client.beats_from + beats * interval + interval

    def time(self, what: str, name: str, expected: float, after: float) -> float:
        """When a member sends a `request`, a `join`, has `rejoined` or has `reconciled`."""
        return expected

    def look(self, name: str, now: float, age: float) -> float:
        """How long after a topic changed a client, with metadata of that age at most, looks."""
        return self.uniform(0, age)
