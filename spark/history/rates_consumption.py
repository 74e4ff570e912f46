"""How fast each group reads each partition, how late it is, and whether it will catch up."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, functions as F

from spark.files import SNAPSHOT
from spark.fleet import escaped_rows
from spark.history.rates_ends import PARTITION, history_of_ends, summary
from spark.history.rates_pairs import Doubt, rate, resets
from spark.history.rates_tracks import TRACK

A_LINE = 0.5
"""A lag grows, and doesn't just vary, where time explains so much of its variance (r²)."""

SINCE_BROKEN = "lag is not null and at >= ifnull(broke, at)"

PACE = (
    "if(lag_before.at >= ifnull(broke, 0), (lag - lag_before.value) / (at - lag_before.at), null)"
)
"""Records a second by which the lag grew since its neighbour; negative: it is being drained."""

MEASURES = {
    "now": "max_by(rate, at) filter (where committed is not null)",
    "committed": "max_by(committed, at)",
    "lag": "max_by(lag, at)",
    "lag_trend": f"regr_slope(lag, at) filter (where {SINCE_BROKEN})",
    "fit": f"regr_r2(lag, at) filter (where {SINCE_BROKEN})",
    "pace": "max_by(pace, at) filter (where lag is not null)",
    "at": "max(at)",
}
"""SQL text over the rows of a track."""

AGE = {
    "known": "filter(ends, one -> one.at <= at)",
    "passed": "size(filter(known, one -> one.end <= committed))",
    "last": "get(known, passed - 1)",
    "next": "get(known, passed)",
    "age": "at - last.at - (committed - last.end) / (next.end - last.end) * (next.at - last.at)",
    "at_least": "committed is not null and passed = 0 and get(known, 0).at < at",
    "lag_seconds": "case when committed is null or size(known) = 0 then null "
    "when passed = size(known) then 0.0D "
    "when passed = 0 then nullif(at - get(known, 0).at, 0) else age end",
}
"""SQL text, each over those before: when the end was where the committed offset is."""

AHEAD = {
    "seconds_to_drain": "case when lag = 0 then 0.0D when pace < 0 then lag / -pace end",
    "falls_behind": "case when lag = 0 then false when lag > 0 and pace is not null "
    f"then pace > 0 and lag_trend > 0 and fit >= {A_LINE} end",
}

COLUMNS = (
    *(*TRACK, "last_seen", "mean", "quantile", "maximum", "now", "pairs", "resets"),
    *("lag", "lag_trend", "lag_seconds", "at_least", "seconds_to_drain", "falls_behind"),
)


def consumption_of(
    tracks: DataFrame, ends: DataFrame, quantile: float, doubts: Sequence[Doubt]
) -> DataFrame:
    """A row a group and partition: see `FleetRates.consumption`."""
    pairs = tracks.withColumns(
        {
            "rate": rate("committed", "before", doubts),
            "resets": resets("committed", "before", doubts),
            "pace": F.expr(PACE),
        }
    )
    summed = pairs.groupBy(*TRACK).agg(
        F.max(SNAPSHOT).alias("last_seen"),
        *summary(quantile),
        *(F.expr(text).alias(name) for name, text in MEASURES.items()),
    )
    rows = summed.join(history_of_ends(ends), list(PARTITION), "left")
    for name, text in {**AGE, **AHEAD}.items():
        rows = rows.withColumn(name, F.expr(text))
    return escaped_rows(rows.select(*COLUMNS))
