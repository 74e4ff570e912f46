"""`evenfleet reassign`: where a cluster's replicas and leaders go, for Kafka's own tools."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from optimizer.figures import counted
from spark import terminal
from spark.errors import InputError
from spark.jobs.reassign_all import reassign_all
from spark.jobs.reassign_create import create_topics
from spark.jobs.reassign_execution import carry_out, undo_plan
from spark.jobs.reassign_options import ExecuteOptions, ReplicaOptions, StoreUnlessUndo
from spark.reassign import (
    Effects,
    Reassignment,
    batch_rows,
    broker_row,
    cluster_facts,
    compared,
    compared_row,
    consumers_of,
    effects,
    reassign_cluster,
    write_batches,
)
from spark.terminal import CHECK_FAILED, ROWS_SHOWN, Table, busy, option, say, show

SIZES = ("broker", "bytes", "planned_bytes", "led_bytes", "planned_led_bytes")


def reassign(
    source: StoreUnlessUndo,
    replicas: ReplicaOptions,
    execution: ExecuteOptions,
    out: Annotated[Path | None, option("Folder for the files of all batches.")] = None,
    batch_copies: Annotated[
        int | None, option("Replicas copied in one batch.", shown="any number")
    ] = None,
    per_broker: Annotated[
        int | None, option("Copies into or out of a broker in a batch.", shown="any number")
    ] = None,
) -> None:
    """Plan a cluster's replicas and leaders, and write the moves for Kafka's own tools."""
    execution.check()
    if execution.undo:
        undo_plan(execution.undo, replicas.cluster, execution)
        return
    if replicas.create:
        create_topics(source, replicas, execution, out)
        return
    if out is None:
        raise InputError("say where the files go: --out FOLDER")
    if replicas.all_clusters:
        reassign_all(source, replicas, execution, out, batch_copies, per_broker)
        return
    replicas.check()
    goals = replicas.goals
    with source.opener() as opener:
        fleet = source.few(opener, "reassign")
        current = cluster_facts(fleet, replicas.cluster)
        wanted = replicas.wanted(current)
        with busy("planning replicas and leaders"):
            reassignment = reassign_cluster(
                fleet, replicas.cluster, wanted, goals, batch_copies, per_broker
            )
            done = effects(reassignment, consumers_of(fleet, reassignment.current.cluster))
        written = write_batches(reassignment, out)
    show(_tables(reassignment, done, written) | terminal.clusters_read(fleet))
    if written:
        say(f"{counted(len(written), 'file')} in {written[0].parent}. For each batch, one by one:")
        say("  kafka-reassign-partitions … --execute --reassignment-json-file NN-move.json")
        say("  kafka-leader-election … --election-type preferred --path-to-json-file NN-elect.json")
    terminal.say_clusters(fleet)
    if reassignment.shortfalls:
        if execution.execute:
            say("Nothing was executed: the plan doesn't do what you asked for.")
        raise typer.Exit(CHECK_FAILED)
    if execution.execute and (reassignment.batches or reassignment.elections):
        carry_out(reassignment, out, execution)


def _tables(reassignment: Reassignment, done: Effects, written: list[Path]) -> dict[str, Table]:
    brokers, placements = reassignment.brokers(), compared(reassignment)
    sizes = [{name: row.get(name) for name in SIZES} for row in brokers]
    cluster = {"cluster": reassignment.current.cluster, "optimal": reassignment.plan.optimal}
    return {
        "brokers": Table(brokers, [*map(broker_row, brokers)]),
        "bytes": Table(sizes, is_shown=bool(reassignment.wanted.sizes), as_json=None),
        "plan": Table([cluster], is_shown=False),
        "compared": Table([*map(asdict, placements)], [*map(compared_row, placements)]),
        "batches": Table(batch_rows(reassignment), most=ROWS_SHOWN),
        "groups": Table([done._asdict()], is_shown=False),
        "sentences": Table([*reassignment.sentences(), *done.sentences()], title="plan"),
        "files": Table([{"file": str(path)} for path in written], is_shown=False),
    }
