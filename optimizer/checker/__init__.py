"""Tells from bare facts whether an assignment is sound and optimal, with nothing of the solver."""

from __future__ import annotations

from optimizer.checker.check import (
    Verdict as Verdict,
    check_assignment as check_assignment,
    measure_assignment as measure_assignment,
)
from optimizer.checker.evenness import check_homogeneous as check_homogeneous
from optimizer.checker.facts import rack_facts_of as rack_facts_of
from optimizer.checker.kinds import Kinds as Kinds, kinds_of as kinds_of
from optimizer.checker.weighted import (
    Bounds as Bounds,
    Prices as Prices,
    Search as Search,
    Set as Set,
    WeightVerdict as WeightVerdict,
    check_many_by_weight as check_many_by_weight,
    encode_prices as encode_prices,
    encode_search as encode_search,
    encode_set as encode_set,
)
