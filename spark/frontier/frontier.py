"""The fewest moves of one group for each balance."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pyspark.sql import DataFrame

from optimizer.figures import figure, plural
from optimizer.model import Goals, LimitsError, Problem, idle_limits, resolve_balance
from optimizer.solver import Frontier, WeightedFrontier, frontier_of, weighted_frontier_of
from spark.charts import CHARTS
from spark.fleet import FleetFiles, FleetSnapshot
from spark.groups import EncodedRow, one_row, read_or_failed
from spark.notebook import shown_in_notebook
from spark.settings import DEFAULT_FLEET_GOALS, FleetGoals


@dataclass(frozen=True)
class FrontierPoint:
    """With `moves` moves the largest load is this, and with fewer none is as low.

    `gain` is how much that is of all that moves can gain, from 0 to 1; `knee` marks the point that
    is worth its moves the most.
    """

    moves: int
    max_load: int
    gain: float
    knee: bool

    def for_people(self) -> dict[str, Any]:
        """The point in a table that people read."""
        return _for_people(self, {"largest load": self.max_load})


@dataclass(frozen=True)
class WeightedFrontierPoint:
    """A plan of `moves` moves with that largest load by weight was found.

    With no more moves none is below `weight_bound`; both are for a unit of capacity, in the unit of
    the weights. `gain` is of all that was found; `knee` as that of a `FrontierPoint`.
    """

    moves: int
    max_weight: float
    weight_bound: float
    gain: float
    knee: bool

    def for_people(self) -> dict[str, Any]:
        """The point in a table that people read, with what no plan is below."""
        loads = (figure(self.max_weight), figure(self.weight_bound))
        return _for_people(self, dict(zip(("largest load", "lower bound"), loads, strict=True)))


def _for_people(
    point: FrontierPoint | WeightedFrontierPoint, loads: dict[str, Any]
) -> dict[str, Any]:
    gain, worth = f"{point.gain:.0%}".replace("%", " %"), "most for its moves" if point.knee else ""
    return {"moves": point.moves, **loads, "of the gain": gain, "worth": worth}


@dataclass(frozen=True)
class GroupFrontier:
    """The frontier of a group; no points where it has no plan: `status` and `reason` say why.

    `current_max_load` is the largest load now, `balanced_moves` what the plan with the most even
    loads of all moves. `sentence` tells the knee. Where goals are by weight the points are
    `WeightedFrontierPoint`; then `current_max_weight` is the largest load now, and no plan is
    below `weight_bound`, by any moves. No member or partition fits the `idle_limits`, in words.
    """

    cluster: str
    group: str
    status: str
    reason: str | None
    points: Sequence[FrontierPoint | WeightedFrontierPoint]
    current_max_load: int | None = None
    balanced_moves: int | None = None
    sentence: str | None = None
    current_max_weight: float | None = None
    weight_bound: float | None = None
    idle_limits: Sequence[str] = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The points as rows of a table."""
        return [asdict(point) for point in self.points]

    def chart(self) -> Any:
        """The fewest moves for each largest load; InputError where Altair isn't installed."""
        return CHARTS["frontier"].chart(self.rows)

    def _repr_html_(self) -> str:
        text = self.sentence or f"Group {self.group} is {self.status}: {self.reason}."
        loads = ("max_load",) if self.weight_bound is None else ("max_weight", "weight_bound")
        return shown_in_notebook([text], ("moves", *loads, "gain"), self.rows)


def frontier_of_group(
    snapshot: FleetSnapshot | FleetFiles,
    group: str,
    cluster: str | None = None,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
    rates: DataFrame | None = None,
) -> GroupFrontier:
    """The fewest moves of one group for each largest load; only this group's rows are collected.

    Of its goals the limits count, and whether loads are by weight; where limits clash, or aren't
    worked out here, the group is `failed`.

    Of a store that needs no Spark: `FleetFiles.read("store")` reads few of its rows.
    Weights by lag or rates need Spark; `rates` are as `plan_fleet` takes them.
    InputError when there is no such group, or several clusters have one and none is chosen.
    """
    return frontier_of_row(
        one_row(snapshot, group, cluster, weights=goals.sources, rates=rates), goals
    )


