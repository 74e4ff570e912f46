"""How fast each partition of a fleet flows, and how fast its groups read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property

from pyspark.sql import DataFrame, functions as F

from spark.errors import InputError
from spark.fleet import escaped_rows
from spark.history.rates_clocks import doubts_of
from spark.history.rates_consumption import consumption_of
from spark.history.rates_ends import ends_of, pairs_of, rates_of
from spark.history.rates_members import members_of
from spark.history.rates_pairs import Doubt
from spark.history.rates_tracks import tracks_of
from spark.history.rates_window import AT, RateWindow
from spark.history.timeline import Timeline
from spark.unpersist_handle import Handle

WINDOW, QUANTILE = timedelta(hours=24), 0.95


@dataclass(frozen=True)
class FleetRates(Handle):
    """Rates in records a second, of what each cluster's `window` holds; `notes` tell of oddities.

    A rate is of a pair of neighbours: two snapshots between which no other knows the offset. `mean`
    is the mean of a partition's pairs, `quantile` lies between two of them as numpy's does
    (linear), `maximum` is the highest, `pairs` their number: without any they are null. Where an
    offset fell, the series begins again, which `resets` counts, and that pair doesn't count.
    Negative offsets aren't known. `last_seen` is the last snapshot that has the row's key.

    What they are made of is kept from first use until `release`, that of the history included.
    """

    window: RateWindow
    quantile: float
    notes: tuple[str, ...]
    _tables: Mapping[str, DataFrame] = field(repr=False)
    _ends: DataFrame = field(repr=False)
    _tracks: DataFrame = field(repr=False)
    _doubts: list[Doubt] = field(repr=False)

    @cached_property
    def rates(self) -> DataFrame:
        """A row (cluster, topic, partition): what comes in, by the end offsets.

        Where several groups were told an end at one instant, the highest counts.
        """
        return rates_of(self._ends, self.quantile, self._doubts)

    @cached_property
    def pairs(self) -> DataFrame:
        """A row (cluster, topic, partition) with its `pairs` in order of time, of what comes in.

        Each has `since` and `at` in seconds since 1970, and its `rate`; null where the end fell.
        """
        return pairs_of(self._ends, self._doubts)

    @cached_property
    def sizes(self) -> DataFrame:
        """A row (cluster, group, at): how many `members` the group had then."""
        placed = self.window.placed(self._tables["members"])
        counted = placed.groupBy("cluster", "group", AT).agg(
            F.count("*").cast("int").alias("members")
        )
        return escaped_rows(counted)

    @cached_property
    def consumption(self) -> DataFrame:
        """A row (cluster, group, topic, partition): what is read, by the committed offsets.

        `now` is the rate of the newest pair. `lag` is that in `last_seen`, not below 0; `lag_trend`
        by how many records a second it grew, as the line of least squares has it, since an offset
        last fell. `lag_seconds` is how long before `last_seen` the end was where the committed
        offset is, on straight lines between snapshots; where the window doesn't reach back so far,
        it is `at_least` that. `seconds_to_drain`: how long until there is no lag if it goes on to
        shrink as it did between the last two snapshots; null where it didn't. It `falls_behind`
        where it grew then, and over time more than it varied.
        """
        return consumption_of(self._tracks, self._ends, self.quantile, self._doubts)

    @cached_property
    def members(self) -> DataFrame:
        """A row (cluster, group, member_id), of all that were there: what a member reads.

        That is the sum over the partitions that it owned at both ends of a pair: `now` in the
        newest pair, as a `mean`, and the `maximum` that it has been seen to do.
        """
        return members_of(self._tables, self._tracks, self.window, self._doubts)

    @cached_property
    def peak_rates(self) -> DataFrame:
        """A row (cluster, group), `most`: the most that one of its members has been seen to do."""
        seen = self.members.where("maximum > 0")
        return seen.groupBy("cluster", "group").agg(F.max("maximum").alias("most"))

    def release(self) -> None:
        """Free what is kept."""
        self._ends.unpersist()
        self._tracks.unpersist()


def fleet_rates(
    tables: Mapping[str, DataFrame],
    timeline: Timeline,
    window: timedelta | str = WINDOW,
    quantile: float = QUANTILE,
) -> FleetRates:
    """See `FleetHistory.rates`."""
    if not 0 <= quantile <= 1:
        raise InputError(f"quantile {quantile} isn't between 0 and 1, such as 0.95")
    if "offsets" not in tables:
        raise InputError("no snapshot has a table offsets, and rates are made of offsets")
    selection = RateWindow.of(timeline, window)
    ends = ends_of(tables["offsets"], selection).persist()
    try:
        doubts, notes = doubts_of(ends, selection)
    except BaseException:
        ends.unpersist()
        raise
    tracks = tracks_of(tables, selection).persist()
    reports = (*selection.notes(), *notes)
    return FleetRates(selection, quantile, reports, tables, ends, tracks, doubts)
