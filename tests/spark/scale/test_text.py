"""The verdict on a fleet under policies, and what isn't known of its groups."""

from typing import Any

from spark.scale import assumptions_of, verdict_of

IDLE = "no rates and count as idle"


def row(policy: str, member_hours: float, recommended: bool = True) -> dict[str, Any]:
    figures = {"member_hours": member_hours, "late_partition_hours": 0.0}
    keys = {"cluster": "c", "group": "orders", "policy": policy}
    return {**keys, **figures, "recommended": recommended}


def test_the_verdict_says_what_differs_from_the_record() -> None:
    assert verdict_of([row("as it was", 3.0)]) == "Cheapest within the SLO: as it was in 1 group."
    assert verdict_of([row("as it was", 3.0, recommended=False), row("fixed", 1.0)]) == (
        "Cheapest within the SLO: fixed in 1 group. Against what was recorded: 2 member-hours less."
    )


def test_groups_by_what_is_not_known() -> None:
    """Once a group: the row of the recommended policy stands for it."""
    reasons = (
        (f"3 of 8 partitions have {IDLE}", True),
        (f"3 of 8 partitions have {IDLE}", False),
        (f"1 of 2 partitions have {IDLE}; one rate stands for up to 3 intervals", True),
        (None, True),
    )
    assert assumptions_of([{"reason": why, "recommended": best} for why, best in reasons]) == [
        f"2 groups: some partitions have {IDLE}",
        "1 group: one rate stands for several intervals",
    ]
