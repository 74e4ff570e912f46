"""`evenfleet watch`: wait until groups own what their plans say."""

from typing import Annotated

import typer

from spark import terminal
from spark.enforce import Status
from spark.terminal import CHECK_FAILED, busy, option, say_answer


def watch(
    plans: terminal.LiveOptions,
    timeout: Annotated[float, option("Maximum seconds to wait.", min=0)] = 60.0,
) -> None:
    """Wait until groups own what their plans say; exit code 1 if they don't in time.

    Stops at once for groups whose assignor can't follow a plan.
    """
    chosen_plans = plans.by_cluster()
    watch_groups = terminal.live("spark.enforce.enforce_groups").watch_groups
    with busy(f"watching {plans.plan}"):
        watched = [watch_groups(of.cluster, of.plans, timeout) for of in chosen_plans]
    outcomes = {
        of.cluster.name: look.outcomes for of, look in zip(chosen_plans, watched, strict=True)
    }
    if plans.is_folder:
        terminal.show_outcomes(outcomes)
        if not terminal.all_in_force(outcomes):
            raise typer.Exit(CHECK_FAILED)
        return
    ((name, planned),) = chosen_plans[0].plans.items()
    ((outcome,), (look,)) = (*outcomes.values(), watched)
    is_in_force = outcome.status is Status.IN_FORCE
    reason = outcome.reason or "it has not rebalanced since"
    say_answer(
        f"The plan of snapshot {planned.snapshot} is in force in group {name}."
        if is_in_force
        else f"The plan is not in force in group {name} ({outcome.status.value}): {reason}."
    )
    terminal.show_differences(planned, look.groups.get(name), outcome.status)
    if not is_in_force:
        raise typer.Exit(CHECK_FAILED)
