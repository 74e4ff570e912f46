"""How commands tell what has become of plans in many groups."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from spark.enforce import Status
from spark.terminal.console import Format, at_most, say, show
from spark.wording import counted, named

if TYPE_CHECKING:
    from spark.enforce.enforce_groups import Outcome

Outcomes = Mapping[str, Sequence["Outcome"]]
"""By cluster."""

SHOWN = 40
"""So many rows are printed for people; JSON has all."""


def show_outcomes(outcomes: Outcomes, form: Format) -> None:
    """Print the groups whose plan isn't in force, as JSON all of them, and sum up.

    For people, groups that one reason keeps out share a row.
    """
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
        most = at_most(SHOWN)
        shown = unlike if most is None else _by_reason(unlike)
        if unlike:
            show({"groups whose plan is not in force": shown[:most]}, form)
        if rest := shown[len(shown[:most]) :]:
            say(f"And {counted(len(rest), 'row')} more: --format json has all.")
    told = [f"{sum(row['status'] == one for row in rows)} {one.value}" for one in Status]
    say(f"{counted(len(rows), 'plan')}: {', '.join(told)}.")


def _by_reason(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    alike: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        key = (row.get("cluster"), row["status"], row["reason"] or row["group"])
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
