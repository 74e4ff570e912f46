"""Rows of Arrow's batches, and batches of rows."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from spark.groups.columns import batch_of, rows_of, schema_of
from spark.groups.memory import portions
from spark.solve.solved_row import SolvedRow


def test_rows_of_a_batch() -> None:
    batch = pa.RecordBatch.from_pydict({"group": ["a", None], "leader": [1, None]})
    assert [(row.group, row.leader) for row in rows_of(batch)] == [("a", 1), (None, None)]


def test_portions_are_small_or_of_one_group(monkeypatch: pytest.MonkeyPatch) -> None:
    one = {"claim_topics": [1], "subscription_members": [1]}
    sizes = (np.array([size, -1]) for size in (3, 4, 9, 20, 1, 1))
    rows = [[SimpleNamespace(topic_sizes=of_topics, **one)] for of_topics in sizes]
    monkeypatch.setattr("spark.groups.memory.MAX_ROWS", 12)
    result = [[int(row.topic_sizes[0]) for (row,) in portion] for portion in portions(rows)]
    assert result == [[3, 4], [9], [20], [1, 1]]


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
        plan = ["names", "topics", "topic", "partition", "target", "previous", "action"]
        assert [*lists] == ["held_by", "limits", *plan]
        assert all(getattr(row, name) == report[name] for name in report.keys() - lists.keys())
