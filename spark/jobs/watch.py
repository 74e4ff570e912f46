"""`evenfleet watch`: wait until groups own what their plans say."""

from __future__ import annotations

from typing import Annotated

import typer

from spark.enforce import Status, differences
from spark.terminal import (
    CHECK_FAILED,
    LiveOptions,
    Table,
    all_in_force,
    busy,
    live,
    option,
    say,
    show,
    show_outcomes,
)


def watch(
    plans: LiveOptions, timeout: Annotated[float, option("Maximum seconds to wait.", min=0)] = 60.0
) -> None:
    """Wait until groups own what their plans say; exit code 1 if they don't in time.

    Stops at once for groups whose assignor can't follow a plan.
    """
    chosen_plans = plans.chosen()
    watch_groups = live("spark.enforce.enforce_groups").watch_groups
    with busy(f"watching {plans.plan}"):
        watched = [watch_groups(item.cluster, item.plans, timeout) for item in chosen_plans]
    outcomes = {
        item.cluster.name: result.outcomes
        for item, result in zip(chosen_plans, watched, strict=True)
    }
    if plans.is_folder:
        show_outcomes(outcomes)
        if not all_in_force(outcomes):
            raise typer.Exit(CHECK_FAILED)
        return
    ((name, planned),) = chosen_plans[0].plans.items()
    ((outcome,), (result,)) = (*outcomes.values(), watched)
    entries = result.groups.get(name)
    rows = differences(planned, entries) if entries and outcome.status is not Status.UNKNOWN else []
    show({"differences": Table(rows, is_shown=bool(rows))})
    if outcome.status is not Status.IN_FORCE:
        reason = outcome.reason or "it has not rebalanced since"
        say(f"The plan is not in force in group {name} ({outcome.status.value}): {reason}.")
        raise typer.Exit(CHECK_FAILED)
    say(f"The plan of snapshot {planned.snapshot} is in force in group {planned.group}.")
