"""How the fleet developed: one sparkline a measure, all on one time axis."""

from collections.abc import Sequence
from typing import Any

from spark.report.material import Material

MEASURES = {
    "uneven": "groups to even out",
    "excess": "partitions above the best",
    "lag": "lag (records)",
    "generations": "rebalances",
}

WIDTH, HEIGHT = 300, 40
"""Of a sparkline, in units of its own: it is stretched to the width that there is."""


def trend(material: Material) -> dict[str, Any]:
    """A line a measure, or how to get a history."""
    rows = material.trend
    if len(rows) < 2:
        return {"lines": []}
    columns = {key: [row.get(key) for row in rows] for key in MEASURES}
    entries = {key: values for key, values in columns.items() if any(map(_is_known, values))}
    lag = rows[-1]["lag"]
    return {
        "lines": [_line(MEASURES[key], values) for key, values in entries.items()],
        "first": _minute(rows[0]["instant"]),
        "last": _minute(rows[-1]["instant"]),
        "ends_apart": material.now["lag"] != lag,
        "data": {
            "instants": [_minute(row["instant"]) for row in rows],
            "values": [*entries.values()],
        },
    }


def _is_known(value: Any) -> bool:
    return value is not None


def _line(label: str, values: Sequence[Any]) -> dict[str, Any]:
    most = max(filter(_is_known, values))
    ends = {"first": values[0], "last": values[-1], "most": most}
    return {"label": label, "line": spark_line(values)} | ends


def spark_line(values: Sequence[float | None]) -> str | None:
    """Points of a polyline from the left to the right; None for fewer than two values."""
    entries = [(at, value) for at, value in enumerate(values) if value is not None]
    if len(entries) < 2:
        return None
    most = max(value for _, value in entries) or 1
    step = WIDTH / (len(values) - 1)
    return " ".join(
        f"{at * step:.1f},{HEIGHT - 1 - (HEIGHT - 3) * value / most:.1f}" for at, value in entries
    )


def _minute(instant: str) -> str:
    return instant[:16].replace("T", " ")
