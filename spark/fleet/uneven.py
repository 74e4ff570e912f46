"""Which groups are uneven and which of them are the worst: one meaning for all commands."""

from pyspark.sql import Column, functions as F

UNEVEN = "coalesce(current_max_load > max_load, false)"
"""SQL text over rows of an optimal plan: whether a group's largest load could be smaller."""

BY_WEIGHT = "weight_bound is not null"
"""SQL text: whether it is by weight that a group is balanced."""


def worst_first(by_weight: bool = False) -> list[Column]:
    """The order of groups from the worst one on: largest load ÷ the best possible, then size.

    With `by_weight` groups that are balanced by weight count by that, against the proven bound.
    """
    ratio = F.try_divide("current_max_load", "max_load")
    if by_weight:
        over_bound = F.try_divide("current_max_weight", "weight_bound")
        ratio = F.when(F.expr(BY_WEIGHT), over_bound).otherwise(ratio)
    return [ratio.desc_nulls_last(), F.desc("partitions"), F.col("cluster"), F.col("group")]
