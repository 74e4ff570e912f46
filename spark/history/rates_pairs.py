"""Pairs of neighbours in a series of offsets: what lies between one snapshot and the next.

A series is what one partition's offset was at each instant; where it isn't known, or the partition
wasn't there, there is no snapshot of it: neighbours are those in which it is known.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from pyspark.sql import Column, Window, WindowSpec, functions as F

from spark.history.rates_window import AT


class Doubt(NamedTuple):
    """Instants of a cluster at which its clock may have been wrong, in seconds since 1970."""

    cluster: str
    instants: tuple[int, ...]


def known_offset(offset: str) -> Column:
    """An offset, null where there is none: Kafka says -1 then, and there is no negative one."""
    return F.when(F.col(offset) >= 0, F.col(offset))


def in_time(*keys: str) -> WindowSpec:
    """The rows of a series before this one."""
    return Window.partitionBy(*keys).orderBy(AT).rowsBetween(Window.unboundedPreceding, -1)


def neighbour(value: str, before: WindowSpec, *more: str) -> Column:
    """The last row before this one at which `value` is known: its `at`, `value` and `more`."""
    result = F.struct(AT, F.col(value).alias("value"), *more)
    return F.last(F.when(F.col(value).isNotNull(), result), ignorenulls=True).over(before)


def rate(value: str, before: str, doubts: Sequence[Doubt]) -> Column:
    """Records a second between two neighbours; null where the offset fell, or a clock is in doubt.

    Null as well where 64 bits don't hold the difference.
    """
    records = F.when(
        F.col(value) >= F.col(f"{before}.value"), F.try_subtract(value, f"{before}.value")
    )
    seconds = F.col(AT) - F.col(f"{before}.{AT}")
    return F.when(~in_doubt(before, doubts), records / seconds)


def resets(value: str, before: str, doubts: Sequence[Doubt]) -> Column:
    """Whether the offset fell between two neighbours, and no clock is the likelier cause."""
    return fell(value, before) & ~in_doubt(before, doubts)


def fell(value: str, before: str) -> Column:
    """Whether an offset is lower than at its neighbour; never null."""
    return F.coalesce(F.col(value) < F.col(f"{before}.value"), F.lit(False))


def in_doubt(before: str, doubts: Sequence[Doubt]) -> Column:
    """Whether a pair begins or ends at an instant in doubt; never null."""
    result = [
        (F.col("cluster") == item.cluster)
        & (F.col(AT).isin(*item.instants) | F.col(f"{before}.{AT}").isin(*item.instants))
        for item in doubts
    ]
    return F.coalesce(reduce(or_, result), F.lit(False)) if result else F.lit(False)
