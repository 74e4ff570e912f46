"""Charts of a fleet, and the few rows that they are drawn of, summed up in Spark."""

from typing import Any

from pyspark.sql import DataFrame, functions as F

from spark.charts.drawing import BAR, FOUND, PLANNED, SERIES, WIDTH, Chart, Rows, altair, labels, of
from spark.store import SNAPSHOT

CLASSES = (1.0, 1.1, 1.25, 1.5, 2.0, 4.0)
"""Where classes of groups begin, by the load of the worst member ÷ the mean load."""

RATIO = "max_load * members / nullif(partitions, 0)"

INSTANT = (
    "date_format(to_timestamp(snapshot, \"yyyyMMdd'T'HHmmss'Z'\"), \"yyyy-MM-dd'T'HH:mm:ss'Z'\")"
)


def balance_of(groups: DataFrame) -> list[dict[str, Any]]:
    """A row a class of groups: how many are in it now and planned."""
    names = RATIO.replace("max_load", "current_max_load")
    counted = [
        F.expr(f"count_if({_between(ratio, at)})").alias(f"{name}_{at}")
        for name, ratio in (("current", names), ("planned", RATIO))
        for at in range(len(CLASSES))
    ]
    (row,) = groups.agg(*counted).collect()
    return [
        {
            "ratio": _name(at),
            "least": CLASSES[at],
            "current": row[f"current_{at}"],
            "planned": row[f"planned_{at}"],
        }
        for at in range(len(CLASSES))
    ]


def _between(ratio: str, at: int) -> str:
    end = f" and {ratio} < {CLASSES[at + 1]}D" if at + 1 < len(CLASSES) else ""
    begin = f"{ratio} >= {CLASSES[at]}D" if at else f"{ratio} is not null"
    return f"{begin}{end}"


def _name(at: int) -> str:
    begin = f"{CLASSES[at]:g}"
    return f"{begin}–{CLASSES[at + 1]:g}" if at + 1 < len(CLASSES) else f"{begin} and more"


STATES = {"current": "now", "planned": "planned"}
"""Columns of classes of groups that are drawn, and what people call them."""


def _balance(rows: Rows) -> Any:
    """Two bars a class of groups, by the load of the worst member ÷ the mean load."""
    alt = altair()
    order = [str(row["ratio"]) for row in rows]
    bars = [
        {"ratio": row["ratio"], "state": state, "value": row[key]}
        for row in rows
        for key, state in STATES.items()
    ]
    states = [*STATES.values()]
    colour = alt.Color("state:N", sort=states).scale(domain=states, range=[FOUND, PLANNED])
    return (
        alt.Chart(of(bars))
        .mark_bar()
        .encode(
            x=alt.X("ratio:N", sort=order, title="load of the worst member ÷ mean load").axis(
                labelAngle=0
            ),
            xOffset=alt.XOffset("state:N", sort=states),
            y=alt.Y("value:Q", title="groups"),
            color=colour,
        )
        .properties(width=WIDTH, height=220)
    )


BALANCE = Chart("balance", "How even groups are, now and planned", _balance)
"""Rows: `ratio` (its name), `least` (where the class begins), groups now and `planned`."""

COMPARED = {
    "excess": "partitions too many at the worst members",
    "moves": "partitions that move",
    "stopped_eager": "partitions that an eager rebalance stops",
}
SIDE = WIDTH // len(COMPARED) - 40


def _league(rows: Rows) -> Any:
    """Three panels side by side, a bar a strategy."""
    alt = altair()
    names = labels(row["strategy"] for row in rows)
    panels = [_strategies(alt, rows, names, at) for at in range(len(COMPARED))]
    return alt.hconcat(*panels, spacing=24)


def _strategies(alt: Any, rows: Rows, names: dict[str, str], at: int) -> Any:
    measure, title = [*COMPARED.items()][at]
    bars = [{"strategy": names[row["strategy"]], "value": row[measure] or 0} for row in rows]
    axis = {} if at == 0 else {"labels": False, "ticks": False}
    base = alt.Chart(of(bars)).encode(
        x=alt.X("value:Q", title=_wrap(title)).axis(tickCount=2, format="~s"),
        y=alt.Y("strategy:N", sort=[*names.values()], title=None).axis(**axis),
    )
    texts = base.mark_text(align="left", dx=3).encode(text=alt.Text("value:Q", format=","))
    return (base.mark_bar(color=SERIES[at]) + texts).properties(width=SIDE, height=BAR * len(rows))


def _wrap(title: str) -> list[str]:
    """In two lines."""
    words = title.split()
    half = (len(words) + 1) // 2
    return [" ".join(words[:half]), " ".join(words[half:])]


LEAGUE = Chart("league", "What each strategy would make of the fleet", _league)
"""Rows as `spark.compare.fleet_of` has them, the best first."""


def trend_of(states: DataFrame, rebalances: DataFrame | None) -> list[dict[str, Any]]:
    """A row a snapshot in order of time: excess, lag, rebalances, uneven groups."""
    sums = states.groupBy(SNAPSHOT).agg(
        *(F.sum(measure).alias(measure) for measure in ("excess", "lag")),
        F.count_if(F.col("excess") > 0).alias("uneven"),
    )
    if rebalances is not None:
        times = rebalances.groupBy(SNAPSHOT).agg(F.sum("generations").alias("generations"))
        sums = sums.join(times, SNAPSHOT, "left")
    else:
        sums = sums.withColumn("generations", F.lit(None).cast("long"))
    rows = sums.orderBy(SNAPSHOT).selectExpr(
        f"{INSTANT} as instant", "excess", "lag", "generations", "uneven"
    )
    return [row.asDict() | {"generations": row.generations or 0} for row in rows.collect()]


OVER_TIME = {
    "excess": ["excess", "(partitions)"],
    "lag": ["lag", "(records)"],
    "generations": ["rebalances", "(times)"],
}

FEW = 24
"""Snapshots of which each has a point; more are a line alone."""


def _trend(rows: Rows) -> Any:
    """A line a measure, one below the other, over one axis of time."""
    alt = altair()
    lines = [_line(alt, rows, at) for at in range(len(OVER_TIME))]
    return alt.vconcat(*lines, spacing=8).resolve_scale(x="shared")


def _line(alt: Any, rows: Rows, at: int) -> Any:
    measure, title = [*OVER_TIME.items()][at]
    last = at == len(OVER_TIME) - 1
    point: Any = {"size": 12, "color": SERIES[at]} if len(rows) <= FEW else False
    points = [{"instant": row["instant"], "value": row[measure]} for row in rows]
    return (
        alt.Chart(of(points))
        .mark_line(color=SERIES[at], point=point)
        .encode(
            x=alt.X("instant:T", title="time (UTC)" if last else None)
            .scale(type="utc")
            .axis(labels=last, format="%d %b %H:%M", tickCount=6),
            y=alt.Y("value:Q", title=title).axis(tickCount=3, format="~s"),
        )
        .properties(width=WIDTH, height=80)
    )


TREND = Chart("trend", "Excess, lag and rebalances over time", _trend)
"""Rows in order of time: `instant` (ISO 8601), sums over the fleet of `excess`, `lag` and
`generations`."""
