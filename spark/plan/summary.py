"""A fleet's plan in a few numbers, before and after."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pyspark.sql import Column, DataFrame, Row, functions as F

from optimizer.advice import LEVELS
from optimizer.figures import figure, plural
from optimizer.strategies import OPTIMAL
from spark.fleet import BY_WEIGHT, PLANNED, UNEVEN
from spark.solve import advice_counts

EVENED_OUT = (
    f"{UNEVEN} and if({BY_WEIGHT}, current_max_weight > max_weight, current_max_load > max_load)"
)
"""SQL text: whether a group is uneven and its largest load is smaller in the plan than now."""
CLOSER = (
    f"not ({BY_WEIGHT}) and not {UNEVEN} "
    "and current_max_load - current_min_load > greatest(max_load - min_load, 1)"
)
"""SQL text: whether only its other loads come closer."""

IDLE_TO_BUSY = (
    "greatest(0, size(array_distinct(filter(target, one -> one >= 0))) - "
    "size(array_distinct(filter(previous, one -> one >= 0 and one < members))))"
)
"""SQL text over solved rows: how many members more have partitions in the plan than now."""

Total = Callable[[list[Any]], Any]


def by_status(solved: DataFrame) -> list[Row]:
    """Measures of solved groups, a row a status in their order."""
    columns = [column.alias(name) for name, (column, _) in _measures().items()]
    partitions = F.coalesce(F.sum("partitions"), F.lit(0)).alias("partitions")
    grouped = solved.groupBy("status").agg(F.count("*").alias("groups"), partitions, *columns)
    return sorted(grouped.collect(), key=lambda row: row.status)


def summarize(rows: list[Row]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows for people: groups by status, and the planned fleet now and planned.

    `uneven_groups` are counted for an optimal plan: those whose largest load is above the best
    possible one. `worst_max_to_mean` is that of the worst group.
    Groups by weight aren't among these: of them it is the load of the most loaded member ÷ what no
    plan is below, `mean_over_bound` and `worst_over_bound`. `local_reads` and those `across_racks`
    are there where goals and facts have racks.
    """
    measures = _measures()
    statuses = [{"status": row.status, "groups": row.groups} for row in rows]
    whole = {
        name: _of_known(total, [row[name] for row in rows]) for name, (_, total) in measures.items()
    }
    return statuses, [
        _fleet_row("now", whole, "current"),
        _fleet_row("planned", whole, "planned"),
    ]


def _measures() -> dict[str, tuple[Column, Total]]:
    """Measures of some groups, and how those of several such parts make one number."""
    measures: dict[str, tuple[Column, Total]] = {
        name: (F.sum(name), sum) for name in ("moves", "takeovers")
    }
    by_count = F.expr(f"not ({BY_WEIGHT})")
    for prefix, alias in (("current_", "current"), ("", "planned")):
        high, low = (F.when(by_count, F.col(f"{prefix}{end}_load")) for end in ("max", "min"))
        over_bound = F.try_divide(f"{prefix}max_weight", "weight_bound")
        mean = F.try_divide("partitions", "members")
        measures |= {
            f"{alias}_apart": (F.count_if(high - low >= 2), sum),
            f"{alias}_max": (F.max(high), max),
            f"{alias}_worst": (F.max(F.when(mean > 0, high / mean)), max),
            f"{alias}_weighed": (F.count(over_bound), sum),
            f"{alias}_over": (F.sum(over_bound), sum),
            f"{alias}_most_over": (F.max(over_bound), max),
            f"{alias}_squares": (F.sum(f"{prefix}sum_squares"), sum),
            f"{alias}_local": (F.sum(f"{prefix}local_reads"), sum),
            f"{alias}_remote": (F.sum(f"{prefix}remote_reads"), sum),
        }
    best = F.col("strategy") == OPTIMAL
    least = LEVELS["weight"]["info"].ratio
    left = f"if({BY_WEIGHT}, max_weight >= {least} * weight_bound, not balance_optimal)"
    uneven = {"current": UNEVEN, "planned": f"coalesce({left}, false)"}
    for alias, text in uneven.items():
        is_so = F.when(best, F.expr(text).cast("int"))
        measures[f"{alias}_uneven"] = (F.sum(is_so), sum)
    measures["improved"] = (F.count_if(F.expr(EVENED_OUT)), sum)
    measures["closer"] = (F.count_if(F.expr(CLOSER)), sum)
    is_held = F.size("held_by") > 0
    bound = by_count & F.expr("balance_optimal and max_load - min_load >= 2")
    measures["bound"] = (F.count_if(bound & ~is_held), sum)
    measures["held"] = (F.count_if(bound & is_held), sum)
    measures["held_by"] = (F.array_distinct(F.flatten(F.collect_set("held_by"))), max)
    measures["unread"] = (F.sum("unread"), sum)
    return measures | {name: (column, sum) for name, column in advice_counts().items()}


