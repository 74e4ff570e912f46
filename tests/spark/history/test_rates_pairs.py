"""Series of offsets as arrays: their neighbours, and the numbers that tell them apart."""

from __future__ import annotations

import numpy as np

from spark.history.rates_pairs import Runs, keyed, pairs_of
from spark.history.series_arrow import Coded, text_column


def test_neighbours_are_of_the_same_series() -> None:
    """Of two series the second begins with an offset that isn't known."""
    values = np.array([3, -1, 5, 4, -1, 7, 9])
    runs = Runs(np.array([0, 0, 0, 0, 1, 1, 1]))
    cluster = Coded(np.zeros(7, np.int64), text_column(["c"]))
    pairs = pairs_of(runs, values, np.arange(7) * 2, cluster, [])
    assert pairs.before.tolist() == [-1, 0, 0, 2, -1, -1, 5]
    assert pairs.fell.tolist() == [False, False, False, True, False, False, False]
    assert np.nan_to_num(pairs.rate, nan=-1).tolist() == [-1, -1, 0.5, -1, -1, -1, 1]
    assert runs.latest(values < 0).tolist() == [1, 4]


def test_no_rows_are_no_series() -> None:
    nothing = np.zeros(0, np.int64)
    runs = Runs(nothing)
    assert len(runs.starts) == len(runs.highest(nothing)) == len(runs.before(nothing > 0)) == 0


def test_keys_of_wide_columns_keep_their_order() -> None:
    """Values so far apart that their product doesn't fit 64 bits."""
    columns = [np.array([0, 0, 2**61, 2**61]), np.array([2**61, 0, 0, 2**61])]
    key = keyed(*columns, np.array([1, 1, 0, 5]))
    assert key.argsort().tolist() == [1, 0, 2, 3]
    assert keyed(np.zeros(0, np.int64)).tolist() == []
