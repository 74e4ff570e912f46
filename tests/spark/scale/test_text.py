"""The verdict on a fleet under policies."""

from typing import Any

from spark.scale import verdict_of


def row(policy: str, member_hours: float, recommended: bool = True) -> dict[str, Any]:
    figures = {"member_hours": member_hours, "late_partition_hours": 0.0}
    keys = {"cluster": "c", "group": "orders", "policy": policy}
    return {**keys, **figures, "recommended": recommended}


def test_the_verdict_says_what_differs_from_the_record() -> None:
    assert verdict_of([row("as it was", 3.0)]) == "Cheapest within the SLO: as it was in 1 group."
    assert verdict_of([row("as it was", 3.0, recommended=False), row("fixed", 1.0)]) == (
        "Cheapest within the SLO: fixed in 1 group. Against what was recorded: 2 member-hours "
        "less, 0 late partition-hours less."
    )