def sentence_of(rows: list[Row]) -> str:
    """Groups that the plan evens out, the moves that takes, and which stay uneven and why."""
    improved, closer, bound, held, apart, moves, takeovers, unread, partitions = (
        sum(row[name] or 0 for row in rows)
        for name in (
            *("improved", "closer", "bound", "held", "planned_apart"),
            *("moves", "takeovers", "unread", "partitions"),
        )
    )
    groups = plural(sum(row.groups for row in rows if row.status in PLANNED), "group")
    moved = f"{moves:,} of {plural(partitions, 'partition')}"
    if improved:
        sentence = f"The plan evens out {improved:,} of {groups} by moving {moved}"
    else:
        sentence = f"The plan makes none of {groups} more even; it moves {moved}"
    if takeovers:
        gets = "gets" if takeovers == 1 else "get"
        sentence += f"; {plural(takeovers, 'orphaned partition')} {gets} a new owner"
    if unread:
        gets = "gets" if unread == 1 else "get"
        sentence += f"; {plural(unread, 'partition')} that nobody reads now {gets} a reader"
    sentences = [f"{sentence}."]
    if closer:
        sentences.append(f"In {plural(closer, 'more group')} other loads come closer.")
    if bound:
        sentences.append(
            f"In {plural(bound, 'group')} loads stay two or more apart, because members subscribe "
            "to different topics."
        )
    if held:
        names = ", ".join(sorted({name for row in rows for name in row["held_by"]}))
        sentences.append(
            f"In {plural(held, 'group')} loads stay two or more apart, because of {names}."
        )
    if apart > bound + held:
        sentences.append(f"{plural(apart - bound - held, 'group')} could be more even still.")
    weighed = sum(row.planned_weighed for row in rows)
    if weighed:
        now, planned = (
            max(row[f"{alias}_most_over"] or 0 for row in rows) for alias in ("current", "planned")
        )
        sentences.append(
            f"By weight, no member of {plural(weighed, 'group')} carries more than "
            f"{figure(planned)} times the proven lower bound (now {figure(now)} times)."
        )
    return " ".join(sentences)


def uneven_for_people(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Uneven groups as people read them: loads are by what each group is judged by."""
    uneven = []
    for row in rows:
        load = "max_weight" if row["judged_by"] == "weight" else "max_load"
        cells = {name: row[name] for name in ("snapshot", "cluster", "group") if name in row}
        cells["now"] = row[f"current_{load}"]
        cells |= {"planned": row[load], "severity": row["severity"], "moves": row["moves"]}
        uneven.append(cells | {"advice": row["advice_strategy"] or row["advice_kind"]})
    return uneven


def _of_known(total: Total, numbers: list[Any]) -> Any:
    present = [value for value in numbers if value is not None]
    return total(present) if present else None


def _fleet_row(title: str, sums: Mapping[str, Any], alias: str) -> dict[str, Any]:
    planned = alias == "planned"
    reads = {"local_reads": sums[f"{alias}_local"], "across_racks": sums[f"{alias}_remote"]}
    weighed, is_counted = sums[f"{alias}_weighed"], sums[f"{alias}_max"] is not None
    by_count = {
        **({"uneven_groups": uneven} if (uneven := sums[f"{alias}_uneven"]) is not None else {}),
        "max_load": sums[f"{alias}_max"],
        "worst_max_to_mean": sums[f"{alias}_worst"],
    }
    by_weight = {
        "mean_over_bound": weighed and sums[f"{alias}_over"] / weighed,
        "worst_over_bound": sums[f"{alias}_most_over"],
    }
    return {
        "fleet": title,
        **(by_count if is_counted or not weighed else {}),
        **(by_weight if weighed else {}),
        "sum_of_squares": sums[f"{alias}_squares"],
        "moves": sums["moves"] if planned else 0,
        "takeovers": sums["takeovers"] if planned else 0,
        **{name: count for name, count in reads.items() if count is not None},
    }
