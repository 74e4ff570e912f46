"""The packed series of a window: made once, and read by what is made of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import pyarrow as pa
from pyspark.sql import DataFrame

from spark.history.rates_ends import Ends
from spark.history.rates_pack import packed_series
from spark.history.rates_tracks import Tracks
from spark.history.rates_window import RateWindow
from spark.history.series_arrow import unpacked


@dataclass(frozen=True)
class Series:
    """The rows of `spark.history.rates_pack`, kept from first use until `release`."""

    packed: DataFrame
    has_claims: bool
    more: list[Series]

    @staticmethod
    def of(tables: Mapping[str, DataFrame], window: RateWindow, claims: bool) -> Series:
        """Those of a window; without `claims` nobody is known to own anything."""
        return Series(packed_series(tables, window, claims).persist(), claims, [])

    def with_claims(self, tables: Mapping[str, DataFrame], window: RateWindow) -> Series:
        """The same with owners."""
        if self.has_claims:
            return self
        self.more.append(Series.of(tables, window, claims=True))
        return self.more[-1]

    def of_ends(self, work: Callable[[Ends], pa.RecordBatch], schema: str) -> DataFrame:
        """What `work` makes of the ends of each task."""
        return self._made_of(["ends"], lambda ends: work(Ends.read(ends)), schema)

    def of_tracks(self, work: Callable[[Tracks], pa.RecordBatch], schema: str) -> DataFrame:
        """The same of its tracks."""
        return self._made_of(["tracks"], lambda tracks: work(Tracks.read(tracks)), schema)

    def of_both(self, work: Callable[[Ends, Tracks], pa.RecordBatch], schema: str) -> DataFrame:
        """The same of ends and tracks."""
        return self._made_of(
            ["ends", "tracks"],
            lambda ends, tracks: work(Ends.read(ends), Tracks.read(tracks)),
            schema,
        )

    def _made_of(
        self, columns: list[str], work: Callable[..., pa.RecordBatch], schema: str
    ) -> DataFrame:
        def each(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
            return (work(*tables) for tables in unpacked(batches))

        return self.packed.where("ends is not null").select(*columns).mapInArrow(each, schema)

    def release(self) -> None:
        """Free what is kept."""
        for series in (self, *self.more):
            series.packed.unpersist()
