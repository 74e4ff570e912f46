"""The verdict on a fleet under policies, and what isn't known of its groups."""

from typing import Any

from spark.scale import assumptions_of, verdict_of

IDLE = "no rates and count as idle"


def row(policy: str, member_hours: float, recommended: bool = True) -> dict[str, Any]:
    figures = {"member_hours": member_hours, "late_partition_hours": 0.0, "hours": 24.0}
    keys = {"cluster": "c", "group": "orders", "policy": policy}
    return {**keys, **figures, "recommended": recommended}


def test_the_verdict_says_how_long_it_looked_and_what_differs_from_the_record() -> None:
    looked = "Looked at 1 d of 1 group. Cheapest within the SLO:"
    assert verdict_of([row("as it was", 3.0)]) == f"{looked} as it was in 1."
    assert verdict_of([row("as it was", 3.0, recommended=False), row("fixed", 1.0)]) == (
        f"{looked} fixed in 1. 2 member-hours less than recorded."
    )
    assert verdict_of([row("fixed", 1.0) | {"hours": 23.4}]) == (
        "Looked at only 23 h of 1 group: too short for advice, which takes a day. Collect every "
        "hour, then scale again."
    )
    assert verdict_of([row("fixed", 1.0, recommended=False)]) == "No group could be replayed."


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
