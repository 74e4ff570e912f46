"""What isn't known of groups that were replayed is counted by what it is."""

from typing import Any

from spark.scale import assumptions_of

IDLE = "no rates and count as idle"


def row(reason: str | None, recommended: bool = True) -> dict[str, Any]:
    return {"reason": reason, "recommended": recommended}


def test_groups_by_what_is_not_known() -> None:
    """Once a group: the row of the recommended policy stands for it."""
    rows = [
        row(f"3 of 8 partitions have {IDLE}"),
        row(f"3 of 8 partitions have {IDLE}", recommended=False),
        row(f"1 of 2 partitions have {IDLE}; one rate stands for up to 3 intervals"),
        row(None),
    ]
    assert assumptions_of(rows) == [
        f"2 groups: some partitions have {IDLE}",
        "1 group: one rate stands for several intervals",
    ]
