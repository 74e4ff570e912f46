"""How commands tell what has become of plans in many groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from optimizer.assignor.plan_file import GroupPlan
from optimizer.figures import counted
from spark.enforce import Status, differences
from spark.terminal.console import say
from spark.terminal.printing import ROWS_SHOWN, Table, show
from spark.text import named

if TYPE_CHECKING:
    from spark.enforce.enforce_groups import Outcome
    from spark.sources.live.group import DescribedGroup

Outcomes = Mapping[str, Sequence["Outcome"]]
"""By cluster."""


def show_outcomes(outcomes: Outcomes) -> None:
    """Print what became of each plan, for people of those that aren't in force, and sum up.

    For people, groups that one reason keeps out share a row.
    """
    rows = [
        {
            "cluster": cluster,
            "group": item.group,
            "status": item.status.value,
            "members": item.members,
            "rebalanced": item.rebalanced,
            "reason": item.reason,
        }
        for cluster, outcome in outcomes.items()
        for item in outcome
    ]
    unlike = _by_reason(row for row in rows if row["status"] != Status.IN_FORCE)
    title = "groups that don't follow their plan"
    hide = {"rebalanced"} if len(outcomes) > 1 else {"rebalanced", "cluster"}
    show({"groups": Table(rows, unlike, bool(unlike), title, ROWS_SHOWN)}, hide)
    reports = [f"{sum(row['status'] == item for row in rows)} {item.value}" for item in Status]
    say(f"{counted(len(rows), 'plan')}: {', '.join(reports)}.")


def show_differences(plan: GroupPlan, group: DescribedGroup | None, status: Status) -> None:
    """Print who owns what else than the plan says, of a group of which something is known."""
    rows = differences(plan, group) if group and status is not Status.UNKNOWN else []
    show({"differences": Table(rows, is_shown=bool(rows))})


def _by_reason(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    alike: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        key = (row["cluster"], row["status"], row["reason"] or row["group"])
        alike.setdefault(key, []).append(row)
    return [
        {
            **items[0],
            "group": items[0]["group"]
            if len(items) == 1
            else named("group", (row["group"] for row in items)),
            "members": sum(row["members"] for row in items),
        }
        for items in alike.values()
    ]


def all_in_force(outcomes: Outcomes) -> bool:
    return not _behind(outcomes)


def say_continue(outcomes: Outcomes, again: str) -> None:
    """How to go on with groups that may follow their plan yet, if there are any."""
    behind = _behind(outcomes)
    if all(item.is_final for item in behind):
        say(f"No further run helps: {counted(len(behind), 'group')} can't take a plan as they are.")
    else:
        say(f"To continue with the remaining groups: {again}")


def _behind(outcomes: Outcomes) -> list[Outcome]:
    every = (item for outcome in outcomes.values() for item in outcome)
    return [item for item in every if item.status is not Status.IN_FORCE]
