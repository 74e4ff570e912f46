"""What the commands share that compare a live group with its plan."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from optimizer.assignor.plan_file import GroupPlan, PlanFileError, parsed
from optimizer.assignor.source import shown, text_of
from spark.errors import InputError
from spark.jobs.collect import asked_clusters
from spark.sources.live.cluster import Cluster

READ_WITHIN = 10.0  # seconds, for the plan

PlanFile = Annotated[
    str, typer.Argument(help="File or URL that `export-plan` filled.", show_default=False)
]
Bootstrap = Annotated[
    list[str] | None, typer.Option(help="HOST:PORT of a broker; repeatable.", show_default=False)
]
Clusters = Annotated[
    Path | None,
    typer.Option(
        help="Clusters as in conf/clusters.toml; the plan names the one.", show_default=False
    ),
]


def plan_in(location: str) -> GroupPlan:
    """The plan in a file or behind a URL; InputError if there is none."""
    try:
        return parsed(text_of(location, READ_WITHIN))
    except (OSError, PlanFileError, ValueError) as error:
        raise InputError(f"there is no plan in {shown(location)}: {error}") from None


def cluster_of(plan: GroupPlan, bootstrap: list[str] | None, clusters: Path | None) -> Cluster:
    """The cluster that the plan is for."""
    return asked_clusters(bootstrap, [plan.cluster], clusters)[0]


def live(module: str) -> Any:
    """A module of `spark.sources.live`, which need kafka-python; InputError says how to get it.

    kafka-python's own log is left out: we say the same.
    """
    logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
    try:
        return importlib.import_module(f"spark.sources.live.{module}")
    except ImportError:
        raise InputError(
            "kafka-python 3 is needed to talk to brokers: pip install 'evenfleet[live]'"
        ) from None
