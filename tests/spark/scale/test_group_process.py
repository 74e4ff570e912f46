"""What is known of a group's rates becomes its process; what isn't is said, and never guessed."""

from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from spark.fleet import FleetFiles
from spark.groups import FleetGroup, one_row
from spark.scale.group_process import GroupProcess, process_of
from spark.scale.policies_file import ScaleSettings
from spark.settings import NO_CONSUMERS
from tests.spark.scale.groups_over_time import fleet
from tests.support.offsets import snapshot_at

HOUR = 3600


@pytest.fixture
def files(tmp_path: Path) -> FleetFiles:
    fleet(1).store(tmp_path / "store", snapshot_at(1))
    return FleetFiles.read(str(tmp_path / "store"))


def process_from(
    files: FleetFiles,
    pairs: dict[int, list[tuple[int, int, float]]],
    hours: int = 4,
    settings: ScaleSettings | None = None,
    peak: tuple[float, ...] = (100.0,),
    behind: Sequence[tuple[int, int, int, int]] = (),
    **changes: Any,
) -> GroupProcess | FleetGroup:
    """Of the group `orders`, whose partitions have pairs (since, until, rate) in hours.

    What is `behind` are a partition, an hour, a lag and the end of a log without a commit.
    """
    row = one_row(files, "orders", "c")._asdict() | {"type": None} | changes
    flat = [pair for of_partition in pairs.values() for pair in of_partition]
    rates = {
        "pair_topics": np.zeros(len(pairs), int),
        "pair_partitions": np.array([*pairs]),
        "pair_since_counts": np.array([len(items) for items in pairs.values()]),
        "pair_since": np.array([since * HOUR for since, _, _ in flat]),
        "pair_at": np.array([until * HOUR for _, until, _ in flat]),
        "pair_rates": np.array([rate for _, _, rate in flat]),
        "behind_topics": np.zeros(len(behind), int),
        "behind_partitions": np.array([item[0] for item in behind], int),
        "behind_since": np.array([item[1] * HOUR for item in behind], int),
        "behind_lags": np.array([item[2] for item in behind], int),
        "behind_ends": np.array([item[3] for item in behind], int),
        "sized_at": np.arange(hours + 1) * HOUR,
        "sized": np.full(hours + 1, 2),
        "peak_rates": np.array(peak),
    }
    instants = np.arange(hours + 1) * HOUR
    made: Any = SimpleNamespace(**row, **rates)
    return process_of(made, instants, 24.0 * HOUR, settings or ScaleSettings(), NO_CONSUMERS)


def steady(hours: int = 4) -> dict[int, list[tuple[int, int, float]]]:
    return {n: [(at, at + 1, 10.0) for at in range(hours)] for n in range(8)}


def test_rates_of_each_interval_and_partition(files: FleetFiles) -> None:
    made = process_from(files, steady())
    assert isinstance(made, GroupProcess)
    assert made.process.rates.tolist() == [[10.0] * 8] * 4
    assert (made.process.recorded.tolist(), made.notes) == ([2] * 4, ())
    assert made.process.assignments.strategy == "range"
    one = process_from(files, steady(1), hours=1)
    assert isinstance(one, GroupProcess)
    assert one.process.hours() == 1


def test_it_begins_with_what_it_is_behind_at_the_first_snapshot(files: FleetFiles) -> None:
    """Partition 2 came an hour later, and nothing was ever committed of 3; topics have 0 to 7."""
    behind = [(0, 0, 500, -1), (1, 0, 0, -1), (2, 1, 900, -1), (3, 0, -1, 40), (9, 0, 7, -1)]
    made = process_from(files, steady(), behind=behind)
    assert isinstance(made, GroupProcess)
    assert made.process.lag.tolist() == [500, 0, 0, 0, 0, 0, 0, 0]
    ends = made.process.uncommitted_ends(0.0)
    assert np.flatnonzero(~np.isnan(ends)).tolist() == [3]
    assert made.process.uncommitted_ends(2.0 * HOUR)[3] == 40 + 10 * 2 * HOUR


def test_an_end_that_fell_makes_its_interval_not_count(files: FleetFiles) -> None:
    pairs = steady()
    pairs[3][1] = (1, 2, float("nan"))
    made = process_from(files, pairs)
    assert isinstance(made, GroupProcess)
    assert made.process.is_known.tolist() == [True, False, True, True]
    assert made.notes == (
        "1 of 4 intervals don't count: an end offset fell, or the gap between snapshots is too "
        "long",
    )


def test_a_gap_in_offsets_has_one_rate_and_is_said(files: FleetFiles) -> None:
    pairs = steady()
    pairs[0] = [(0, 3, 20.0), (3, 4, 10.0)]
    made = process_from(files, pairs)
    assert isinstance(made, GroupProcess)
    assert made.process.rates[:, 0].tolist() == [20, 20, 20, 10]
    assert made.notes == ("one rate stands for up to 3 intervals, where offsets are missing",)


def test_partitions_without_rates_count_as_idle_and_are_said(files: FleetFiles) -> None:
    pairs = steady()
    del pairs[7]
    pairs[6] = [(2, 3, 10.0), (3, 4, 10.0)]  # it came later
    made = process_from(files, pairs)
    assert isinstance(made, GroupProcess)
    assert made.process.rates[:, 6:].tolist() == [[0, 0], [0, 0], [10, 0], [10, 0]]
    assert made.notes == ("1 of 8 partitions have no rates and count as idle",)


@pytest.mark.parametrize(
    ("pairs", "options", "why"),
    [
        ({0: [(0, 1, float("nan"))]}, {"hours": 1}, "no interval counts: each is longer than `max"),
        ({}, {}, "two snapshots with offsets"),
        (steady(), {"peak": ()}, "state `peak_rate`"),
    ],
)
def test_groups_that_can_not_be_replayed_say_why(
    files: FleetFiles, pairs: Any, options: dict[str, Any], why: str
) -> None:
    made = process_from(files, pairs, **options)
    assert isinstance(made, FleetGroup)
    assert why in (made.reason or "")


def test_a_rate_that_is_stated_needs_no_record(files: FleetFiles) -> None:
    stated = process_from(files, steady(), settings=ScaleSettings(peak_rate=70.0), peak=())
    assert isinstance(stated, GroupProcess)
    assert stated.process.peak_rate == 70.0
