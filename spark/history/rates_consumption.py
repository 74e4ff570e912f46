"""How fast each group reads each partition, how late it is, and whether it will catch up."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from optimizer.model import IntArray, Reals, ranges
from spark.history.rates_ends import Ends, last_seen
from spark.history.rates_pairs import Doubt, Pairs, Runs, broke, summary
from spark.history.rates_tracks import Tracks
from spark.history.series_arrow import Mask, array_of

A_LINE = 0.5
"""A lag grows, and doesn't just vary, where time explains so much of its variance (r²)."""

CONSUMPTION = (
    "cluster string, `group` string, topic string, partition int, last_seen string, mean double, "
    "quantile double, maximum double, now double, pairs bigint, resets bigint, lag bigint, "
    "lag_trend double, lag_seconds double, at_least boolean, seconds_to_drain double, "
    "falls_behind boolean"
)


def consumption_batch(
    ends: Ends,
    tracks: Tracks,
    quantile: float,
    doubts: Sequence[Doubt],
    ids: Mapping[int, str],
) -> pa.RecordBatch:
    """A row a group and partition: see `FleetRates.consumption`."""
    runs, pairs, last = tracks.runs, tracks.pairs(doubts), tracks.runs.last
    trend = _trend(tracks, pairs)
    age = _age(ends, tracks)
    now = _at(pairs.rate, runs.latest(tracks.committed >= 0))
    lag = tracks.lag[last]
    is_known = lag >= 0
    drained, grows = (is_known & (lag > 0) & sign for sign in (trend.pace < 0, trend.pace > 0))
    with np.errstate(invalid="ignore", divide="ignore"):
        seconds = np.where(lag == 0, 0.0, lag / -trend.pace)
        is_behind = grows & (trend.slope > 0) & (trend.fit >= A_LINE)
    result = summary(runs, pairs, quantile)
    columns = {
        "cluster": tracks.cluster.at(last).array(),
        "group": tracks.group.at(last).array(),
        "topic": tracks.topic.at(last).array(),
        "partition": array_of(tracks.partition[last], pa.int32()),
        "last_seen": last_seen(tracks.at[last], ids),
        **{name: result[name] for name in ("mean", "quantile", "maximum")},
        "now": _reals(now),
        **{name: result[name] for name in ("pairs", "resets")},
        "lag": array_of(lag, pa.int64(), is_known),
        "lag_trend": _reals(trend.slope),
        "lag_seconds": _reals(age.seconds),
        "at_least": array_of(age.at_least, pa.bool_(), age.has_bound),
        "seconds_to_drain": array_of(seconds, pa.float64(), (lag == 0) | drained),
        "falls_behind": array_of(
            is_behind, pa.bool_(), (lag == 0) | (is_known & ~np.isnan(trend.pace))
        ),
    }
    return pa.RecordBatch.from_pydict(columns)


class Trend(NamedTuple):
    """Records a second by which each track's lag grows; NaN where that isn't known.

    `pace` since its neighbour, `slope` as the line of least squares has it, since an offset last
    fell; `fit` is its r².
    """

    pace: Reals
    slope: Reals
    fit: Reals


def _trend(tracks: Tracks, pairs: Pairs) -> Trend:
    runs, is_known, at, lag = tracks.runs, tracks.lag >= 0, tracks.at, tracks.lag
    ended = runs.before(tracks.end >= 0)
    end_fell = (ended >= 0) & (tracks.end >= 0) & (tracks.end < tracks.end[ended])
    last = broke(runs, pairs.fell | end_fell, at).repeat(runs.lengths)
    before = runs.before(is_known)
    unbroken = is_known & (before >= 0) & (at[before] >= last)
    pace = np.full(len(at), np.nan)
    since = before[unbroken]
    pace[unbroken] = (lag[unbroken] - lag[since]) / (at[unbroken] - at[since])
    slope, fit = _line(runs, at, lag, is_known & (at >= last))
    return Trend(_at(pace, runs.latest(is_known)), slope, fit)


def _line(runs: Runs, at: IntArray, lag: IntArray, is_point: Mask) -> tuple[Reals, Reals]:
    """The slope and the r² of the line of least squares through the rows of each run."""
    count = np.maximum(runs.count(is_point), 1)
    x = np.where(is_point, at - at[runs.starts].repeat(runs.lengths), 0).astype(np.float64)
    y = np.where(is_point, lag, 0).astype(np.float64)
    x -= (runs.total(x) / count).repeat(runs.lengths)
    y -= (runs.total(y) / count).repeat(runs.lengths)
    x[~is_point], y[~is_point] = 0, 0
    xx, yy, xy = runs.total(x * x), runs.total(y * y), runs.total(x * y)
    with np.errstate(invalid="ignore", divide="ignore"):
        slope = np.where(xx > 0, xy / xx, np.nan)
        fit = np.where(yy > 0, xy * xy / (xx * yy), 1.0)
    return slope, np.where(xx > 0, fit, np.nan)


class Age(NamedTuple):
    """How long before its last instant the end was where the committed offset is; NaN if unknown.

    Whether that is `at_least` so long is told where `has_bound` says so.
    """

    seconds: Reals
    at_least: Mask
    has_bound: Mask


def _age(ends: Ends, tracks: Tracks) -> Age:
    """On straight lines between the instants at which a partition's end is known."""
    rows = np.flatnonzero(ends.unbroken)
    last = tracks.runs.last
    at, committed = tracks.at[last], tracks.committed[last]
    series, wanted = ends.series[rows], tracks.series[last]
    starts = series.searchsorted(wanted)
    lengths = series.searchsorted(wanted, "right") - starts
    entry = rows[ranges(starts, lengths)]
    of = np.arange(len(last)).repeat(lengths)
    then, end = ends.at[entry], ends.end[entry]
    past = then <= at[of]
    count = np.bincount(of[past], minlength=len(last))
    passed = np.bincount(of[past & (end <= committed[of])], minlength=len(last))
    # one more entry stands for what isn't there
    then, end = np.append(ends.at[rows], 0), np.append(ends.end[rows], 0)
    first, before = np.minimum(starts, len(rows)), np.maximum(starts + passed - 1, 0)
    after = np.minimum(starts + passed, len(rows))
    with np.errstate(invalid="ignore", divide="ignore"):
        way = (committed - end[before]) / (end[after] - end[before])
        seconds = at - then[before] - way * (then[after] - then[before])
    reach = (at - then[first]).astype(np.float64)
    seconds = np.where(passed == 0, np.where(reach == 0, np.nan, reach), seconds)
    seconds = np.where(passed == count, 0.0, seconds)
    seconds[(committed < 0) | (count == 0)] = np.nan
    late = (committed >= 0) & (passed == 0) & (reach > 0)
    return Age(seconds, late, (committed < 0) | (count > 0))


def _at(values: Reals, rows: IntArray) -> Reals:
    """The values of these rows; NaN for UNKNOWN."""
    return np.where(rows >= 0, values[rows], np.nan)


def _reals(values: Reals) -> pa.Array:
    return array_of(values, pa.float64(), ~np.isnan(values))
