"""How commands tell what has become of plans in many groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from spark.enforce import Status
from spark.terminal.console import Format, say, show
from spark.wording import counted

if TYPE_CHECKING:
    from spark.enforce.enforce_groups import Outcome

Outcomes = Mapping[str, Sequence["Outcome"]]
"""By cluster."""

SHOWN = 40
"""So many groups are printed for people; JSON has all."""


def show_outcomes(outcomes: Outcomes, form: Format) -> None:
    """Print the groups whose plan isn't in force, as JSON all of them, and sum up."""
    rows = [
        {
            **({"cluster": cluster} if len(outcomes) > 1 or form is Format.JSON else {}),
            "group": one.group,
            "status": one.status.value,
            "members": one.members,
            **({"rebalanced": one.rebalanced} if form is Format.JSON else {}),
            "reason": one.reason,
        }
        for cluster, some in outcomes.items()
        for one in some
    ]
    if form is Format.JSON:
        show({"groups": rows}, form)
    else:
        unlike = [row for row in rows if row["status"] != Status.IN_FORCE]
        if unlike:
            show({"groups whose plan is not in force": unlike[:SHOWN]}, form)
        if len(unlike) > SHOWN:
            say(f"And {counted(len(unlike) - SHOWN, 'group')} more: --format json has all.")
    told = [f"{sum(row['status'] == one for row in rows)} {one.value}" for one in Status]
    say(f"{counted(len(rows), 'plan')}: {', '.join(told)}.")


def all_in_force(outcomes: Outcomes) -> bool:
    return all(one.status is Status.IN_FORCE for some in outcomes.values() for one in some)
