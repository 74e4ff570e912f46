"""The groups of a comparison: one row each, with the advice that `plan` gives too."""

from typing import Any

from pyspark.sql import DataFrame, functions as F

from spark.fleet import UNEVEN, as_rows, worst_first
from spark.solve import advice_counts, advice_in_words

SHOWN = ("cluster", "group", "judged_by", "now_to_best", "after_to_best", "severity")
"""What people read of an uneven group, beside what is advised to it."""

BESIDE = ("advice_kind", "advice_strategy", "can_follow", "sentence")
"""What programs read of it too."""


def uneven_first(groups: DataFrame, most: int) -> list[dict[str, Any]]:
    """The uneven groups, the worst first, as people read them."""
    set_or_kind = F.coalesce("advice_strategy", "advice_kind").alias("advice")
    rows = groups.where(UNEVEN).orderBy(*worst_first()).limit(most)
    moves, sentence = F.col("advice_moves").alias("moves"), F.col("advice").alias("sentence")
    return as_rows(rows.select(*SHOWN, set_or_kind, moves, *BESIDE[:-1], sentence))


def advice_of(groups: DataFrame) -> list[str]:
    """How many groups are advised what, and how many can follow a plan."""
    sums = (column.alias(name) for name, column in advice_counts().items())
    return advice_in_words(groups.agg(*sums).collect())
