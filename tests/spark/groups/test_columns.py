"""Rows as a batch of Arrow's."""

from __future__ import annotations

import numpy as np

from spark.groups.columns import batch_of, schema_of
from spark.solve.solved_row import SolvedRow

FACTS = {"cluster": "east", "status": "ok", "reason": None, "strategy": "optimal", "members": 2}


def test_a_batch_has_what_the_rows_have() -> None:
    """Arrays and tuples are lists there, of the types that the columns have; None is null."""
    planned = SolvedRow(
        **FACTS,
        group="a",
        max_load=3,
        balance_optimal=True,
        seconds=0.5,
        certificate=b"\x01",
        names=np.array(["m0", "gone"], object),
        topics=["t"],
        topic=np.array([0, 0], np.int64),
        target=np.array([1, -1], np.int32),
        action=np.array([4, 1], np.int8),
    )
    without = SolvedRow(**FACTS, group="b")
    batch = batch_of([row.cells() for row in (without, planned, without)], schema_of(SolvedRow))
    batch.validate(full=True)
    assert batch.schema.names == schema_of(SolvedRow).names
    for row, report in zip([without, planned, without], batch.to_pylist(), strict=True):
        lists = {name: cell for name, cell in report.items() if isinstance(cell, list)}
        assert {name: list(getattr(row, name)) for name in lists} == lists
        assert [*lists] == ["names", "topics", "topic", "partition", "target", "previous", "action"]
        assert all(getattr(row, name) == report[name] for name in report.keys() - lists.keys())
