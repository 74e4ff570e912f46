"""What moves buy in a group, in a sentence."""

from __future__ import annotations

from optimizer.figures import figure
from optimizer.solver import Frontier, WeightedFrontier
from spark.text import counted


def sentence_of(found: Frontier) -> str:
    """What moves buy: "4 moves bring 80 % of what 17 would"."""
    first, last = found.points[0], found.points[-1]
    if not last.moves:
        even = _even(found, "loads would be more even below it")
        return f"No move makes the largest load lower than {last.max_load}{even}"
    all_of_it = f"the largest load from {first.max_load} to {last.max_load}"
    even = _even(found, "loads are even")
    if found.knee is None:
        return f"{_bring(last.moves)} {all_of_it}, each about as much as the others{even}"
    knee = found.points[found.knee]
    return f"{_share_of(knee.moves, knee.share, last.moves)} {all_of_it}{even}"


def sentence_by_weight(found: WeightedFrontier) -> str:
    """The same of what was found by weight, and what no plan is below."""
    first, last = found.points[0], found.points[-1]
    bound = f"no plan is below {figure(found.weight_bound)}"
    if found.weight_bound:
        bound += f" (gap {last.max_weight / found.weight_bound - 1:.2%})".replace("%", " %")
    if len(found.points) == 1:
        lowest = f"the largest load by weight lower than {figure(last.max_weight)}"
        return f"No move was found that makes {lowest}; {bound}."
    all_of_it = (
        f"the largest load by weight from {figure(first.max_weight)} to {figure(last.max_weight)}"
    )
    if found.knee is None:
        return f"{_bring(last.moves)} {all_of_it}, each about as much as the others; {bound}."
    knee = found.points[found.knee]
    return f"{_share_of(knee.moves, knee.share, last.moves)} {all_of_it}; {bound}."


def _bring(moves: int) -> str:
    return f"{counted(moves, 'move')} bring{'s' * (moves == 1)}"


def _share_of(moves: int, share: float, most: int) -> str:
    return f"{_bring(moves)} {share:.0%} of what {most:,} would, which bring".replace("%", " %")


def _even(frontier: Frontier, what: str) -> str:
    more = frontier.balanced_moves > frontier.points[-1].moves
    return f"; with {counted(frontier.balanced_moves, 'move')} {what}." if more else "."
