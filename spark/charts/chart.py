"""What a chart is: a drawing of the rows of a result, and the sentence that says what it shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Any

from spark.charts.drawing import INK, PAPER, altair, looks

Rows = Sequence[Mapping[str, Any]]
"""Rows of a result table, few enough for one machine: what is drawn of a fleet are its sums."""


@dataclass(frozen=True)
class Chart:
    """How rows are drawn, and told to those who don't see.

    `title` names it, `draw` makes it of rows that aren't none, `tell` says in a sentence with
    figures what it shows.
    """

    name: str
    title: str
    draw: Callable[[Rows], Any]
    tell: Callable[[Rows], str]

    def drawn(self, rows: Rows) -> Any:
        """An Altair chart for a notebook; InputError where Altair isn't installed."""
        altair()
        return looks(self.draw(rows), INK, PAPER).properties(title=self.title)

    def svg(self, rows: Rows) -> str:
        """The drawing as the text of an SVG, whose words have the colour of the text around."""
        altair()
        text = StringIO()
        looks(self.draw(rows)).save(text, format="svg")
        return text.getvalue()
