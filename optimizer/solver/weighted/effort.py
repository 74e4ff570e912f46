"""How far a plan by weight is searched for: in steps, so that it is the same on every machine."""

from __future__ import annotations

from typing import NamedTuple


class Effort(NamedTuple):
    """Numbers of steps.

    `perturbations` a member: how often some members' partitions are dealt again where a
    plan is stuck.
    `rounds` of prices, each for one linear programme. A search ends where the plan is within
    `enough` of the bound, as a share of it.
    """

    perturbations: int
    rounds: int
    enough: float


EFFORTS = {
    "quick": Effort(perturbations=0, rounds=0, enough=0.001),
    "standard": Effort(perturbations=8, rounds=200, enough=0.001),
    "thorough": Effort(perturbations=40, rounds=1000, enough=0.0001),
}
