"""A report in short, for a merge request or a message: verdict, what to do first, strategies."""

import re
from collections.abc import Iterator
from typing import Any

from optimizer.figures import figure
from spark.report.html import readable
from spark.report.material import Material
from spark.report.sections.first import cards_of
from spark.report.sections.strategies import strategies

_MEANING = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@:])")
"""What Markdown, or what it is put into, may take for more than a letter."""


def markdown_of(material: Material) -> str:
    """The short form."""
    return "\n".join([f"# {escaped(material.title)}", "", *_first(material), *_league(material)])


def escaped(text: Any) -> str:
    """Text of which Markdown makes nothing."""
    return _MEANING.sub(r"\\\1", readable(text))


def _first(material: Material) -> Iterator[str]:
    yield from ("## Do first", "", escaped(material.verdict), "")
    for number, card in enumerate(cards_of(material), 1):
        yield f"{number}. {escaped(card['what'])} {escaped(card['cure'])}"
    yield ""


def _league(material: Material) -> Iterator[str]:
    view = strategies(material)
    if view is None:
        return
    titles = ["strategy", "groups", "not evaluated", *view["columns"].values()]
    titles += view["by_weight"].values()
    yield from ("## Strategies", "", escaped(view["best"]), "")
    yield "| " + " | ".join(map(escaped, titles)) + " |"
    yield "|" + " --- |" * len(titles)
    for row in view["rows"]:
        cells = [row["groups"], row["not_evaluated"], *(value for value, _ in row["cells"])]
        yield "| " + " | ".join([escaped(row["strategy"]), *map(figure, cells)]) + " |"
    yield ""
    yield from (f"Made by {_code(material.made_by['strategies'])}", "")


def _code(text: str) -> str:
    """Between as many backticks as it takes."""
    most = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (most + 1)
    return f"{fence} {readable(text)} {fence}"
