"""What events come to, in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spark.fleet import CONNECT, CONSUMER
from spark.settings import CURRENT

Row = Mapping[str, Any]

SAID_OF = {CONSUMER: "", CONNECT: "Groups of Connect workers: "}


def whatif_advice(fleet: Sequence[Row]) -> str:
    """What to change and what that saves, by rows of `spark.whatif.fleet_of_whatif`."""
    verdicts = []
    for kind, said in SAID_OF.items():
        of_kind = [row for row in fleet if row["kind"] == kind and row["groups"]]
        if of_kind:
            verdicts.append(said + _verdict(of_kind))
    return " ".join(verdicts) or "No group has these events and could be judged."


def _verdict(fleet: Sequence[Row]) -> str:
    found = next((row for row in fleet if row["strategy"] == CURRENT), None)
    others = [row for row in fleet if row["strategy"] != CURRENT]
    if found is None or not others:
        return f"With {fleet[0]['strategy']}: {_said_of(fleet[0])}."
    best = min(others, key=_worth)
    if _worth(best) >= _worth(found):
        return f"No other strategy would help: {_said_of(found)}."
    return f"Change to {best['strategy']}: {_said_of(best)}, instead of {_said_of(found)}."


def _worth(row: Row) -> tuple[float, ...]:
    return tuple(row[one] or 0 for one in ("without_answer", "excess_after", "moves"))


def _said_of(row: Row) -> str:
    return f"{row['moves'] or 0:,} moves, {row['excess_after'] or 0:,} partitions of excess load"
