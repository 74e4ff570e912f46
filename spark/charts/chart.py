"""What a chart is: a drawing of the rows of a result, for notebooks."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spark.charts.drawing import altair, looks

Rows = Sequence[Mapping[str, Any]]
"""Rows of a result table, few enough for one machine: what is drawn of a fleet are its sums."""


@dataclass(frozen=True)
class Chart:
    """How rows are drawn: `title` names it, `draw` makes it of one row or more."""

    name: str
    title: str
    draw: Callable[[Rows], Any]

    def drawn(self, rows: Rows) -> Any:
        """An Altair chart for a notebook; InputError where Altair isn't installed."""
        altair()
        return looks(self.draw(rows)).properties(title=self.title)
