"""A record and a timeline side by side, in the same words."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import NamedTuple

from optimizer.coordinator import Timeline
from tests.optimizer.coordinator.recording import Event, Record, events, held_up, times_of, waits

Partition = tuple[str, int]


class Fact(NamedTuple):
    """What is known of a subject, such as a member; `at` is None where times aren't compared."""

    subject: str
    what: object
    at: float | None = None


class Account:
    """Both, and how far their times may lie apart."""

    def __init__(self, record: Record, timeline: Timeline) -> None:
        self.record = record
        self.timeline = timeline
        self.prefix = record["topic_prefix"]
        late = max(record["outcome"]["late_ms"], held_up(record))
        self.tolerance = 300 + late if late <= 200 else 1_500
        self.lag = min(self._lag(), 1_000)

    def _lag(self) -> float:
        """How long answers took to those whom an assignment went to."""
        ends = {
            event["generation"]: event["t"] for event in self.of("coordinator", "join_phase_done")
        }
        lags = [
            event["t"] - ends[event["generation"]]
            for event in self.of("client", "synced")
            if event["generation"] in ends
        ]
        assigned = times_of(self.of("events", "assigned"))
        lags += [wait for _, wait in waits(self.of("client", "reconciling"), assigned)]
        return float(max((lag for lag in lags if lag < 2_000), default=0))

    def names(self, partitions: Iterable[int]) -> list[Partition]:
        """Partitions of the timeline as the record names them."""
        named = (self.timeline.partitions[partition] for partition in partitions)
        return sorted((topic.removeprefix(self.prefix), number) for topic, number in named)

    def shown(self, partitions: Iterable[int]) -> str:
        """Partitions of the timeline as text, as the record names them."""
        return shown(self.names(partitions))

    def near(self, ours: float, theirs: float, *, lag: float = 0) -> bool:
        """Whether two times are the same, as far as times repeat."""
        return abs(ours - theirs) <= self.tolerance + lag

    def unlike(
        self, recorded: Iterable[Fact], by_twin: Iterable[Fact], *, lag: float = 0
    ) -> Iterator[str]:
        """A sentence for the first fact of each subject that isn't as recorded, or far from it."""
        theirs, ours = _by_subject(recorded), _by_subject(by_twin)
        for subject in sorted({*theirs, *ours}):
            for their, our in zip_longest(theirs.get(subject, []), ours.get(subject, [])):
                same = their is not None and our is not None and their.what == our.what
                if not same or not self._is_near(our, their, lag):
                    yield f"{subject}: {_told(their)} was recorded, {_told(our)} is by the twin"
                    break

    def _is_near(self, our: Fact, their: Fact, lag: float) -> bool:
        return our.at is None or their.at is None or self.near(our.at, their.at, lag=lag)

    def of(self, source: str, *kinds: str) -> list[Event]:
        """What the coordinator, consumers (`client`) or applications (`events`) did."""
        return events(self.record, source, *kinds)


def _by_subject(facts: Iterable[Fact]) -> dict[str, list[Fact]]:
    by_subject: dict[str, list[Fact]] = {}
    for fact in facts:
        by_subject.setdefault(fact.subject, []).append(fact)
    return by_subject


def _told(fact: Fact | None) -> str:
    if fact is None:
        return "nothing more"
    return f"{fact.what}" if fact.at is None else f"{fact.what} at {fact.at:.0f} ms"


def shown(partitions: Iterable[Partition] | Iterable[list[object]]) -> str:
    """Partitions as Kafka prints them, in order."""
    named = sorted((topic, number) for topic, number in partitions)
    return ", ".join(f"{topic}-{number}" for topic, number in named) or "nothing"
