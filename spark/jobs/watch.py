"""`evenfleet watch`: wait until a group owns what its plan says."""

from __future__ import annotations

import time
from typing import Annotated

import typer

from spark.enforce import differences
from spark.terminal import (
    CHECK_FAILED,
    Bootstrap,
    Clusters,
    Form,
    Format,
    PlanFile,
    busy,
    cluster_of,
    live,
    plan_in,
    say,
    show,
)

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
    connection = live("spark.sources.live.connection").Connection
    read_group = live("spark.sources.live.read_group").read_group
    with connection(cluster) as brokers, busy(f"watching {planned.group}"):
        while True:
            group = read_group(brokers, cluster, planned.group)
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
