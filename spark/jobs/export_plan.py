"""`evenfleet export-plan`: the plans of groups as files for their consumers."""

import re
from dataclasses import asdict
from functools import partial
from pathlib import Path
from typing import Annotated

from pyspark.sql import DataFrame, SparkSession

from optimizer.figures import plural
from spark import terminal
from spark.enforce import Exported, PlanFolder, Written, exported_plan, group_plans
from spark.errors import InputError
from spark.fleet import ids, near_miss, no_plan, read_planned, read_results
from spark.store import Where, replace_text
from spark.terminal import Table, busy, option, say, say_all, say_answer, show


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
    if group is not None and all_groups:
        raise InputError("give either --group or --all")
    is_file = group is not None and not re.search(r"[*?]", group) and not out.is_dir()
    if not out.absolute().parent.is_dir() or (out.is_file() and not is_file):
        what = "a file in a folder that exists" if is_file else "a folder in one that exists"
        raise InputError(f"--out {out} must be {what}")
    folder = None if is_file else PlanFolder(out)
    pattern, plan = group or "*", source.plan_place
    with source.session() as session:
        planned_at = snapshot or _newest(session, plan)
        groups, assignments = read_results(session, plan, ("groups", "assignments"), planned_at)
        reading = partial(read_planned, session, source.where, plan, planned_at)
        fleet = terminal.read_with_notes(reading)
        if folder is None:
            with busy(f"reading the plan of group {group}"):
                exported = exported_plan(fleet, groups.rows, assignments.rows, pattern, cluster)
            _write_one(out, exported)
        else:
            advised = group is None and not all_groups
            rows = _rows_to_export(groups.rows, plan) if advised else groups.rows
            with busy(f"writing plans into {out}"):
                plans = group_plans(fleet, rows, assignments.rows, pattern, cluster)
                written = folder.write(fleet.id, plans, pattern)
            if not written.outcomes:
                say_all(f"{row['groups']:,} groups: {row['why']}." for row in written.kinds())
                near = near_miss(fleet, "group", pattern, cluster)
                raise InputError(f"the plan has nothing to export of a group {pattern!r}{near}")
            _report(folder, written, groups.rows.count() if advised else None)
        terminal.say_clusters(fleet, (*groups.notes, *assignments.notes))


def _report(folder: PlanFolder, written: Written, groups: int | None) -> None:
    """Print how many plans were written, of these `groups` if only some are advised a plan."""
    say_answer(written.summary(groups or written.outcomes.total() + len(written.without)))
    reasons = [asdict(group) for group in (*written.without, *written.ignored)]
    plans = Table([asdict(entry) for entry in folder.entries], is_shown=False)
    show({"reasons": Table(reasons, written.kinds(), bool(reasons)), "plans": plans})
    say_all(written.report())
    if groups:
        say("Exported are plans that are advised, or followed: --all exports the others too.")


def _rows_to_export(groups: DataFrame, plan: Where) -> DataFrame:
    """Groups that are advised a plan and can follow one, or follow plans already."""
    if "advice_kind" not in groups.columns:
        raise InputError(f"plan {plan} has no advice: give --group NAME or --all, or plan again")
    return groups.where("follows or (can_follow and advice_kind = 'plan')")


def _newest(session: SparkSession, plan: Where) -> str:
    for newest in reversed(ids(session, plan, "groups")):
        return newest
    raise no_plan(session, plan)


def _write_one(out: Path, exported: Exported) -> None:
    plan = exported.plan
    replace_text(out, plan.to_text())
    members = plural(len(plan.members), "member")
    say_answer(
        f"{out} has the plan of group {plan.group} of cluster {plan.cluster}: {members}, "
        f"{plural(sum(plan.topics.values()), 'partition')}."
    )
    if exported.ignored:
        say(f"Group {plan.group} ignores it today: {exported.ignored}.")
