"""Sentences of findings, put together in a worker."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from numbers import Integral
from typing import Any

from optimizer.figures import counted
from spark.text import shortened

A_NEW_PLAN = (
    "The group follows a plan: make a new one with `evenfleet plan` and `evenfleet export-plan`, "
    "and apply it with `evenfleet enforce`."
)
"""Advice to a group that an assignor of Evenfleet's assigns."""


def sentence(template: str, blanks: Mapping[str, object]) -> str:
    """The template with its {blanks} filled: a name alone is shortened, and None is `?`.

    Whole numbers have commas for thousands, and those that are no amounts are `{n:whole}`.
    `{n:partition}` counts the noun; `{n:is|are}` is the first text for 1 or True, else the second;
    `{n:decimal}`, `{n:percent}`, `{n:integer}` (rounded down) and `{n:hours}` (of seconds) are
    amounts; `{text:whole}` isn't shortened.
    """
    return template.format_map({name: _Blank(value) for name, value in blanks.items()})


@dataclass(frozen=True, slots=True)
class _Blank:
    value: Any

    def __getattr__(self, name: str) -> _Blank:
        return _Blank(getattr(self.value, name))

    def __getitem__(self, at: Any) -> _Blank:
        return _Blank(self.value[at])

    def __format__(self, form: str) -> str:
        if not form and isinstance(self.value, Integral):
            return f"{self.value:,}"
        if not form:
            return shortened("?" if self.value is None else str(self.value))
        if "|" in form:
            singular, plural = form.split("|")
            return singular if self.value == 1 else plural
        return FORMS[form](self.value) if form in FORMS else counted(self.value, form)


def decimal(number: float) -> str:
    """`1,234.5`: with one digit after the point; a half is rounded up, as Java does."""
    return f"{Decimal(repr(float(number))).quantize(Decimal('0.1'), ROUND_HALF_UP):,}"


def percent(share: float) -> str:
    """A share between 0 and 1 in per cent, rounded down: what isn't all never reads 100 %."""
    return f"{math.floor(100 * share)} %"


FORMS: dict[str, Callable[[Any], str]] = {
    "decimal": decimal,
    "percent": percent,
    "hours": lambda seconds: decimal(seconds / 3600),
    "integer": lambda number: f"{int(number):,}",
    "whole": str,
}
"""What a blank of a sentence may ask for beside nouns."""
