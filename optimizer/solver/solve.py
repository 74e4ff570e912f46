"""The optimum: coverage, then balance, then reads within a rack and the fewest moves."""

import numpy as np

from optimizer.figures import plural
from optimizer.model import (
    DEFAULT_GOALS,
    LEVELS,
    Answer,
    Goals,
    IntArray,
    Problem,
    TwoPlans,
    at_once,
    changes_of,
    levels_of,
    member_loads,
    on_hosts,
    put_right,
)
from optimizer.solver.budget import loads_by_moves
from optimizer.solver.limits import check_limits
from optimizer.solver.pipeline import Pipeline


def solve(problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
    """The best assignment of a group, exactly.

    Every partition that somebody may read is assigned; of all such assignments Σ load² is least
    (and with it the maximum, the variance and every symmetric convex cost: Harvey, Ladner, Lovász
    and Tamir, J. Algorithms 59, 2006); of all those, the fewest partitions change an owner who is
    present and still subscribed, and before or after that, if the goals name racks, the fewest are
    read across them; then (or before, if the goals say so) each topic is spread over its readers as
    evenly as can be, after partitions are spread over hosts so. The facts alone decide, not the
    order that they came in.

    Limits come first (`Goals.limits`); raises LimitsError where they can't all be met.

    If that moves more than `Goals.max_moves`, the largest load is as low as `max_moves` moves make
    it, and as few move as that takes.

    If it isn't worth its moves (`Goals.min_gain`), everything stays with its owner, and only what
    has none is placed, as balanced as that leaves it; the answer's `reason` says so.
    """
    problem = on_hosts(problem, goals.host)
    check_limits(problem, goals)
    pipeline = Pipeline.of(problem, goals)
    best = pipeline.best()
    assert best is not None, "limits that clash have been told"
    answer = _within_budget(pipeline, best, goals)
    moves = pipeline.moves(answer.target)
    if not goals.min_gain or not moves:
        return answer
    unmoved = pipeline.if_nothing_moves().best()
    # None: limits take moves.
    if unmoved is None or (
        gain_of(problem, unmoved, answer.target, goals) >= goals.min_gain * moves
    ):
        return answer
    return at_once(unmoved, reason=f"not worth {plural(moves, 'move')}")


def _within_budget(pipeline: Pipeline, best: IntArray, goals: Goals) -> Answer:
    """The best plan if it keeps to `Goals.max_moves`, otherwise the best that does.

    The reason tells what more moves would do.
    """
    problem, moves = pipeline.problem, pipeline.moves(best)
    budget = goals.budget(int(np.count_nonzero(pipeline.kinds.of_partition >= 0)))
    if budget is None or changes_of(problem, best)[0] <= budget:
        return at_once(best)
    loads = member_loads(problem, best)
    forced = changes_of(problem, best)[0] - moves  # by limits, in every plan
    curve = loads_by_moves(problem, int(loads.max()), goals)
    allowed = max(budget - forced, curve.moves(curve.highest))  # limits may take more
    if moves <= allowed:
        return at_once(best)
    load = curve.least_load(allowed)
    rest = [level for level in pipeline.levels if level not in ("moves", "spread")]
    levels = ["moves", "balance", *rest]
    target = pipeline.plan_by(levels, curve.caps_at(load))
    assert target is not None, "a load that the curve knows can be reached"
    rival = curve.plan(load - 1) if load > curve.lowest else best
    count = moves + forced
    more = f"{plural(count, 'move')} instead of {changes_of(problem, target)[0]} would make "
    limited = member_loads(problem, target)
    if load > curve.lowest:
        gained = f"the largest load {loads.max()} instead of {load}"
    elif limited @ limited > loads @ loads:
        gained = "loads more even"
    else:
        *others, last = filter(None, (level.fitting for level in LEVELS.values()))
        gained = f"{', '.join(others)} or {last} fit better"
    return at_once(target, reason=more + gained, rival=rival)


def gain_of(problem: Problem, current: IntArray, planned: IntArray, goals: Goals) -> float:
    """Partitions that `planned` puts right over `current`, as `Goals.min_gain` counts them."""
    gain, levels = put_right(current, planned, len(problem.member_ids)), levels_of(problem, goals)
    plans = TwoPlans(problem, goals.rack, goals.levels, goals.ranking, current, planned)
    for place, name in enumerate(levels):
        if LEVELS[name].over is None or place < levels.index("moves"):
            gain += LEVELS[name].gain(plans)
    return gain
