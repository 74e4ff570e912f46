"""A fleet's plan in a few numbers, before and after."""

from __future__ import annotations

from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def summarize(solved: DataFrame) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of solved groups by status, and the planned fleet as found and as planned.

    `uneven groups` have loads two or more apart; `worst max/mean` is that of the worst group.
    `local reads` and those `across racks` are there where goals and facts have racks.
    """
    by_status = solved.groupBy("status").agg(F.count("*").alias("groups")).orderBy("status")
    statuses = [row.asDict() for row in by_status.collect()]
    sums = solved.agg(
        F.count("max_load").alias("planned"),
        F.sum("partitions").alias("partitions"),
        F.sum("moves").alias("moves"),
        F.sum("takeovers").alias("takeovers"),
        *_loads("found_", "found"),
        *_loads("", "planned"),
        *(
            F.sum(f"{prefix}{reads}_reads").alias(f"{alias}_{reads}")
            for prefix, alias in (("found_", "found"), ("", "planned"))
            for reads in ("local", "remote")
        ),
    ).first()
    assert sums is not None
    return statuses, [_fleet_row("as found", sums, "found"), _fleet_row("planned", sums, "planned")]


def _loads(prefix: str, alias: str) -> list[Column]:
    high, low = F.col(f"{prefix}max_load"), F.col(f"{prefix}min_load")
    mean = F.col("partitions") / F.col("members")
    return [
        F.count_if(high - low >= 2).alias(f"{alias}_uneven"),
        F.max(high).alias(f"{alias}_max"),
        F.max(F.when(mean > 0, high / mean)).alias(f"{alias}_worst"),
        F.sum(f"{prefix}sum_squares").alias(f"{alias}_squares"),
    ]


def _fleet_row(title: str, sums: Any, alias: str) -> dict[str, Any]:
    planned = alias == "planned"
    reads = {"local reads": sums[f"{alias}_local"], "across racks": sums[f"{alias}_remote"]}
    return {
        "fleet": title,
        "uneven groups": sums[f"{alias}_uneven"],
        "max load": sums[f"{alias}_max"],
        "worst max/mean": sums[f"{alias}_worst"],
        "sum of squares": sums[f"{alias}_squares"],
        "moves": sums["moves"] if planned else 0,
        "takeovers": sums["takeovers"] if planned else 0,
        **{name: count for name, count in reads.items() if count is not None},
    }
