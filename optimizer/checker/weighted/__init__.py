"""Judges plans by weight: the bound is shown by adding and comparing whole numbers alone."""

from __future__ import annotations

from optimizer.checker.weighted.batched import (
    Bounds as Bounds,
    check_many_by_weight as check_many_by_weight,
)
from optimizer.checker.weighted.certificate import (
    Prices as Prices,
    Search as Search,
    Set as Set,
    encode_prices as encode_prices,
    encode_search as encode_search,
    encode_set as encode_set,
)
from optimizer.checker.weighted.check import (
    WeightVerdict as WeightVerdict,
    check_by_weight as check_by_weight,
)
