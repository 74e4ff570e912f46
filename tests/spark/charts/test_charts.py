"""Each chart: marks are drawn, and names can't break it."""

import re
from io import StringIO
from typing import Any
from xml.etree import ElementTree

import pytest

from spark.charts import CHARTS
from spark.charts.drawing import labels
from tests.paths import ROOT

NAME = '"><script>alert(1)</script>\n' + "y" * 10_000

ROWS: dict[str, list[dict[str, Any]]] = {
    "balance": [
        {"ratio": "1–2", "least": 1.0, "current": 3, "planned": 9},
        {"ratio": "2 and more", "least": 2.0, "current": 7, "planned": 1},
    ],
    "league": [
        {"strategy": "optimal", "excess": 0, "moves": 5, "stopped_eager": 0},
        {"strategy": "current", "excess": 8, "moves": 0, "stopped_eager": 0},
    ],
    "matrix": [
        {"member": f"{NAME}{m}", "topic": NAME, "current": 6 * m, "planned": 3} for m in range(2)
    ],
    "trend": [
        {"instant": f"2026-11-21T0{h}:00:00Z", "excess": h, "lag": 7 * h, "generations": 1}
        for h in range(3)
    ],
    "frontier": [
        {"moves": 0, "max_load": 9, "knee": False},
        {"moves": 3, "max_load": 5, "knee": True},
        {"moves": 8, "max_load": 4, "knee": False},
    ],
    "timeline": [
        {"member": NAME, "start": 0.0, "end": 20.0, "partitions": 3},
        {"member": NAME, "start": 20.0, "end": 30.0, "partitions": 0},
        {"member": None, "start": 20.0, "end": 30.0, "partitions": 3},
    ],
    "scaling": [
        {
            "policy": policy,
            "instant": f"2026-11-21T0{hour}:00:00Z",
            "members": 2 + hour,
            "lag": 7.5 * hour,
            "arrivals": 100.0,
        }
        for policy in (NAME, "fixed")
        for hour in range(3)
    ],
}


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart_and_its_place_on_the_page_of_charts(name: str) -> None:
    """`python -m tests.pictures` makes those of the page."""
    chart = CHARTS[name]
    drawn = chart.chart(ROWS[name])
    drawing = ElementTree.fromstring(_svg(drawn))
    marks = [
        item
        for group in drawing.iter()
        if re.search(r"mark-(rect|line|text|symbol|bar)", group.get("class", ""))
        for item in group
    ]
    assert marks
    assert not [item for item in drawing.iter() if item.tag.endswith("script")]
    assert "y" * 100 not in ElementTree.tostring(drawing, "unicode")
    assert drawn.to_dict()["title"] == chart.title
    page = (ROOT / "docs/charts.md").read_text(encoding="utf-8")
    assert f"## {name}\n" in page and f"(charts/{name}.svg)" in page
    ElementTree.parse(ROOT / f"docs/charts/{name}.svg")


def test_lag_is_drawn_below_what_members_read() -> None:
    lag = [{"at": at, "lag": records} for at, records in ((20.0, 0.0), (30.0, 90.0), (35.0, 0.0))]
    drawing = _svg(CHARTS["timeline"].chart([*ROWS["timeline"], *lag]))
    assert "lag (records)" in drawing
    assert "lag (records)" not in _svg(CHARTS["timeline"].chart(ROWS["timeline"]))


@pytest.mark.parametrize(("snapshots", "points"), [(24, 3 * 24), (25, 0)])
def test_a_trend_of_many_snapshots_is_a_line_without_points(snapshots: int, points: int) -> None:
    """So a notebook that keeps two days of hours stays small."""
    rows = [
        {**ROWS["trend"][0], "instant": f"2026-11-{20 + at // 24}T{at % 24:02d}:00:00Z"}
        for at in range(snapshots)
    ]
    drawn = _svg(CHARTS["trend"].chart(rows))
    assert drawn.count('aria-roledescription="point"') == points


def test_what_moves_buy_by_weight_is_drawn_with_its_bound() -> None:
    rows = [
        {"moves": 0, "max_weight": 9.5, "weight_bound": 6.0, "knee": False},
        {"moves": 1, "max_weight": 6.25, "weight_bound": 6.0, "knee": True},
        {"moves": 4, "max_weight": 5.0, "weight_bound": 4.75, "knee": False},
    ]
    drawing = _svg(CHARTS["frontier"].chart(rows))
    assert "largest load (weight)" in drawing
    assert "stroke-dasharray" in drawing


def _svg(drawn: Any) -> str:
    text = StringIO()
    drawn.save(text, format="svg")
    return text.getvalue()


def test_labels_are_short_and_never_the_same() -> None:
    names = ["x" * 300 + "a", "x" * 301 + "a", "b"]
    result = labels(names)
    assert len({*result.values()}) == 3
    assert result["b"] == "b"
