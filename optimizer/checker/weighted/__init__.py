"""Judges plans by weight: the bound is shown by adding and comparing whole numbers alone."""

from __future__ import annotations

from optimizer.checker.weighted.certificate import Prices, Set, encode_prices, encode_set
from optimizer.checker.weighted.check import WeightVerdict, check_by_weight
from optimizer.checker.weighted.many import Bounds, check_many_by_weight

__all__ = [
    "Bounds",
    "Prices",
    "Set",
    "WeightVerdict",
    "check_by_weight",
    "check_many_by_weight",
    "encode_prices",
    "encode_set",
]
