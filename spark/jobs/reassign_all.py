"""`evenfleet reassign --all`: the replicas and leaders of every cluster."""

from pathlib import Path

import typer

from spark import terminal
from spark.errors import InputError
from spark.jobs.reassign_options import ExecuteOptions, ReplicaOptions
from spark.reassign import cluster_row, reassign_fleet, write_fleet
from spark.terminal import CHECK_FAILED, Table, busy, say, say_all, show


def reassign_all(
    source: terminal.SnapshotOptions,
    replicas: ReplicaOptions,
    execution: ExecuteOptions,
    out: Path,
    batch_copies: int | None,
    per_broker: int | None,
) -> None:
    """A row a cluster; sentences and files of each are for programs."""
    if replicas.of_one_cluster or execution.execute:
        raise InputError(
            "--all plans every cluster: leave out --cluster, --drain, --add, --brokers, "
            "--log-dirs and --execute, which are for one"
        )
    replicas.check()
    goals = replicas.goals
    with source.session(source.snapshot) as spark:
        fleet = source.fleet(spark, "reassign")
        with busy("planning replicas and leaders"):
            planned = reassign_fleet(fleet, replicas.wanted(), goals, batch_copies, per_broker)
            rows = sorted(planned.collect(), key=lambda row: row.cluster)
        written, refused = write_fleet(rows, out, fleet)
    reports = [
        {k: v for k, v in row.asDict(recursive=True).items() if k != "files"} for row in rows
    ]
    files = Table([{"file": str(path)} for path in written], is_shown=False)
    show({"clusters": Table(reports, [*map(cluster_row, reports)]), "files": files})
    short = [f"{row['cluster']}: {row['reason']}" for row in reports if row["reason"]]
    if short:
        terminal.print_list("not planned as asked", short)
    say_all(f"{cluster}: not written. {why}" for cluster, why in refused.items())
    say(f"{len(written)} files, in a folder for each cluster.")
    terminal.say_clusters(fleet)
    if short or refused:
        raise typer.Exit(CHECK_FAILED)
