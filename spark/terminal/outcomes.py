"""How commands tell what has become of plans in many groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spark.enforce import Status
from spark.terminal.console import say
from spark.terminal.printing import Table, show
from spark.wording import counted, named

if TYPE_CHECKING:
    from spark.enforce.enforce_groups import Outcome

Outcomes = Mapping[str, Sequence["Outcome"]]
"""By cluster."""

SHOWN = 40
"""Rows that people see unless they ask for all."""


def show_outcomes(outcomes: Outcomes) -> None:
    """Print what became of each plan, for people of those that aren't in force, and sum up.

    For people, groups that one reason keeps out share a row.
    """
    rows = [
        {
            "cluster": cluster,
            "group": one.group,
            "status": one.status.value,
            "members": one.members,
            "rebalanced": one.rebalanced,
            "reason": one.reason,
        }
        for cluster, some in outcomes.items()
        for one in some
    ]
    unlike = _by_reason(row for row in rows if row["status"] != Status.IN_FORCE)
    title = "groups that don't follow their plan"
    hide = {"rebalanced"} if len(outcomes) > 1 else {"rebalanced", "cluster"}
    show({"groups": Table(rows, unlike, bool(unlike), title, SHOWN)}, hide)
    told = [f"{sum(row['status'] == one for row in rows)} {one.value}" for one in Status]
    say(f"{counted(len(rows), 'plan')}: {', '.join(told)}.")


def _by_reason(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    alike: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        key = (row["cluster"], row["status"], row["reason"] or row["group"])
        alike.setdefault(key, []).append(row)
    return [
        {
            **some[0],
            "group": some[0]["group"]
            if len(some) == 1
            else named("group", (row["group"] for row in some)),
            "members": sum(row["members"] for row in some),
        }
        for some in alike.values()
    ]


def all_in_force(outcomes: Outcomes) -> bool:
    return all(one.status is Status.IN_FORCE for some in outcomes.values() for one in some)
