"""The common parts of comparisons of strategies, in tables and in words."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, functions as F

from optimizer.figures import duration, plural
from optimizer.strategies import OPTIMAL
from spark.fleet import CONNECT, CONSUMER
from spark.settings import CURRENT

Row = Mapping[str, Any]

KIND_PREFIX = {CONSUMER: "", CONNECT: "Groups of Connect workers: "}


def verdicts(league: Sequence[Row], verdict: Callable[[Sequence[Row]], str]) -> str:
    """The verdict on each kind of groups, one after the other, if there is any."""
    by_prefix = {
        prefix: [row for row in league if row.get("kind", CONSUMER) == kind]
        for kind, prefix in KIND_PREFIX.items()
    }
    texts = {prefix: verdict(rows) for prefix, rows in by_prefix.items() if rows}
    return " ".join(prefix + text for prefix, text in texts.items() if text)


def row_of(league: Sequence[Row], strategy: str) -> Row | None:
    """The strategy's row, if it is there."""
    return next((row for row in league if row["strategy"] == strategy), None)


def kafkas_own(league: Sequence[Row]) -> list[Row]:
    """The rows of strategies that come with Kafka."""
    return [row for row in league if row["strategy"] not in (OPTIMAL, CURRENT)]


def of_racks(league: Sequence[Row], column: str) -> tuple[Any, Any] | None:
    """Reads across racks now and with `optimal`; None unless that saves some."""
    now, then = row_of(league, CURRENT), row_of(league, OPTIMAL)
    before, after = (row[column] if row else None for row in (now, then))
    saves = before is not None and after is not None and after < before
    return (before, after) if saves else None


def over_bound(when: str = "") -> Column:
    """How far the largest load by weight is above its bound, 1 being as low as possible.

    `when`: the end of both columns' names.
    """
    bound = F.col(f"weight_bound{when}")
    return F.when(bound > 0, F.col(f"max_weight{when}") / bound)


def best_first(*texts: str) -> list[Column]:
    """The order in which the first of these SQL texts that differs decides, the least first."""
    return [F.expr(text).asc_nulls_last() for text in texts]


def lag_text(figures: Row, in_records: bool = False) -> str:
    """How far a group falls behind, and how soon it catches up, by those columns of a `CostRow`."""
    if not figures["max_lag_records"]:
        return "nothing falls behind"
    behind = f"up to {duration(figures['max_lag_seconds'])} behind"
    if in_records:
        behind += f" ({plural(round(figures['max_lag_records']), 'record')})"
    if never := figures["never_caught_up"]:
        return f"{behind}, {plural(never, 'partition')} never catch{'es' * (never == 1)} up"
    return f"{behind}, up to {duration(figures['catch_up_seconds'] or 0)} to catch up"
