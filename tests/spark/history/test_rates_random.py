"""Rates against a plain loop in pandas and numpy."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from spark.history.rate_frames import made_of
from tests.support.offsets import Offsets, random_offsets, seconds_at

HOURS, QUANTILE = 12, 0.8

PARTITION, TRACK = ["cluster", "topic", "partition"], ["cluster", "group", "topic", "partition"]

NUMBERS = dict.fromkeys(("committed", "end", "lag", "generation"), pl.Int64)

Rows = dict[tuple[Any, ...], dict[str, Any]]


def offsets_in_window(made: Offsets) -> pd.DataFrame:
    offsets = pd.DataFrame(made.rows["offsets"]).astype({"committed_offset": float})
    offsets["committed_offset"] = offsets.committed_offset.where(offsets.committed_offset >= 0)
    last = {cluster: max(ids) for cluster, ids in made.instants.items()}
    offsets["at"] = offsets.snapshot.map(seconds_at)
    ends = offsets.cluster.map(last).map(seconds_at)
    return offsets[ends - offsets["at"] <= HOURS * 3600]


def summed(series: pd.Series[Any]) -> dict[str, Any]:
    """Of offsets by instants, those that aren't known left out."""
    pairs = [*pairwise(series.dropna().sort_index().items())]
    rates = [(b - a) / (t - s) for (s, a), (t, b) in pairs if b >= a]
    return {
        "mean": np.mean(rates) if rates else None,
        "quantile": np.quantile(rates, QUANTILE) if rates else None,
        "maximum": max(rates, default=None),
        "pairs": len(rates),
        "resets": sum(b < a for (_, a), (_, b) in pairs),
    }


def since_broken(*series: pd.Series[Any]) -> float:
    """The last instant at which any of these had fallen."""
    return max(
        (
            t
            for item in series
            for (_, a), (t, b) in pairwise(item.dropna().sort_index().items())
            if b < a
        ),
        default=0,
    )


def age_of(committed: float, at: float, ends: pd.Series[Any]) -> tuple[float | None, bool | None]:
    """How long ago the end was there, and whether that is a bound."""
    entries = ends[ends.index <= at]
    if committed is None or np.isnan(committed):
        return None, False
    if not len(entries):
        return None, None
    passed = int((entries <= committed).sum())
    if passed == len(entries):
        return 0.0, False
    if passed == 0:
        oldest = at - entries.index[0]
        return (oldest, True) if oldest else (None, False)
    then = np.interp(
        committed, entries.iloc[passed - 1 : passed + 1], entries.index[passed - 1 : passed + 1]
    )
    return at - then, False


def expected_rates(offsets: pd.DataFrame) -> tuple[Rows, dict[Any, pd.Series[Any]]]:
    rows: Rows = {}
    ends = {}
    for key, items in offsets.groupby(PARTITION):
        ends[key] = items.groupby("at").end_offset.max()
        rows[key] = summed(ends[key]) | {"last_seen": items.snapshot.max()}
    return rows, ends


def expected_consumption(offsets: pd.DataFrame, ends: dict[Any, pd.Series[Any]]) -> Rows:
    rows: Rows = {}
    for key, items in offsets.groupby(TRACK):
        of = items.set_index("at").sort_index()
        committed, at = of.committed_offset, of.index[-1]
        lags = of.lag.fillna(of.end_offset - of.committed_offset).clip(lower=0)
        newest = committed.dropna().iloc[-2:]
        fits = lags[lags.index >= since_broken(committed, of.end_offset)].dropna()
        trend = fit = pace = None
        if len(fits) > 1:
            trend = np.polyfit(fits.index - at, fits, 1)[0]
            pace = (fits.iloc[-1] - fits.iloc[-2]) / (fits.index[-1] - fits.index[-2])
            varies = fits.nunique() > 1
            fit = np.corrcoef(fits.index - at, fits)[0, 1] ** 2 if varies else 1
        end = ends[key[0], key[2], key[3]].dropna()
        age, at_least = age_of(committed.iloc[-1], at, end[end.index >= since_broken(end)])
        lag = None if np.isnan(lags.iloc[-1]) else lags.iloc[-1]
        now = None
        if len(newest) == 2 and newest.iloc[1] >= newest.iloc[0]:
            now = (newest.iloc[1] - newest.iloc[0]) / (newest.index[1] - newest.index[0])
        drained = 0.0 if lag == 0 else None
        if lag and pace is not None and pace < 0:
            drained = lag / -pace
        behind: bool | None = None
        if lag == 0:
            behind = False
        elif lag is not None and pace is not None:
            behind = pace > 0 and trend > 0 and fit >= 0.5
        rows[key] = summed(committed) | {
            "last_seen": items.snapshot.max(),
            "now": now,
            "lag": lag,
            "lag_trend": trend,
            "lag_seconds": age,
            "at_least": at_least,
            "seconds_to_drain": drained,
            "falls_behind": behind,
        }
    return rows


