"""`evenfleet watch`: wait until a group owns what its plan says."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from spark.console import Format, busy, say, show
from spark.in_force import differences
from spark.jobs.live_group import Bootstrap, Clusters, PlanFile, cluster_of, live, plan_in
from spark.jobs.options import CHECK_FAILED, Form

LOOK_EVERY = 0.5  # seconds


def watch(
    plan: PlanFile,
    bootstrap: Bootstrap = None,
    clusters: Clusters = None,
    timeout: Annotated[float, typer.Option(help="Seconds to wait at most.", min=0)] = 60.0,
    form: Form = Format.TABLE,
) -> None:
    """Compare who owns what with the plan until they agree; exit code 1 if they don't in time."""
    planned = plan_in(plan)
    cluster = cluster_of(planned, bootstrap, clusters)
    deadline = time.monotonic() + timeout
    one_group = live("one_group")
    with live("connection").Connection(cluster) as brokers, busy(f"watching {planned.group}"):
        while True:
            group = one_group.read_group(brokers, cluster, planned.group)
            rows = differences(planned, group)
            agreed = group.state == "Stable" and not rows
            if agreed or time.monotonic() + LOOK_EVERY > deadline:
                break
            time.sleep(LOOK_EVERY)
    if rows or form is Format.JSON:
        show({"differences": rows}, form)
    if not agreed:
        say(f"After {timeout:g} s the plan is not in force; the group's state is {group.state}.")
        raise typer.Exit(CHECK_FAILED)
    say(f"The plan of snapshot {planned.snapshot} is in force in group {planned.group}.")
