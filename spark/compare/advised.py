"""The groups of a comparison: one row each, with the advice that `plan` gives too."""

from typing import Any

from pyspark.sql import DataFrame

from spark.fleet import UNEVEN, as_rows, worst_first
from spark.solve import advice_counts, advice_in_words

SHOWN = ("cluster", "group", "judged_by", "now_to_best", "after_to_best", "severity")
"""What people read of an uneven group, beside what is advised to it."""

ADVICE = ("advice_kind", "advice", "advice_strategy", "advice_moves", "can_follow")


def uneven_first(groups: DataFrame, most: int) -> list[dict[str, Any]]:
    """The uneven groups, the worst first."""
    worst = groups.where(UNEVEN).orderBy(*worst_first()).limit(most)
    return as_rows(worst.select(*SHOWN, *ADVICE))


def uneven_row(row: dict[str, Any]) -> dict[str, Any]:
    """One of them as people read it: an assignor to set, or what else is advised."""
    advice = row["advice_strategy"] or row["advice_kind"]
    shown = {name: row[name] for name in ("snapshot", *SHOWN) if name in row}
    return shown | {"advice": advice, "moves": row["advice_moves"]}


def advice_of(groups: DataFrame) -> list[str]:
    """How many groups are advised what, and how many can follow a plan."""
    sums = (column.alias(name) for name, column in advice_counts().items())
    return advice_in_words(groups.agg(*sums).collect())
