"""Which groups are uneven and which of them are the worst: one meaning for all commands."""

from pyspark.sql import Column, functions as F

UNEVEN = "coalesce(uneven, false)"
"""SQL text over rows with advice: whether a group is uneven, `info` or worse (docs/advice.md)."""

BY_WEIGHT = "weight_bound is not null"
"""SQL text: whether it is by weight that a group is balanced."""


def worst_first() -> list[Column]:
    """The order of groups from the worst one on: largest load ÷ the best possible, then size."""
    worst = F.desc_nulls_last("now_to_best")
    return [worst, F.desc("partitions"), F.col("cluster"), F.col("group")]
