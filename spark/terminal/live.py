"""What the commands share that talk to live clusters."""

from __future__ import annotations

import importlib
import logging
from pathlib import Path
from typing import Annotated, Any

import typer

from optimizer.assignor.plan_file import GroupPlan, PlanFileError
from optimizer.assignor.source import text_of, without_secrets
from spark.errors import InputError
from spark.sources.live.cluster import Cluster, read_clusters
from spark.wording import named

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
        return GroupPlan.from_text(text_of(location, READ_WITHIN))
    except (OSError, PlanFileError, ValueError) as error:
        raise InputError(f"there is no plan in {without_secrets(location)}: {error}") from None


def cluster_of(plan: GroupPlan, bootstrap: list[str] | None, clusters: Path | None) -> Cluster:
    """The cluster that the plan is for."""
    return clusters_named(bootstrap, [plan.cluster], clusters)[0]


def live(module: str) -> Any:
    """A module that needs kafka-python; InputError says how to get that.

    kafka-python's own log is left out: we say the same.
    """
    logging.getLogger("kafka").setLevel(logging.CRITICAL + 1)
    try:
        return importlib.import_module(module)
    except ImportError:
        raise InputError(
            "kafka-python 3 is needed to talk to brokers: pip install 'evenfleet[live]'"
        ) from None


def clusters_named(
    bootstrap: list[str] | None, names: list[str] | None, file: Path | None
) -> list[Cluster]:
    """The clusters that options name; InputError says how to name them."""
    if (bootstrap is None) == (file is None):
        raise InputError("give either --bootstrap and --cluster, or --clusters")
    if bootstrap is not None:
        if not names or len(names) > 1:
            raise InputError("--bootstrap needs one --cluster, the name that the tables will have")
        return [Cluster(names[0], tuple(bootstrap))]
    assert file is not None
    known = {cluster.name: cluster for cluster in read_clusters(file)}
    if strange := set(names or ()) - set(known):
        raise InputError(f"{file} has no {named('cluster', strange)}; it has {', '.join(known)}")
    return [known[name] for name in dict.fromkeys(names or known)]
