"""Tells from bare facts whether an assignment is sound and optimal, with nothing of the solver."""

from __future__ import annotations

from optimizer.checker.check import Verdict, check_assignment, measure_assignment
from optimizer.checker.homogeneous import check_homogeneous
from optimizer.checker.kinds import Kinds, kinds_of
from optimizer.checker.racks import rack_facts_of
from optimizer.checker.weighted import (
    Bounds,
    Prices,
    Set,
    WeightVerdict,
    check_many_by_weight,
    encode_prices,
    encode_set,
)

__all__ = [
    "Bounds",
    "Kinds",
    "Prices",
    "Set",
    "Verdict",
    "WeightVerdict",
    "check_assignment",
    "check_homogeneous",
    "check_many_by_weight",
    "encode_prices",
    "encode_set",
    "kinds_of",
    "measure_assignment",
    "rack_facts_of",
]