def frontier_of_row(row: EncodedRow, goals: FleetGoals) -> GroupFrontier:
    """The frontier of an encoded group; see `frontier_of_group`."""
    wanted = goals.of(row.cluster, row.group)
    read = read_or_failed(row, wanted.weight_source)
    if read.problem is None:
        return GroupFrontier(row.cluster, row.group, read.status, read.reason, [])
    wanted = resolve_balance(wanted, read.problem)
    idle = idle_limits(read.problem, wanted.limits)
    points_of = _by_weight if wanted.by_weight else _by_count
    try:
        of_loads = points_of(read.problem, wanted)
    except LimitsError as error:
        return GroupFrontier(row.cluster, row.group, "failed", str(error), [], idle_limits=idle)
    return GroupFrontier(
        row.cluster, row.group, read.status, read.reason, **of_loads, idle_limits=idle
    )


def _by_count(problem: Problem, goals: Goals) -> dict[str, Any]:
    """Fields of a `GroupFrontier` whose loads count partitions."""
    frontier = frontier_of(problem, goals)
    return {
        "points": [
            FrontierPoint(point.moves, point.max_load, round(point.share, 4), at == frontier.knee)
            for at, point in enumerate(frontier.points)
        ],
        "current_max_load": frontier.current_load,
        "balanced_moves": frontier.balanced_moves,
        "sentence": sentence_of(frontier),
    }


def _by_weight(problem: Problem, goals: Goals) -> dict[str, Any]:
    """Fields of a `GroupFrontier` whose loads are weights."""
    frontier = weighted_frontier_of(problem, goals)
    return {
        "points": [
            WeightedFrontierPoint(
                moves=point.moves,
                max_weight=point.max_weight,
                weight_bound=point.weight_bound,
                gain=round(point.share, 4),
                knee=at == frontier.knee,
            )
            for at, point in enumerate(frontier.points)
        ],
        "current_max_weight": frontier.current_weight,
        "weight_bound": frontier.weight_bound,
        "sentence": sentence_by_weight(frontier),
    }


def sentence_of(frontier: Frontier) -> str:
    """A sentence on a frontier: "4 moves bring 80 % of the gain; all 17 lower …"."""
    first, last = frontier.points[0], frontier.points[-1]
    if not last.moves:
        even = _even(frontier, "loads would be more even below it")
        return f"No move makes the largest load lower than {last.max_load}{even}"
    gain = f"the largest load from {first.max_load} to {last.max_load}"
    return _gain_text(frontier, gain, _even(frontier, "loads are even"))


def sentence_by_weight(frontier: WeightedFrontier) -> str:
    """A sentence on a frontier by weight, and on what no plan is below."""
    first, last = frontier.points[0], frontier.points[-1]
    bound = f"no plan gets below {figure(frontier.weight_bound)}"
    if frontier.weight_bound:
        bound += f" (gap {last.max_weight / frontier.weight_bound - 1:.2%})".replace("%", " %")
    if len(frontier.points) == 1:
        lowest = f"the largest load by weight lower than {figure(last.max_weight)}"
        return f"No move was found that makes {lowest}; {bound}."
    loads = f"from {figure(first.max_weight)} to {figure(last.max_weight)}"
    return _gain_text(frontier, f"the largest load by weight {loads}", f"; {bound}.")


def _gain_text(frontier: Frontier | WeightedFrontier, gain: str, more: str) -> str:
    moves = frontier.points[-1].moves
    lower = f"lower{'s' * (moves == 1)} {gain}"
    if frontier.knee is None:
        return f"{plural(moves, 'move')} {lower}, each about as much as the others{more}"
    knee = frontier.points[frontier.knee]
    brings = f"{plural(knee.moves, 'move')} bring{'s' * (knee.moves == 1)} {knee.share:.0%}"
    return f"{brings.replace('%', ' %')} of the gain; all {moves:,} {lower}{more}"


def _even(frontier: Frontier, what: str) -> str:
    more = frontier.balanced_moves > frontier.points[-1].moves
    return f"; with {plural(frontier.balanced_moves, 'move')} {what}." if more else "."
