"""Tells from bare facts whether an assignment is sound and optimal, with nothing of the solver."""

from optimizer.checker.check import Verdict, check_assignment, measure_assignment
from optimizer.checker.evenness import check_homogeneous
from optimizer.checker.facts import rack_facts_of
from optimizer.checker.kinds import Kinds, kinds_of
from optimizer.checker.weighted import (
    PriceProof,
    SearchProof,
    Set,
    WeightVerdict,
    encode_prices,
    encode_search,
    encode_set,
)
