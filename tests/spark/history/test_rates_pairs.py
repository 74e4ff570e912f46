"""Series of offsets as arrays, and the numbers that tell them apart."""

import numpy as np

from spark.history.rates_pairs import Runs, keyed


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
