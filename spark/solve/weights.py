"""What a row tells of loads by weight."""

from typing import Any

from optimizer.checker import WeightVerdict, check_assignment
from optimizer.model import Answer, Goals, IntArray, Problem, weights_of


def columns_by_weight(verdict: WeightVerdict) -> dict[str, Any]:
    """The columns of a plan's row that the check tells."""
    return {
        "max_weight": verdict.max_weight,
        "weight_bound": verdict.weight_bound,
        "weight_gap": verdict.weight_gap,
        "bound_kind": verdict.bound_kind,
        "moves_bound": verdict.moves_bound,
        "weights_known": verdict.weights_known,
        "bound_shown": verdict.shown,
    }


def shown_bound(problem: Problem, goals: Goals, answer: Answer) -> float | None:
    """A largest load by weight that no plan is below, as the check finds it shown by an answer."""
    verdict = check_assignment(problem, answer.target, answer.certificate, goals)
    return verdict.weight.weight_bound if verdict.weight else None


def max_weight(problem: Problem, target: IntArray) -> float | None:
    """The largest load for a unit of capacity; None without weights."""
    if problem.weights is None:
        return None
    return weights_of(problem).highest(target)
