"""What moves buy in a group, in words and rows."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from optimizer.figures import figure
from spark.charts import CHARTS
from spark.notebook import shown_in_notebook


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
        """The same, with what no plan is below."""
        loads = (figure(self.max_weight), figure(self.weight_bound))
        return _for_people(self, dict(zip(("largest load", "none is below"), loads, strict=True)))


def _for_people(
    point: FrontierPoint | WeightedFrontierPoint, loads: dict[str, Any]
) -> dict[str, Any]:
    gain, worth = f"{point.gain:.0%}".replace("%", " %"), "most for its moves" if point.knee else ""
    return {"moves": point.moves, **loads, "of the gain": gain, "worth": worth}


@dataclass(frozen=True)
class GroupFrontier:
    """What moves buy in a group; no points where it has no plan: `status` and `reason` say why.

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
        return CHARTS["frontier"].drawn(self.rows)

    def _repr_html_(self) -> str:
        text = self.sentence or f"Group {self.group} is {self.status}: {self.reason}."
        loads = ("max_load",) if self.weight_bound is None else ("max_weight", "weight_bound")
        return shown_in_notebook([text], ("moves", *loads, "gain"), self.rows)
