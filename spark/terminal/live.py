"""Parts that commands on live clusters share, and how they say what became of plans."""

from __future__ import annotations

import importlib
import logging
import shlex
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from optimizer.assignor.plan_file import GroupPlan, PlanFileError
from optimizer.assignor.source import is_url, text_of, without_secrets
from optimizer.figures import did_you_mean, plural
from spark.enforce import PlanFolder, Status, differences
from spark.errors import InputError
from spark.sources.live.cluster import Cluster
from spark.terminal.console import say
from spark.terminal.options import option
from spark.terminal.printing import ROWS_SHOWN, Table, say_answer, say_next, show
from spark.text import list_of

if TYPE_CHECKING:
    from spark.enforce.enforce_groups import GroupOutcome
    from spark.sources.live.group import DescribedGroup

READ_WITHIN = 10.0  # seconds, for the plan

Bootstrap = Annotated[list[str] | None, option("HOST:PORT of a broker; repeatable.")]


@dataclass(frozen=True)
class ChosenPlans:
    """Plans of groups of one cluster by name, and the topics of all that its folder has."""

    cluster: Cluster
    plans: dict[str, GroupPlan]
    topics: dict[str, list[str]]


@dataclass(frozen=True, kw_only=True)
class LiveOptions:
    """Plans, and the live clusters whose groups follow them."""

    plan: Annotated[str, typer.Argument(help="File, URL or folder that `export-plan` filled.")]
    group: Annotated[
        str | None,
        option("Of a folder only groups that match a pattern (`*`, `?`).", shown="all"),
    ] = None
    cluster: Annotated[str | None, option("Only this cluster.", shown="all")] = None
    bootstrap: Bootstrap = None
    clusters: Annotated[
        Path | None, option("Clusters as in conf/clusters.toml; the plan names the one.")
    ] = None

    @property
    def is_folder(self) -> bool:
        """Whether plans are in a folder, and not one in a file or behind a URL."""
        return not is_url(self.plan) and Path(self.plan).is_dir()

    def by_cluster(self) -> list[ChosenPlans]:
        """The plans by cluster; InputError if there are none, or not one sound."""
        if (self.bootstrap is None) == (self.clusters is None):
            raise InputError("give either --bootstrap or --clusters, to say where the cluster is")
        if not self.is_folder:
            return [self._one_plan()]
        folder = PlanFolder(Path(self.plan))
        listed = folder.matching(self.group or "*", self.cluster)
        names = list(dict.fromkeys(entry.cluster for entry in listed))
        if not names:
            raise InputError(_no_such_plan(folder, self.group or "*", self.cluster))
        if self.bootstrap is not None and len(names) > 1:
            raise InputError(
                f"{self.plan} has plans for {list_of('cluster', names)}: choose one by --cluster, "
                "or give --clusters instead of --bootstrap"
            )
        return [
            ChosenPlans(
                cluster,
                {of.group: folder.read(of) for of in listed if of.cluster == cluster.name},
                {of.group: of.topics for of in folder.matching("*", cluster.name)},
            )
            for cluster in clusters_named(self.bootstrap, names, self.clusters)
        ]

    def _one_plan(self) -> ChosenPlans:
        """The plan in a file or behind a URL; InputError if there is none."""
        if self.group is not None:
            raise InputError(
                f"--group chooses among the plans of a folder, and {self.plan} is none"
            )
        try:
            plan = GroupPlan.from_text(text_of(self.plan, READ_WITHIN))
        except (OSError, PlanFileError, ValueError) as error:
            why = getattr(error, "strerror", None) or error
            raise InputError(f"there is no plan in {without_secrets(self.plan)}: {why}") from None
        if self.cluster not in (None, plan.cluster):
            raise InputError(f"the plan in {self.plan} is for cluster {plan.cluster!r}")
        (cluster,) = clusters_named(self.bootstrap, [plan.cluster], self.clusters)
        return ChosenPlans(cluster, {plan.group: plan}, {})

    def command(self, name: str, *more: str) -> str:
        """A command as one can run it, about the same plans at the same brokers."""
        words = ["evenfleet", name, self.plan]
        words += ["--group", self.group] if self.group is not None else []
        words += ["--cluster", self.cluster] if self.cluster is not None else []
        for server in self.bootstrap or ():
            words += ["--bootstrap", server]
        words += ["--clusters", str(self.clusters)] if self.clusters is not None else []
        return shlex.join([*words, *more])


