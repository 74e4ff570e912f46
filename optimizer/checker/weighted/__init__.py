"""Judges plans by weight: the bound is shown by adding and comparing whole numbers alone."""

from optimizer.checker.weighted.certificate import (
    PriceProof,
    SearchProof,
    Set,
    encode_prices,
    encode_search,
    encode_set,
)
from optimizer.checker.weighted.check import WeightVerdict, check_by_weight
