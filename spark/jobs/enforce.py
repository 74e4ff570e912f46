"""`evenfleet enforce`: make groups take up plans that have changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from spark.enforce import Status, differences
from spark.terminal import (
    CHECK_FAILED,
    Bootstrap,
    ChosenPlans,
    ClusterName,
    Clusters,
    Form,
    Format,
    OfGroups,
    Plans,
    all_in_force,
    busy,
    command,
    is_folder,
    live,
    plans_in,
    say,
    show,
    show_outcomes,
)
from spark.wording import counted


def enforce(
    plan: Plans,
    group: OfGroups = None,
    cluster: ClusterName = None,
    bootstrap: Bootstrap = None,
    clusters: Clusters = None,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run/--apply", " /--no-dry-run", help="Print what would change, or change it."
        ),
    ] = True,
    at_once: Annotated[
        int, typer.Option(help="So many groups at a time; coupled ones never.", min=1)
    ] = 5,
    timeout: Annotated[
        float, typer.Option(help="Seconds in which a group has to come to rest.", min=1)
    ] = 60.0,
    form: Form = Format.TABLE,
) -> None:
    """Make groups assign anew, so that who assigns there reads the plan again.

    That is a leader with a `PlanAssignor`, or a broker with Evenfleet's assignor (KIP-848). Of a
    folder of plans all groups, in waves: the next begins when the groups of the last are at rest,
    and none does when one isn't in time. Run again, it goes on where it ended. Exit code 1 if a
    plan can't come into force.
    """
    chosen = plans_in(plan, group, cluster, bootstrap, clusters)
    where = (plan, group, cluster, bootstrap, clusters)
    again = command("enforce", *where, "--apply")
    if not is_folder(plan):
        _enforce_one(chosen[0], dry_run, form, again, command("watch", *where))
    elif dry_run:
        _look(chosen, form, again)
    else:
        _enforce_many(chosen, at_once, timeout, form, again)


def _enforce_one(chosen: ChosenPlans, dry_run: bool, form: Format, again: str, watch: str) -> None:
    ((name, plan),) = chosen.plans.items()
    with live("spark.enforce.lookout").Lookout(chosen.cluster, chosen.plans) as lookout:
        verdict = lookout.look(frozenset([name]))[name]
        known = lookout.groups.get(name)
        rows = differences(plan, known) if known and verdict.status is not Status.UNKNOWN else []
        if rows or form is Format.JSON:
            show({"differences": rows}, form)
        if verdict.reason:
            _refuse(f"Group {name}: {verdict.reason}")
        if not verdict.is_ready:
            say(f"The plan of snapshot {plan.snapshot} is in force already.")
        elif dry_run:
            say(f"A rebalance of group {name} is needed. Next: {again}")
        elif reason := lookout.make_rebalance(name):
            _refuse(f"{reason[0].upper()}{reason[1:]}")
        else:
            say(f"Group {name} rebalances. Next: {watch}")


def _refuse(sentence: str) -> None:
    say(f"{sentence}.")
    raise typer.Exit(CHECK_FAILED)


def _look(chosen: Sequence[ChosenPlans], form: Format, again: str) -> None:
    look_at = live("spark.enforce.enforce_groups").look_at
    with busy("looking at the groups"):
        outcomes = {one.cluster.name: look_at(one.cluster, one.plans) for one in chosen}
    show_outcomes(outcomes, form)
    every = [one for some in outcomes.values() for one in some]
    ready = [one for one in every if one.status is Status.NOT_IN_FORCE and not one.reason]
    if ready:
        say(f"{counted(len(ready), 'group')} can take up the plan. Next: {again}")
    if any(one.status is not Status.IN_FORCE and one.reason for one in every):
        raise typer.Exit(CHECK_FAILED)


def _enforce_many(
    chosen: Sequence[ChosenPlans], at_once: int, timeout: float, form: Format, again: str
) -> None:
    enforce_groups = live("spark.enforce.enforce_groups").enforce_groups
    enforced: dict[str, Any] = {
        one.cluster.name: enforce_groups(one.cluster, one.plans, one.topics, at_once, timeout, say)
        for one in chosen
    }
    outcomes = {name: one.outcomes for name, one in enforced.items()}
    show_outcomes(outcomes, form)
    for name, one in enforced.items():
        if one.stopped:
            say(
                f"Cluster {name}: {one.stopped}, and no more were begun: look at the logs of its "
                "members."
            )
    if not all_in_force(outcomes):
        say(f"The rest can be gone on with. Next: {again}")
        raise typer.Exit(CHECK_FAILED)
