"""Sentences of findings, put together in a worker."""

from __future__ import annotations

import math
from collections.abc import Collection
from decimal import ROUND_HALF_UP, Decimal

from spark.text import shortened

A_NEW_PLAN = (
    "The group follows a plan: make a new one with `evenfleet plan` and `evenfleet export-plan`, "
    "and apply it with `evenfleet enforce`."
)
"""Advice to a group that an assignor of Evenfleet's assigns."""


def sentence(template: str, whole: Collection[str] = (), **words: object) -> str:
    """The template with its {blanks} filled; None is told as `?`.

    Long names are shortened, but for those in the blanks of `whole`, which have sentences of names.
    """
    return template.format_map(
        {
            blank: str(word) if blank in whole else shortened("?" if word is None else str(word))
            for blank, word in words.items()
        }
    )


def decimal(number: float) -> str:
    """With one digit after the point; a half is rounded up, as Java does."""
    return str(Decimal(repr(float(number))).quantize(Decimal("0.1"), ROUND_HALF_UP))


def percent(share: float) -> str:
    """A share between 0 and 1 in per cent, rounded down: what isn't all never reads 100 %."""
    return f"{math.floor(100 * share)} %"
