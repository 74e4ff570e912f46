"""`evenfleet enforce`: make a group take up the plan that has changed."""

from __future__ import annotations

from typing import Annotated

import typer

from spark.enforce import differences, misfit
from spark.terminal import (
    CHECK_FAILED,
    Bootstrap,
    Clusters,
    Form,
    Format,
    PlanFile,
    cluster_of,
    live,
    plan_in,
    say,
    show,
)


def enforce(
    plan: PlanFile,
    bootstrap: Bootstrap = None,
    clusters: Clusters = None,
    dry_run: Annotated[
        bool, typer.Option(help="Only say what would change; --no-dry-run does it.")
    ] = True,
    form: Form = Format.TABLE,
) -> None:
    """Make a group rebalance, so that its leader reads its plan again.

    The consumers need a `PlanAssignor` that reads this plan. Exit code 1 if it can't come into
    force in the group as it is now.
    """
    planned = plan_in(plan)
    cluster = cluster_of(planned, bootstrap, clusters)
    rebalance = live("spark.enforce.rebalance")
    with live("spark.sources.live.connection").Connection(cluster) as brokers:
        group = live("spark.sources.live.read_group").read_group(brokers, cluster, planned.group)
        rows = differences(planned, group)
        if rows or form is Format.JSON:
            show({"differences": rows}, form)
        if group.state != "Stable":
            _refuse(f"group {group.name} is {group.state}: try again when it is Stable")
        if not (group.strategy or "").endswith("evenfleet-plan"):
            _refuse(f"group {group.name} assigns by {group.strategy!r}, not by a PlanAssignor")
        counts = {topic.name: len(topic.partitions) for topic in brokers.metadata.topics}
        if reason := misfit(planned, group, counts):
            _refuse(f"the plan doesn't fit group {group.name}: {reason}")
        if not rows:
            say(f"The plan of snapshot {planned.snapshot} is in force already.")
        elif dry_run:
            say(f"A rebalance of group {group.name} is needed: --no-dry-run asks for it.")
        else:
            try:
                rebalance.make_rebalance(brokers, cluster, group)
            except rebalance.RebalanceError as error:
                _refuse(str(error))
            say(f"Group {group.name} rebalances. Next: evenfleet watch {plan}")


def _refuse(sentence: str) -> None:
    say(f"{sentence[0].upper()}{sentence[1:]}.")
    raise typer.Exit(CHECK_FAILED)
