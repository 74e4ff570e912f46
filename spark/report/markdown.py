"""A report in short, for a merge request or a message: verdict, what to do first, league."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spark.report.blocks import Points, Section, Table, Words
from spark.report.html import figure, readable
from spark.report.material import Material
from spark.report.sections.registry import sections_of

_MEANING = re.compile(r"([\\`*_{}\[\]<>()#+!|~&@:])")
"""What Markdown, or what it is put into, may take for more than a letter."""


def markdown_of(material: Material) -> str:
    """The short form; InputError where Altair isn't installed."""
    brief = [section for section in sections_of(material) if section.brief]
    lines = [f"# {escaped(material.title)}", "", *_lines(brief)]
    return "\n".join(lines) + "\n"


def escaped(text: Any) -> str:
    """Text of which Markdown makes nothing."""
    return _MEANING.sub(r"\\\1", readable(text))


def _lines(sections: list[Section]) -> Iterator[str]:
    for section in sections:
        yield from (f"## {section.title}", "")
        for block in section.blocks:
            yield from _of_block(block)
        if section.made_by:
            yield from (f"Made by {_code(section.made_by)}", "")


def _of_block(block: Any) -> Iterator[str]:
    """Pictures are left out: their sentences are about what tables tell."""
    if isinstance(block, Words):
        yield from (escaped(block.text), "")
    elif isinstance(block, Points):
        for number, sentence in enumerate(block.sentences, 1):
            yield f"{number}. {escaped(sentence)}" if block.in_order else f"- {escaped(sentence)}"
        yield ""
    elif isinstance(block, Table):
        yield "| " + " | ".join(escaped(column.title) for column in block.columns) + " |"
        yield "| " + " | ".join("---" for _ in block.columns) + " |"
        for row in block.rows:
            yield "| " + " | ".join(_cell(row[column.key]) for column in block.columns) + " |"
        yield ""


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return figure(value) if isinstance(value, int | float) else escaped(value)


def _code(text: str) -> str:
    """Between as many backticks as it takes."""
    most = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (most + 1)
    return f"{fence} {readable(text)} {fence}"
