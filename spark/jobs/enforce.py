"""`evenfleet enforce`: make groups take up plans that have changed."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from optimizer.figures import plural
from spark import terminal
from spark.enforce import Status
from spark.terminal import CHECK_FAILED, busy, option, say, say_answer
from spark.text import as_sentence


def enforce(
    plans: terminal.LiveOptions,
    dry_run: Annotated[
        bool,
        option("Print what would change, or change it.", "--dry-run/--apply", " /--no-dry-run"),
    ] = True,
    at_once: Annotated[
        int, option("Groups to rebalance in parallel (never two that share topics).", min=1)
    ] = 5,
    timeout: Annotated[float, option("Seconds to wait until a group is stable.", min=1)] = 60.0,
) -> None:
    """Trigger a rebalance so that each group's assignor reloads its plan.

    That is a leader with a `PlanAssignor`, or a broker with Evenfleet's assignor (KIP-848).

    Groups of a folder are rebalanced in waves. The next wave starts when all groups of the last are
    stable. If one isn't in time, no further wave starts; run the command again to continue. Exit
    code 1 if a plan can't take effect.
    """
    choices = plans.by_cluster()
    again = plans.command("enforce", "--apply")
    if not plans.is_folder:
        _enforce_one(choices[0], dry_run, again, plans.command("watch"))
    elif dry_run:
        _look(choices, again)
    else:
        _enforce_many(choices, at_once, timeout, again)


def _enforce_one(choice: terminal.ChosenPlans, dry_run: bool, again: str, watch: str) -> None:
    ((name, plan),) = choice.plans.items()
    watching = terminal.live("spark.enforce.enforce_groups").GroupWatcher(
        choice.cluster, choice.plans
    )
    with watching as watcher:
        verdict = watcher.look(frozenset([name]))[name]
        reason, follows = verdict.reason, ""
        if reason:
            answer = as_sentence(f"group {name}: {reason}")
        elif not verdict.is_ready:
            answer = f"The plan of snapshot {plan.snapshot} is in force already."
        elif dry_run:
            answer, follows = f"Group {name} needs a rebalance to apply its plan.", again
        elif reason := watcher.make_rebalance(name):
            answer = as_sentence(reason)
        else:
            answer, follows = f"Group {name} rebalances.", watch
        say_answer(answer)
        terminal.show_differences(plan, watcher.groups.get(name), verdict.status)
        if follows:
            terminal.say_next(follows)
        if reason:
            raise typer.Exit(CHECK_FAILED)


def _look(choices: Sequence[terminal.ChosenPlans], again: str) -> None:
    probe = terminal.live("spark.enforce.enforce_groups").probe
    with busy("reading the groups"):
        outcomes = {choice.cluster.name: probe(choice.cluster, choice.plans) for choice in choices}
    terminal.show_outcomes(outcomes)
    every = [outcome for of_cluster in outcomes.values() for outcome in of_cluster]
    ready = [of for of in every if of.status is Status.NOT_IN_FORCE and not of.reason]
    if ready:
        say(f"{plural(len(ready), 'group')} can apply the plan: a rebalance makes them read it.")
        terminal.say_next(again)
    if any(of.status is not Status.IN_FORCE and of.reason for of in every):
        raise typer.Exit(CHECK_FAILED)


def _enforce_many(
    choices: Sequence[terminal.ChosenPlans], at_once: int, timeout: float, again: str
) -> None:
    enforce_groups = terminal.live("spark.enforce.enforce_groups").enforce_groups
    enforced: dict[str, Any] = {
        of.cluster.name: enforce_groups(of.cluster, of.plans, of.topics, at_once, timeout, say)
        for of in choices
    }
    outcomes = {name: enforcement.outcomes for name, enforcement in enforced.items()}
    terminal.show_outcomes(outcomes)
    for name, enforcement in enforced.items():
        if enforcement.stopped:
            say(
                f"Cluster {name}: {enforcement.stopped}; no further group was started. Look at the "
                "logs of its members."
            )
    if not terminal.all_in_force(outcomes):
        terminal.say_continue(outcomes, again)
        raise typer.Exit(CHECK_FAILED)
