"""What the commands share that talk to live clusters."""

from __future__ import annotations

import importlib
import logging
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from optimizer.assignor.plan_file import GroupPlan, PlanFileError
from optimizer.assignor.source import is_url, text_of, without_secrets
from spark.enforce import PlanFolder
from spark.errors import InputError
from spark.sources.live.cluster import Cluster
from spark.terminal.options import ClusterName, option
from spark.text import did_you_mean, named

READ_WITHIN = 10.0  # seconds, for the plan

Plans = Annotated[str, typer.Argument(help="File, URL or folder that `export-plan` filled.")]
OfGroups = Annotated[
    str | None, option("Of a folder only groups that match a pattern (`*`, `?`).", shown="all")
]
Bootstrap = Annotated[list[str] | None, option("HOST:PORT of a broker; repeatable.")]
Clusters = Annotated[
    Path | None, option("Clusters as in conf/clusters.toml; the plan names the one.")
]


@dataclass(frozen=True, kw_only=True)
class LiveOptions:
    """Plans, and the live clusters whose groups follow them."""

    plan: Plans
    group: OfGroups = None
    cluster: ClusterName = None
    bootstrap: Bootstrap = None
    clusters: Clusters = None

    @property
    def is_folder(self) -> bool:
        """Whether plans are in a folder, and not one in a file or behind a URL."""
        return is_folder(self.plan)

    def by_cluster(self) -> list[ChosenPlans]:
        """The plans by cluster; InputError if there are none, or not one sound."""
        return plans_in(self.plan, self.group, self.cluster, self.bootstrap, self.clusters)

    def command(self, name: str, *more: str) -> str:
        """A command as one can run it, about the same plans at the same brokers."""
        words = ["evenfleet", name, self.plan]
        words += ["--group", self.group] if self.group is not None else []
        words += ["--cluster", self.cluster] if self.cluster is not None else []
        for server in self.bootstrap or ():
            words += ["--bootstrap", server]
        words += ["--clusters", str(self.clusters)] if self.clusters is not None else []
        return shlex.join([*words, *more])


@dataclass(frozen=True)
class ChosenPlans:
    """Plans of groups of one cluster by name, and the topics of all that its folder has."""

    cluster: Cluster
    plans: dict[str, GroupPlan]
    topics: dict[str, list[str]]


def plans_in(
    location: str,
    pattern: str | None,
    cluster: str | None,
    bootstrap: list[str] | None,
    clusters: Path | None,
) -> list[ChosenPlans]:
    """The plans that options choose, by cluster; InputError if there are none, or not one sound."""
    if (bootstrap is None) == (clusters is None):
        raise InputError("give either --bootstrap or --clusters, to say where the cluster is")
    if not is_folder(location):
        if pattern is not None:
            raise InputError(f"--group chooses among the plans of a folder, and {location} is none")
        plan = plan_in(location)
        if cluster not in (None, plan.cluster):
            raise InputError(f"the plan in {location} is for cluster {plan.cluster!r}")
        (of_plan,) = clusters_named(bootstrap, [plan.cluster], clusters)
        return [ChosenPlans(of_plan, {plan.group: plan}, {})]
    folder = PlanFolder(Path(location))
    entries = folder.matching(pattern or "*", cluster)
    names = list(dict.fromkeys(entry.cluster for entry in entries))
    if not names:
        raise InputError(_no_such_plan(folder, pattern or "*", cluster))
    if bootstrap is not None and len(names) > 1:
        raise InputError(
            f"{location} has plans for {named('cluster', names)}: choose one by --cluster, or give "
            "--clusters instead of --bootstrap"
        )
    return [
        ChosenPlans(
            item,
            {entry.group: folder.read(entry) for entry in entries if entry.cluster == item.name},
            {entry.group: entry.topics for entry in folder.matching("*", item.name)},
        )
        for item in clusters_named(bootstrap, names, clusters)
    ]


def _no_such_plan(folder: PlanFolder, pattern: str, cluster: str | None) -> str:
    """The sentence on a folder that has no plan of such a group, or of that cluster."""
    entries = folder.matching()
    if not entries:
        return f"{folder.path} has no index.json that lists plans: name what export-plan filled"
    near = ""
    if cluster is not None and cluster not in (clusters := {entry.cluster for entry in entries}):
        near = did_you_mean(cluster, clusters)
    near = near or did_you_mean(pattern, {entry.group for entry in folder.matching("*", cluster)})
    of_cluster = f" of cluster {cluster!r}" if cluster else ""
    return f"{folder.path} has no plan of a group {pattern!r}{of_cluster}{near}"


def is_folder(location: str) -> bool:
    """Whether plans are in a folder there, and not one in a file or behind a URL."""
    return not is_url(location) and Path(location).is_dir()


def plan_in(location: str) -> GroupPlan:
    """The plan in a file or behind a URL; InputError if there is none."""
    try:
        return GroupPlan.from_text(text_of(location, READ_WITHIN))
    except (OSError, PlanFileError, ValueError) as error:
        why = getattr(error, "strerror", None) or error
        raise InputError(f"there is no plan in {without_secrets(location)}: {why}") from None


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
    from spark.sources.live.clusters_file import read_clusters  # noqa: PLC0415 - loads pydantic

    entries = {cluster.name: cluster for cluster in read_clusters(file)}
    if strange := set(names or ()) - set(entries):
        near = did_you_mean(min(strange), entries)
        raise InputError(
            f"{file} has no {named('cluster', strange)}; it has {', '.join(entries)}{near}"
        )
    return [entries[name] for name in dict.fromkeys(names or entries)]
