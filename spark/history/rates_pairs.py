"""Pairs of neighbours in a series of offsets: what lies between one snapshot and the next.

A series is what one partition's offset was at each instant; where it isn't known, or the partition
wasn't there, there is no snapshot of it: neighbours are those in which it is known. Rows of several
series follow each other, each in order of time.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from optimizer.model import IntArray, Reals, run_starts
from spark.history.series_arrow import UNKNOWN, Coded, Mask, array_of

MOST_KEYS = 2**62
"""Beyond that, numbers for the values of several columns might be too large."""


class Doubt(NamedTuple):
    """Instants of a cluster at which its clock may have been wrong, in seconds since 1970."""

    cluster: str
    instants: tuple[int, ...]


class Runs:
    """Rows that belong together and follow each other; `starts` are the first of each."""

    def __init__(self, keys: IntArray) -> None:
        """Neighbouring rows with the same key are a run."""
        self.rows = len(keys)
        self.starts = run_starts(keys)
        self.lengths: IntArray = np.diff(self.starts, append=self.rows)

    @property
    def of_row(self) -> IntArray:
        """The number of each row's run."""
        return np.arange(len(self.starts)).repeat(self.lengths)

    @property
    def last(self) -> IntArray:
        """The last row of each run."""
        return self.starts + self.lengths - 1

    def highest(self, values: IntArray) -> IntArray:
        result: IntArray = np.maximum.reduceat(values, self.starts) if self.rows else values[:0]
        return result

    def lowest(self, values: IntArray) -> IntArray:
        result: IntArray = np.minimum.reduceat(values, self.starts) if self.rows else values[:0]
        return result

    def total(self, values: Reals) -> Reals:
        """The sum of each run."""
        return np.bincount(self.of_row, values, len(self.starts)).astype(np.float64)

    def count(self, mask: Mask) -> IntArray:
        """How many rows of each run are chosen."""
        return np.bincount(self.of_row[mask], minlength=len(self.starts))

    def before(self, is_known: Mask) -> IntArray:
        """For each row the last one before it in its run of those that are known, or UNKNOWN."""
        latest = np.maximum.accumulate(np.where(is_known, np.arange(self.rows), UNKNOWN))
        before = np.append(UNKNOWN, latest)[: self.rows]
        return np.where(before >= self.starts.repeat(self.lengths), before, UNKNOWN)

    def latest(self, is_known: Mask) -> IntArray:
        """The last row of each run of those that are known, or UNKNOWN."""
        return self.highest(np.where(is_known, np.arange(self.rows), UNKNOWN))


def keyed(*columns: IntArray) -> IntArray:
    """A number for each row that tells the same values of these columns, in their order."""
    key: IntArray = np.zeros(len(columns[0]), np.int64)
    most = 1
    for column in columns:
        if not len(column):
            return key
        low = int(column.min())
        width = int(column.max()) - low + 1
        if most * width > MOST_KEYS:
            key = np.unique(key, return_inverse=True)[1]
            most = int(key.max()) + 1
        place = column - low
        if most * width > MOST_KEYS:
            place = np.unique(column, return_inverse=True)[1]
            width = int(place.max()) + 1
        key, most = key * width + place, most * width
    return key


def grouped(rows: IntArray, *columns: IntArray) -> tuple[IntArray, Runs]:
    """These rows in the order of their values in the columns, and those that are alike in all."""
    key = keyed(*(column[rows] for column in columns))
    order = key.argsort(kind="stable")
    return rows[order], Runs(key[order])


class Pairs(NamedTuple):
    """Each row of a series and its neighbour `before`, which is UNKNOWN where there is none.

    `rate` is in records a second: NaN without a neighbour, where the offset `fell`, or a clock is
    in doubt. It `resets` where the offset fell, and no clock is the likelier cause.
    """

    before: IntArray
    fell: Mask
    rate: Reals
    resets: Mask


def pairs_of(
    runs: Runs, values: IntArray, at: IntArray, cluster: Coded, doubts: Sequence[Doubt]
) -> Pairs:
    """The pairs of offsets, where these are known."""
    doubtful = _in_doubt(cluster, at, doubts)
    before = runs.before(values >= 0)
    paired = (before >= 0) & (values >= 0)
    fell = paired & (values < values[before])
    in_doubt = doubtful | ((before >= 0) & doubtful[before])
    rate = np.full(len(values), np.nan)
    rated = paired & ~fell & ~in_doubt
    since = before[rated]
    rate[rated] = (values[rated] - values[since]) / (at[rated] - at[since])
    return Pairs(before, fell, rate, fell & ~in_doubt)


def broke(runs: Runs, fell: Mask, at: IntArray) -> IntArray:
    """The last instant of each run at which an offset had fallen; the earliest of all if none."""
    return runs.highest(np.where(fell, at, np.iinfo(np.int64).min))


def _in_doubt(cluster: Coded, at: IntArray, doubts: Sequence[Doubt]) -> Mask:
    """The rows at an instant in doubt."""
    result = np.zeros(len(at), np.bool_)
    names = cluster.names.to_pylist() if doubts else []
    for doubt in doubts:
        result |= (cluster.codes == names.index(doubt.cluster)) & np.isin(at, doubt.instants)
    return result


SUMMARY = {
    "mean": pa.float64(),
    "quantile": pa.float64(),
    "maximum": pa.float64(),
    "pairs": pa.int64(),
    "resets": pa.int64(),
}


def summary(runs: Runs, pairs: Pairs, quantile: float) -> dict[str, pa.Array]:
    """Of the pairs of each run: mean, quantile and maximum of their rates, and their number."""
    is_known = ~np.isnan(pairs.rate)
    count = runs.count(is_known)
    total = runs.total(np.where(is_known, pairs.rate, 0))
    with np.errstate(invalid="ignore"):
        mean = total / count
    rates = pairs.rate[np.lexsort((pairs.rate, runs.of_row))]  # NaN comes last
    position = np.maximum(count - 1, 0) * quantile
    low, high = np.floor(position).astype(np.int64), np.ceil(position).astype(np.int64)
    lower, higher = rates[runs.starts + low], rates[runs.starts + high]
    between = (high - position) * lower + (position - low) * higher
    highest = rates[runs.starts + np.maximum(count - 1, 0)]
    any_known = count > 0
    values = {
        "mean": array_of(mean, pa.float64(), any_known),
        "quantile": array_of(np.where(low == high, lower, between), pa.float64(), any_known),
        "maximum": array_of(highest, pa.float64(), any_known),
        "pairs": array_of(count, pa.int64()),
        "resets": array_of(runs.count(pairs.resets), pa.int64()),
    }
    return values
