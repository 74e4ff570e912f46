"""Each chart: marks are drawn, names can't break it, and its sentence has the figures."""

from __future__ import annotations

import re
from typing import Any
from xml.etree import ElementTree

import pytest

from spark.charts import CHARTS
from spark.charts.drawing import labels

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
    "rebalances": [
        {"instant": "2026-11-21T00:00:00Z", "cause": "join", "generations": 2},
        {"instant": "2026-11-21T01:00:00Z", "cause": "crash", "generations": 9},
    ],
    "brokers": [
        {"broker": b, "replicas": 9 - 3 * b, "planned": 6, "leaders": 3, "planned_leaders": 3 - b}
        for b in range(2)
    ],
    "racks": [{"cluster": NAME, "current": 12, "planned": 4}],
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
}

TOLD = {
    "balance": "In 7 groups the most loaded member has at least 1.5 times the mean now, in 1",
    "league": "Best is optimal: 0 partitions too many, 5 moves; as it is, 8 partitions",
    "matrix": "most loaded of 2 members has 6 partitions and the least loaded 0; planned, the "
    "most loaded has 3.",
    "trend": "the excess went from 0 to 2 partitions, the lag from 0 to 14 records, and groups "
    "rebalanced 3 times.",
    "rebalances": "rebalanced 11 times; the commonest cause is: crash (9).",
    "brokers": "Replicas of a broker range from 6 to 9 now, from 6 to 6 in the plan; leaders",
    "racks": "12 partitions are read across racks now, 4 in the plan.",
    "frontier": "the largest load is 9 partitions; 8 moves bring it to 4. The ring is where moves "
    "do most: 3 bring it to 5.",
    "timeline": "Unread are up to 3 partitions at once, 30.0 partition-seconds in all.",
}


def test_what_moves_buy_by_weight_is_drawn_with_its_bound() -> None:
    rows = [
        {"moves": 0, "max_weight": 9.5, "weight_bound": 6.0, "knee": False},
        {"moves": 1, "max_weight": 6.25, "weight_bound": 6.0, "knee": True},
        {"moves": 4, "max_weight": 5.0, "weight_bound": 4.75, "knee": False},
    ]
    told = CHARTS["frontier"].tell(rows)
    assert "is 9.5 by weight; 4 moves bring it to 5, and no plan (dashed) is below 4.75" in told
    assert "1 brings it to 6.25" in told
    assert "largest load (weight)" in CHARTS["frontier"].svg(rows)


@pytest.mark.parametrize("name", CHARTS)
def test_a_chart(name: str) -> None:
    chart = CHARTS[name]
    drawing = ElementTree.fromstring(chart.svg(ROWS[name]))
    marks = [
        one
        for group in drawing.iter()
        if re.search(r"mark-(rect|line|text|symbol|bar)", group.get("class", ""))
        for one in group
    ]
    assert marks
    assert not [one for one in drawing.iter() if one.tag.endswith("script")]
    assert "y" * 100 not in ElementTree.tostring(drawing, "unicode")
    assert TOLD[name] in chart.tell(ROWS[name])
    assert chart.drawn(ROWS[name]).to_dict()["title"] == chart.title


def test_labels_are_short_and_never_the_same() -> None:
    names = ["x" * 300 + "a", "x" * 301 + "a", "b"]
    found = labels(names)
    assert len({*found.values()}) == 3
    assert found["b"] == "b"
