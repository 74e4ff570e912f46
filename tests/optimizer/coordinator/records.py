"""Recorded runs of a real coordinator: as scenarios, and what a timeline does otherwise."""

import gzip
import json

from optimizer.coordinator import Timeline
from tests.optimizer.coordinator.account import Account
from tests.optimizer.coordinator.group_differences import group_differences
from tests.optimizer.coordinator.reading_differences import reading_differences
from tests.optimizer.coordinator.recorded_scenario import scenario_of
from tests.optimizer.coordinator.recording import Record
from tests.paths import DATA

__all__ = ["differences", "recorded", "scenario_of"]


def recorded() -> list[Record]:
    """The runs in the tests' data."""
    with gzip.open(DATA / "coordinator-4.3.1.jsonl.gz", "rt") as lines:
        return [json.loads(line) for line in lines]


def differences(record: Record, timeline: Timeline) -> list[str]:
    """What a timeline tells otherwise than the record, a sentence each; empty: as recorded."""
    account = Account(record, timeline)
    return [*group_differences(account), *reading_differences(account)]
