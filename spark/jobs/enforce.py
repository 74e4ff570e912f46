"""`evenfleet enforce`: make groups take up plans that have changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from spark.enforce import Status, differences
from spark.terminal import (
    CHECK_FAILED,
    ChosenPlans,
    LiveOptions,
    Table,
    all_in_force,
    busy,
    live,
    say,
    show,
    show_outcomes,
)
from spark.wording import counted


def enforce(
    plans: LiveOptions,
    dry_run: Annotated[
        bool,
        typer.Option(
            "--dry-run/--apply", " /--no-dry-run", help="Print what would change, or change it."
        ),
    ] = True,
    at_once: Annotated[
        int,
        typer.Option(help="Groups to rebalance in parallel (never two that share topics).", min=1),
    ] = 5,
    timeout: Annotated[
        float, typer.Option(help="Seconds to wait for a group to become stable.", min=1)
    ] = 60.0,
) -> None:
    """Trigger a rebalance so that each group's assignor reloads its plan.

    That is a leader with a `PlanAssignor`, or a broker with Evenfleet's assignor (KIP-848). Of a
    folder of plans all groups, in waves: the next begins when the groups of the last are at rest,
    and none does when one isn't in time. Run again, it goes on where it ended. Exit code 1 if a
    plan can't come into force.
    """
    chosen = plans.chosen()
    again = plans.command("enforce", "--apply")
    if not plans.is_folder:
        _enforce_one(chosen[0], dry_run, again, plans.command("watch"))
    elif dry_run:
        _look(chosen, again)
    else:
        _enforce_many(chosen, at_once, timeout, again)


def _enforce_one(chosen: ChosenPlans, dry_run: bool, again: str, watch: str) -> None:
    ((name, plan),) = chosen.plans.items()
    with live("spark.enforce.watcher").GroupWatcher(chosen.cluster, chosen.plans) as watcher:
        verdict = watcher.look(frozenset([name]))[name]
        known = watcher.groups.get(name)
        rows = differences(plan, known) if known and verdict.status is not Status.UNKNOWN else []
        show({"differences": Table(rows, is_shown=bool(rows))})
        if verdict.reason:
            _refuse(f"Group {name}: {verdict.reason}")
        if not verdict.is_ready:
            say(f"The plan of snapshot {plan.snapshot} is in force already.")
        elif dry_run:
            say(f"Group {name} needs a rebalance. Next: {again}")
        elif reason := watcher.make_rebalance(name):
            _refuse(f"{reason[0].upper()}{reason[1:]}")
        else:
            say(f"Group {name} rebalances. Next: {watch}")


def _refuse(sentence: str) -> None:
    say(f"{sentence}.")
    raise typer.Exit(CHECK_FAILED)


def _look(chosen: Sequence[ChosenPlans], again: str) -> None:
    look_at = live("spark.enforce.enforce_groups").look_at
    with busy("reading the groups"):
        outcomes = {one.cluster.name: look_at(one.cluster, one.plans) for one in chosen}
    show_outcomes(outcomes)
    every = [one for some in outcomes.values() for one in some]
    ready = [one for one in every if one.status is Status.NOT_IN_FORCE and not one.reason]
    if ready:
        say(f"{counted(len(ready), 'group')} can apply the plan. Next: {again}")
    if any(one.status is not Status.IN_FORCE and one.reason for one in every):
        raise typer.Exit(CHECK_FAILED)


def _enforce_many(chosen: Sequence[ChosenPlans], at_once: int, timeout: float, again: str) -> None:
    enforce_groups = live("spark.enforce.enforce_groups").enforce_groups
    enforced: dict[str, Any] = {
        one.cluster.name: enforce_groups(one.cluster, one.plans, one.topics, at_once, timeout, say)
        for one in chosen
    }
    outcomes = {name: one.outcomes for name, one in enforced.items()}
    show_outcomes(outcomes)
    for name, one in enforced.items():
        if one.stopped:
            say(
                f"Cluster {name}: {one.stopped}; no further group was started. Look at the "
                "logs of its members."
            )
    if not all_in_force(outcomes):
        say(f"To continue with the remaining groups: {again}")
        raise typer.Exit(CHECK_FAILED)