def _no_such_plan(folder: PlanFolder, pattern: str, cluster: str | None) -> str:
    """The sentence on a folder that has no plan of such a group, or of that cluster."""
    listed = folder.matching()
    if not listed:
        return f"{folder.path} has no index.json that lists plans: name what export-plan filled"
    near = ""
    if cluster is not None and cluster not in (clusters := {entry.cluster for entry in listed}):
        near = did_you_mean(cluster, clusters)
    near = near or did_you_mean(pattern, {entry.group for entry in folder.matching("*", cluster)})
    of_cluster = f" of cluster {cluster!r}" if cluster else ""
    return f"{folder.path} has no plan of a group {pattern!r}{of_cluster}{near}"


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
    if file is None:
        if not names or len(names) > 1:
            raise InputError("--bootstrap needs one --cluster, the name that the tables will have")
        return [Cluster(names[0], tuple(bootstrap or ()))]
    from spark.sources.live.clusters_file import read_clusters  # noqa: PLC0415 - loads pydantic

    by_name = {cluster.name: cluster for cluster in read_clusters(file)}
    if strange := set(names or ()) - set(by_name):
        near = did_you_mean(min(strange), by_name)
        raise InputError(
            f"{file} has no {list_of('cluster', strange)}; it has {', '.join(by_name)}{near}"
        )
    return [by_name[name] for name in dict.fromkeys(names or by_name)]


Outcomes = Mapping[str, Sequence["GroupOutcome"]]
"""By cluster."""


def show_outcomes(outcomes: Outcomes) -> None:
    """Print what became of each plan, for people of those that aren't in force, and sum up.

    For people, groups that one reason keeps out share a row.
    """
    rows = [
        {
            "cluster": cluster,
            "group": outcome.group,
            "status": outcome.status.value,
            "members": outcome.members,
            "rebalanced": outcome.rebalanced,
            "reason": outcome.reason,
        }
        for cluster, of_cluster in outcomes.items()
        for outcome in of_cluster
    ]
    unlike = _by_reason(row for row in rows if row["status"] != Status.IN_FORCE)
    title = "groups that don't follow their plan"
    hide = {"rebalanced"} if len(outcomes) > 1 else {"rebalanced", "cluster"}
    reports = [f"{sum(row['status'] == of for row in rows)} {of.value}" for of in Status]
    say_answer(f"{plural(len(rows), 'plan')}: {', '.join(reports)}.")
    show({"groups": Table(rows, unlike, bool(unlike), title=title, most=ROWS_SHOWN)}, hide)


def show_differences(plan: GroupPlan, group: DescribedGroup | None, status: Status) -> None:
    """Print who owns what else than the plan says, of a group of which something is known."""
    rows = differences(plan, group) if group and status is not Status.UNKNOWN else []
    show({"differences": Table(rows, is_shown=bool(rows))})


def _by_reason(rows: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    alike: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        key = (row["cluster"], row["status"], row["reason"] or row["group"])
        alike.setdefault(key, []).append(row)
    return [
        {
            **rows_alike[0],
            "group": rows_alike[0]["group"]
            if len(rows_alike) == 1
            else list_of("group", (row["group"] for row in rows_alike)),
            "members": sum(row["members"] for row in rows_alike),
        }
        for rows_alike in alike.values()
    ]


def all_in_force(outcomes: Outcomes) -> bool:
    return not _behind(outcomes)


def say_continue(outcomes: Outcomes, again: str) -> None:
    """How to go on with groups that may follow their plan yet, if there are any."""
    behind = _behind(outcomes)
    if all(outcome.is_final for outcome in behind):
        say(f"No further run helps: {plural(len(behind), 'group')} can't take a plan as they are.")
    else:
        say_next(again)


def _behind(outcomes: Outcomes) -> list[GroupOutcome]:
    every = (outcome for of_cluster in outcomes.values() for outcome in of_cluster)
    return [outcome for outcome in every if outcome.status is not Status.IN_FORCE]
