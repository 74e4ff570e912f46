"""The fewest moves of one group for each balance."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import asdict, dataclass
from typing import Any

from optimizer.model import LimitsError
from optimizer.solver import Frontier, frontier_of
from spark.charts import CHARTS
from spark.fleet import FleetFiles, FleetSnapshot
from spark.groups import one_row, read_or_failed, rows_in_frames
from spark.notebook import shown_in_notebook
from spark.settings import DEFAULT_FLEET_GOALS, FleetGoals


@dataclass(frozen=True)
class FrontierPoint:
    """With so many moves the largest load is this, and with fewer none is so low.

    `gain` is how much that is of all that moves can gain, from 0 to 1; `knee` marks the point that
    is worth its moves the most.
    """

    moves: int
    max_load: int
    gain: float
    knee: bool


@dataclass(frozen=True)
class GroupFrontier:
    """What moves buy in a group; no points where it has no plan: `status` and `reason` say why.

    `found_max_load` is the largest load as found, `balanced_moves` what the plan with the most even
    loads of all moves. `sentence` tells the knee.
    """

    cluster: str
    group: str
    status: str
    reason: str | None
    points: list[FrontierPoint]
    found_max_load: int | None = None
    balanced_moves: int | None = None
    sentence: str | None = None

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The points as rows of a table."""
        return [asdict(point) for point in self.points]

    def chart(self) -> Any:
        """The fewest moves for each largest load; InputError where Altair isn't installed."""
        return CHARTS["frontier"].drawn(self.rows)

    def _repr_html_(self) -> str:
        said = self.sentence or f"Group {self.group} is {self.status}: {self.reason}."
        return shown_in_notebook([said], SHOWN, self.rows)


SHOWN = {
    "moves": "moves (partitions)",
    "max_load": "largest load (partitions)",
    "gain": "share of the gain",
}
"""What notebooks show of a point."""


def frontier_of_group(
    snapshot: FleetSnapshot | FleetFiles,
    group: str,
    cluster: str | None = None,
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
) -> GroupFrontier:
    """The fewest moves of one group for each largest load; only this group's rows are collected.

    Of its goals the limits count; where they clash the group is `failed`.

    Of a store that needs no Spark: `FleetFiles.read("store")` reads few of its rows.
    InputError when there is no such group, or several clusters have one and none is chosen.
    """
    return _frontier(one_row(snapshot, group, cluster), goals)


def frontiers_of_groups(
    snapshot: FleetSnapshot,
    groups: Collection[tuple[str, str]],
    goals: FleetGoals = DEFAULT_FLEET_GOALS,
) -> dict[tuple[str, str], GroupFrontier]:
    """The same of several (cluster, group), read at once; those that aren't there are left out."""
    rows = rows_in_frames(snapshot, [group for _, group in groups])
    chosen = {(row.cluster, row.group): row for row in rows}
    return {one: _frontier(chosen[one], goals) for one in groups if one in chosen}


def _frontier(row: Any, goals: FleetGoals) -> GroupFrontier:
    """Of the encoded row of a group."""
    read = read_or_failed(row)
    if read.problem is None:
        return GroupFrontier(row.cluster, row.group, read.status, read.reason, [])
    try:
        found = frontier_of(read.problem, goals.of(row.cluster, row.group))
    except LimitsError as error:
        return GroupFrontier(row.cluster, row.group, "failed", str(error), [])
    return GroupFrontier(
        cluster=row.cluster,
        group=row.group,
        status=read.status,
        reason=read.reason,
        points=[
            FrontierPoint(point.moves, point.max_load, round(point.share, 4), at == found.knee)
            for at, point in enumerate(found.points)
        ],
        found_max_load=found.found_load,
        balanced_moves=found.balanced_moves,
        sentence=_sentence(found),
    )


def _sentence(found: Frontier) -> str:
    """What moves buy: "4 moves bring 80 % of what 17 would"."""
    first, last = found.points[0], found.points[-1]
    if not last.moves:
        even = _even(found, "loads would be more even below it")
        return f"No move makes the largest load lower than {last.max_load}{even}"
    all_of_it = f"the largest load from {first.max_load} to {last.max_load}"
    even = _even(found, "loads are as even as can be")
    if found.knee is None:
        return f"{_moves(last.moves)} bring {all_of_it}, each about as much as the others{even}"
    knee = found.points[found.knee]
    return (
        f"{_moves(knee.moves)} bring{'s' * (knee.moves == 1)} {knee.share:.0%} of what "
        f"{last.moves} would, which bring {all_of_it}{even}".replace("%", " %")
    )


def _even(found: Frontier, what: str) -> str:
    more = found.balanced_moves > found.points[-1].moves
    return f"; with {_moves(found.balanced_moves)} {what}." if more else "."


def _moves(count: int) -> str:
    return f"{count} move{'s' * (count != 1)}"
