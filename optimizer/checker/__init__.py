"""Tells from bare facts whether an assignment is sound and optimal, with nothing of the solver."""

from optimizer.checker.check import Verdict, check_assignment
from optimizer.checker.homogeneous import check_homogeneous
from optimizer.checker.kinds import Kinds, kinds_of
from optimizer.checker.racks import RackFacts, rack_facts_of

__all__ = [
    "Kinds",
    "RackFacts",
    "Verdict",
    "check_assignment",
    "check_homogeneous",
    "kinds_of",
    "rack_facts_of",
]
