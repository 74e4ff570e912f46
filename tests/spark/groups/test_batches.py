"""Rows of Arrow's batches are those that pandas makes of them."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from spark.groups.batches import rows_of


def test_rows_are_those_of_pandas() -> None:
    batch = pa.RecordBatch.from_pydict(
        {
            "group": ["a", None, "c"],
            "listed": pa.array([1, 0, 2], pa.int32()),
            "inferred": [True, False, True],
            "invalid_utf8": pa.array([None, b"\xff", None], pa.binary()),
            "topic_sizes": pa.array([[1, -2], [], [3]], pa.list_(pa.int32())),
            "racks": [["x", None], [], ["y"]],
            "place_replicas": [[["x", "y"], []], [], [["z"]]],
        }
    )
    for items in (batch, batch.slice(1, 2)):
        expected = list(items.to_pandas().itertuples(index=False))
        rows = list(rows_of(items))
        assert [row._fields for row in rows] == [row._fields for row in expected]
        for cell, other in zip(sum(rows, ()), sum(expected, ()), strict=True):
            assert isinstance(cell, np.ndarray) == isinstance(other, np.ndarray)
            if isinstance(cell, np.ndarray):
                assert cell.dtype == other.dtype
                assert [*map(_plain, cell)] == [*map(_plain, other)]
            else:
                assert cell == other


def _plain(entry: object) -> object:
    return entry.tolist() if isinstance(entry, np.ndarray) else entry
