"""What is wrong with what a plan says of loads by weight."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from optimizer.checker import Verdict
from spark.verify.row_with_plan import RowWithPlan

NUMBERS = ("max_weight", "weight_bound", "weight_gap", "weights_known")

EXACT = 1e-9
"""Numbers that differ by less, as a share, are the same: all come of whole numbers."""


def faults_of_weights(row: RowWithPlan, verdict: Verdict) -> Iterator[str]:
    """Sentences; a bound that isn't shown is one of them."""
    weight = verdict.weight
    if weight is None:
        settings = [
            name for name in (*NUMBERS, "bound_kind", "moves_bound") if _is_there(row, name)
        ]
        if settings and not verdict.faults:
            yield f"the plan states {', '.join(settings)} of a group that isn't balanced by weight"
        return
    if weight.fault:
        yield f"its bound of loads by weight isn't shown: {weight.fault}"
    for name in NUMBERS:
        right = getattr(weight, name)
        if not _is_there(row, name) or abs(getattr(row, name) - right) > EXACT * max(right, 1.0):
            yield f"{name} is {right:.6g}, the plan says {_number(row, name)}"
    if row.bound_kind != weight.bound_kind:
        yield f"bound_kind is {weight.bound_kind}, the plan says {row.bound_kind}"
    if not _is_there(row, "moves_bound") or row.moves_bound != weight.moves_bound:
        yield f"moves_bound is {weight.moves_bound}, the plan says {_number(row, 'moves_bound')}"


def _is_there(row: RowWithPlan, name: str) -> bool:
    return not pd.isna(getattr(row, name))


def _number(row: RowWithPlan, name: str) -> str:
    return f"{getattr(row, name):.6g}" if _is_there(row, name) else "nothing"