def expected_backlog(offsets: pd.DataFrame) -> Rows:
    rows: Rows = {}
    for key, items in offsets.groupby(TRACK):
        of = items.set_index("at").sort_index()
        lags = of.lag.fillna(of.end_offset - of.committed_offset).clip(lower=0)
        end = of.end_offset.iloc[0]
        is_uncommitted = of.committed_offset.isna().all() and lags.isna().all()
        rows[key] = {
            "since": of.index[0],
            "lag": None if np.isnan(lags.iloc[0]) else lags.iloc[0],
            "uncommitted": end if is_uncommitted and not np.isnan(end) else None,
        }
    return rows


def expected_reads(made: Offsets, offsets: pd.DataFrame) -> Rows:
    claims = pd.DataFrame(made.rows["assignments"])
    owner = claims.set_index(["snapshot", *TRACK]).member_id
    done: Rows = {}
    for key, items in offsets.groupby(TRACK):
        entries = items.dropna(subset=["committed_offset"]).sort_values("at")
        for a, b in pairwise(entries.itertuples()):
            who, then = owner.get((b.snapshot, *key)), owner.get((a.snapshot, *key))
            if who is not None and who == then and b.committed_offset >= a.committed_offset:
                of_pair = done.setdefault((*key[:2], who, a.at, b.at), {"rate": 0.0})
                of_pair["rate"] += (b.committed_offset - a.committed_offset) / (b.at - a.at)
    return done


def made_by_polars(made: Offsets, offsets: pd.DataFrame) -> pl.DataFrame:
    """All tables, of what Spark brings to a worker."""
    lag = offsets.lag.fillna(offsets.end_offset - offsets.committed_offset).clip(lower=0)
    near = offsets.assign(committed=offsets.committed_offset, end=offsets.end_offset, lag=lag)
    claims = pd.DataFrame(made.rows["assignments"])
    claims = claims.assign(generation=0)
    names = [*TRACK, "snapshot", *NUMBERS, "member_id"]
    rows = pl.concat(
        [
            pl.from_pandas(near[[*TRACK, "snapshot", "committed", "end", "lag"]]),
            pl.from_pandas(claims[[*TRACK, "snapshot", "generation", "member_id"]]),
        ],
        how="diagonal_relaxed",
    )
    rows = rows.cast(NUMBERS).cast({"partition": pl.Int32}).select(names)
    rows = rows.cast({pl.String: pl.Categorical})
    keys = offsets[["cluster", "snapshot"]].drop_duplicates().itertuples(index=False)
    instants = [(*key, int(seconds_at(key.snapshot))) for key in keys]
    return made_of(rows.sample(fraction=1, shuffle=True, seed=1), QUANTILE, (), instants)


def found_in(made: pl.DataFrame, table: str, keys: list[str]) -> Rows:
    rows = made[table].drop_nulls().struct.unnest().to_dicts()
    return {
        tuple(row[key] for key in keys): {
            name: value for name, value in row.items() if name not in keys
        }
        for row in rows
    }


def check(found: Rows, expected: Rows) -> None:
    assert found.keys() == expected.keys()
    for key, row in expected.items():
        for name, value in row.items():
            there = found[key][name]
            if isinstance(value, float):
                assert there == pytest.approx(value, rel=1e-6, abs=1e-6), (key, name)
            else:
                assert there == value, (key, name)


@pytest.mark.parametrize("seed", range(6))
def test_rates_are_those_of_a_plain_loop(seed: int) -> None:
    """With gaps, nulls, resets, topics made anew, and clusters of different instants.

    And a partition of which nothing was ever committed.
    """
    made = random_offsets(seed).at(0, 1, None, 40).at(1, 1, None, 90)
    offsets = offsets_in_window(made)
    rates, ends = expected_rates(offsets)
    found = made_by_polars(made, offsets)
    check(found_in(found, "rates", PARTITION), rates)
    check(found_in(found, "consumption", TRACK), expected_consumption(offsets, ends))
    backlog = expected_backlog(offsets)
    check(found_in(found, "backlog", TRACK), backlog)
    assert {row["uncommitted"] for row in backlog.values()} == {None, 40}
    reads = ["cluster", "group", "member_id", "since", "at"]
    check(found_in(found, "reads", reads), expected_reads(made, offsets))
    assert sum(row["resets"] for row in rates.values())


def test_a_claim_without_offsets_makes_no_rows() -> None:
    names = dict.fromkeys(("cluster", "group", "topic", "snapshot", "member_id"), pl.Categorical)
    claim = dict.fromkeys(names, "a") | {"partition": 0, "generation": 0}
    claims = pl.DataFrame([claim], {**names, "partition": pl.Int32, **NUMBERS})
    assert made_of(claims, QUANTILE, (), [("a", "a", 0)]).height == 0
