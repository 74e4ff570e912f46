"""Columns and the order of tables that compare strategies."""

from pyspark.sql import Column, functions as F


def over_bound(when: str = "") -> Column:
    """How far the largest load by weight is above its bound, 1 being as low as possible.

    `when`: the end of both columns' names.
    """
    bound = F.col(f"weight_bound{when}")
    return F.when(bound > 0, F.col(f"max_weight{when}") / bound)


def best_first(*texts: str) -> list[Column]:
    """The order in which the first of these SQL texts that differs decides, the least first."""
    return [F.expr(text).asc_nulls_last() for text in texts]
