"""Charts: the one look of all, and the library that draws them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from spark.errors import InputError
from spark.text import shorten

Rows = Sequence[Mapping[str, Any]]
"""Rows of a result table, few enough for one machine: what is drawn of a fleet are its sums."""

FOUND, PLANNED = "#8993a1", "#0a77b8"
"""Now, and planned: the colours of the page, which colour-blind people tell apart."""

SERIES = ("#0a84c6", "#d55e00", "#009e73", "#cc79a7", "#b58900", "#7f7f7f", "#56b4e9")
"""Colours of several things in one chart (Okabe and Ito's, none too light and none too dark)."""

INK, PAPER = "#222222", "#ffffff"
"""Where nobody knows what is around: notebooks are light or dark, and pictures of them neither."""

FAINT = "#8886"
"""Lines behind what is shown."""

WIDTH, BAR = 560, 22
"""Of a drawing, and the height of a bar in it: pixels of a page; on a phone all becomes smaller."""

LABEL = 28
"""Characters of a name beside an axis."""


def altair() -> Any:
    """The library; InputError with what to do where it isn't installed."""
    try:
        import altair  # noqa: PLC0415 - not everybody has it
        import vl_convert  # noqa: F401, PLC0415 - makes pictures of what the other describes
    except ImportError as error:
        raise InputError(
            f"charts need {error.name}, which isn't installed: pip install 'evenfleet[charts]'"
        ) from None
    return altair


def looks(chart: Any) -> Any:
    """The chart with the text and lines that all charts have."""
    words = {"labelColor": INK, "titleColor": INK}
    return (
        chart.configure(
            background=PAPER,
            font="Arial, Helvetica, Liberation Sans, sans-serif",
            padding={"left": 16, "right": 16, "top": 4, "bottom": 4},
        )
        .configure_axis(
            **words,
            domainColor=FAINT,
            tickColor=FAINT,
            gridColor=FAINT,
            labelFontSize=12,
            titleFontSize=12,
            titleFontWeight="normal",
            labelLimit=260,
        )
        .configure_legend(**words, labelFontSize=12, titleFontSize=12, orient="top", title=None)
        .configure_header(**words)
        .configure_title(color=INK, anchor="start", fontSize=14)
        .configure_text(color=INK)
        .configure_view(stroke=None)
    )


def of(rows: Rows) -> Any:
    """Rows as a chart's data, in the chart itself."""
    return altair().Data(values=[dict(row) for row in rows])


def label(name: str) -> str:
    """A name beside an axis: of a long one the two ends, and nothing that could move about."""
    plain = "".join(character if character.isprintable() else "·" for character in name)
    if len(plain) <= LABEL:
        return plain
    return f"{shorten(plain)[: LABEL // 2]}…{plain[-(LABEL - LABEL // 2 - 1) :]}"


def labels(names: Any) -> dict[str, str]:
    """Labels by names, in their order: two names never have the same one."""
    label_of: dict[str, str] = {}
    for name in dict.fromkeys(names):
        short, number = label(name), 2
        while short in label_of.values():
            short, number = f"{label(name)} ({number})", number + 1
        label_of[name] = short
    return label_of


@dataclass(frozen=True)
class Chart:
    """How rows are drawn: `title` names it, `draw` makes it of one row or more."""

    name: str
    title: str
    draw: Callable[[Rows], Any]

    def chart(self, rows: Rows) -> Any:
        """An Altair chart for a notebook; InputError where Altair isn't installed."""
        altair()
        return looks(self.draw(rows)).properties(title=self.title)
