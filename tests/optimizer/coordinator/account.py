"""A record and a timeline side by side, in the same words."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from optimizer.coordinator import Timeline
from tests.optimizer.coordinator.held_up import held_up

Partition = tuple[str, int]

Record = dict[str, Any]


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
        ends = {event["generation"]: event["t"] for event in self.of_coordinator("join_phase_done")}
        lags = [
            event["t"] - ends[event["generation"]]
            for event in self.of_client("synced")
            if event["generation"] in ends
        ]
        lags += self._reconciliations()
        return float(max((lag for lag in lags if lag < 2_000), default=0))

    def _reconciliations(self) -> list[float]:
        """How long reconciliations took until the application heard that they were done."""
        ends: dict[str, list[float]] = {}
        for event in self.of_application("assigned"):
            ends.setdefault(event["member"], []).append(event["t"])
        return [
            next((end - event["t"] for end in ends[event["member"]] if end >= event["t"]), 0)
            for event in self.of_client("reconciling")
            if event["member"] in ends
        ]

    def names(self, partitions: Iterable[int]) -> list[Partition]:
        """Partitions of the timeline as the record names them."""
        return sorted(
            (
                self.timeline.partitions[partition][0].removeprefix(self.prefix),
                self.timeline.partitions[partition][1],
            )
            for partition in partitions
        )

    def near(self, ours: float, theirs: float, *, lag: float = 0) -> bool:
        """Whether two times are the same, as far as times repeat."""
        return abs(ours - theirs) <= self.tolerance + lag

    def of_coordinator(self, *what: str) -> list[Record]:
        """What the broker did of these kinds."""
        return [event for event in self.record["coordinator"] if event["what"] in what]

    def of_client(self, *what: str) -> list[Record]:
        """What consumers did of these kinds."""
        return [event for event in self.record["client"] if event["what"] in what]

    def of_application(self, *what: str) -> list[Record]:
        """What applications saw of these kinds."""
        return [event for event in self.record["events"] if event["what"] in what]


def named(partitions: Iterable[Any]) -> list[Partition]:
    """Partitions of a record, in order."""
    return sorted((topic, number) for topic, number in partitions)


def shown(partitions: Iterable[Partition]) -> str:
    """Partitions as Kafka prints them."""
    return ", ".join(f"{topic}-{number}" for topic, number in partitions) or "nothing"
