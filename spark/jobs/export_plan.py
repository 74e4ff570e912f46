"""`evenfleet export-plan`: the plans of groups as files for their consumers."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Annotated, NamedTuple

from pyspark.sql import DataFrame, SparkSession

from spark import terminal
from spark.enforce import Exported, PlanFolder, exported_plan, group_plans
from spark.errors import InputError
from spark.fleet import FleetSnapshot, ids, near_miss, no_plan, read_planned, read_results
from spark.store import Where, replace_text
from spark.terminal import busy, option, say, say_all


def export_plan(
    source: terminal.PlannedOptions,
    *,
    group: Annotated[str | None, option("Name of the group, or a pattern (`*`, `?`).")] = None,
    all_groups: Annotated[bool, option("All groups that have a plan.", "--all")] = False,
    out: Annotated[Path, option("Local file; for several groups a local folder.")],
    cluster: Annotated[
        str | None,
        option("Only this cluster.", shown="all; for one group the only cluster that has it"),
    ] = None,
    snapshot: Annotated[str | None, terminal.snapshot_option("the newest of the plan")] = None,
) -> None:
    """Write plans of groups as JSON, for consumers and brokers that follow them.

    Without `--group` and `--all`: of those that are advised a plan and can follow one, or do.
    One group's plan is a file. Several go to `OUT/CLUSTER/GROUP.json`, and
    `OUT/index.json` lists them. A file whose plan hasn't changed isn't touched.
    """
    planned = source.planned
    if group is not None and all_groups:
        raise InputError("give either --group or --all")
    reading = _read(source, snapshot)
    if group is not None and not re.search(r"[*?]", group) and not out.is_dir():
        if not out.absolute().parent.is_dir():
            raise InputError(f"--out {out} must be a file in a folder that exists")
        with reading as read, busy(f"reading the plan of group {group}"):
            exported = exported_plan(read.fleet, read.groups, read.assignments, group, cluster)
        _write_one(out, exported)
        return
    if out.is_file() or not out.absolute().parent.is_dir():
        raise InputError(f"--out {out} must be a folder in one that exists")
    folder, pattern = PlanFolder(out), "*" if group is None else group
    with reading as read, busy(f"writing plans into {out}"):
        groups = read.groups if all_groups or group is not None else _advised(read.groups, planned)
        plans = group_plans(read.fleet, groups, read.assignments, pattern, cluster)
        written = folder.write(read.fleet.id, plans, pattern)
        say_all(written.reasons())
        if not written.outcomes:
            near = near_miss(read.fleet, "group", pattern, cluster)
            raise InputError(f"the plan has nothing to export of a group {pattern!r}{near}")
        say(written.summary())


def _advised(groups: DataFrame, plan: Where) -> DataFrame:
    """Those that are advised a plan and can follow one, or follow plans already."""
    if "advice_kind" not in groups.columns:
        raise InputError(f"plan {plan} has no advice: give --group NAME or --all, or plan again")
    return groups.where("follows or (can_follow and advice_kind = 'plan')")


class _Read(NamedTuple):
    fleet: FleetSnapshot
    groups: DataFrame
    assignments: DataFrame


@contextmanager
def _read(source: terminal.PlannedOptions, snapshot: str | None) -> Iterator[_Read]:
    """A plan and the fleet that it is of, for as long as the session lasts."""
    with source.session() as session:
        plan = source.planned
        selection = snapshot or _newest(session, plan)
        groups, assignments = read_results(session, plan, ("groups", "assignments"), selection)
        reading = partial(read_planned, session, source.where, plan, selection)
        fleet = source.reading(session, "export-plan", reading)
        yield _Read(fleet, groups.rows, assignments.rows)
        terminal.say_clusters(fleet, (*groups.notes, *assignments.notes))


def _newest(session: SparkSession, plan: Where) -> str:
    for newest in reversed(ids(session, plan, "groups")):
        return newest
    raise no_plan(session, plan)


def _write_one(out: Path, exported: Exported) -> None:
    plan = exported.plan
    replace_text(out, plan.to_text())
    say(
        f"{out} has the plan of group {plan.group} of cluster {plan.cluster}, snapshot "
        f"{plan.snapshot}: {len(plan.members)} members, {sum(plan.topics.values())} partitions."
    )
    if exported.ignored:
        say(f"Of group {plan.group}: {exported.ignored}.")
