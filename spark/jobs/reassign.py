"""`evenfleet reassign`: where a cluster's replicas and leaders go, for Kafka's own tools."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from optimizer.figures import counted
from spark import terminal
from spark.errors import InputError
from spark.jobs.reassign_options import ExecuteOptions, ReplicaOptions, StoreUnlessUndo
from spark.reassign import (
    Batch,
    Effects,
    Pace,
    Reassignment,
    StoppedError,
    batch_rows,
    batches_of_plan,
    broker_row,
    cluster_facts,
    cluster_row,
    compared,
    compared_row,
    consumers_of,
    effects,
    left_of,
    mark_done,
    mark_handed_over,
    new_topic,
    place_new,
    reassign_cluster,
    reassign_fleet,
    rollbacks_in,
    send,
    write_batches,
    write_fleet,
    write_new,
)
from spark.terminal import (
    CHECK_FAILED,
    ROWS_SHOWN,
    SnapshotOptions,
    Table,
    busy,
    clusters_named,
    clusters_read,
    explained,
    live,
    option,
    say,
    say_all,
    say_clusters,
    show,
)
from spark.text import as_sentence

SIZES = ("broker", "bytes", "planned_bytes", "led_bytes", "planned_led_bytes")


Name = tuple[str, int]


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


def create_topics(
    source: SnapshotOptions, replicas: ReplicaOptions, execution: ExecuteOptions, out: Path | None
) -> None:
    """Print each topic's `--replica-assignment`, and write it into a folder if there is one."""
    if execution.execute:
        raise InputError("--create writes text for kafka-topics: leave out --execute")
    if moves := replicas.of_moves():
        raise InputError(f"--create moves no replica that is there: leave out {', '.join(moves)}")
    topics = [new_topic(text) for text in replicas.create or ()]
    with source.opener() as opener:
        fleet = source.few(opener, "reassign")
        current = cluster_facts(fleet, replicas.cluster)
        with busy("placing new topics"):
            placement = place_new(current, topics, replicas.wanted(current))
            sentences = list(placement.sentences())
    written = write_new(placement, out) if out else []
    assignments = [
        {"topic": topic, "replica_assignment": text} for topic, text in placement.texts.items()
    ]
    show(
        {
            "brokers": Table(placement.brokers()),
            "assignments": Table(assignments, is_shown=False),
            "sentences": Table(sentences, title="placement"),
            "files": Table([{"file": str(path)} for path in written], is_shown=False),
        }
        | clusters_read(fleet)
    )
    for topic, text in placement.texts.items():
        argument = f'"$(cat {out}/create-{topic}.txt)"' if out else text
        say(f"kafka-topics … --create --topic {topic} --replica-assignment {argument}")
    say_clusters(fleet)


def undo_plan(folder: Path, cluster: str | None, execution: ExecuteOptions) -> None:
    """Send the rollbacks of the batches in a folder, or print which are to be sent."""
    names = [cluster] if cluster else ["the cluster"] if execution.bootstrap else None
    _carry_out(rollbacks_in(folder), folder, names, execution, Pace(execution.rate))


def carry_out(reassignment: Reassignment, out: Path, execution: ExecuteOptions) -> None:
    """Send the batches of a plan, or print which are to be sent and what stands against it."""
    current = reassignment.current
    stays = {(p.topic, p.partition): p.replicas for p in current.partitions}
    batches, pace = (
        batches_of_plan(reassignment, out),
        Pace(execution.rate, reassignment.wanted.sizes),
    )
    _carry_out(batches, out, [current.cluster], execution, pace, stays, reassignment.elections)


def _carry_out(
    batches: Sequence[Batch],
    out: Path,
    names: list[str] | None,
    execution: ExecuteOptions,
    pace: Pace,
    stays: Mapping[Name, list[int]] | None = None,
    elections: Sequence[Name] = (),
) -> None:
    (target,) = clusters_named(execution.bootstrap, names, execution.clusters)
    with live("spark.enforce.moves").LiveReplicas(target) as brokers:
        try:
            with busy("reading the brokers"):
                left = [batch for batch in left_of(batches, brokers, stays) if batch.steps]
            if execution.apply and (left or elections):
                mark_handed_over(out)
                sentences = send(batches, brokers, pace, stays, elections)
                try:
                    for sentence in sentences:
                        say(as_sentence(sentence))
                except KeyboardInterrupt:  # as a sentence was printed
                    sentences.throw(KeyboardInterrupt())
                mark_done(out)
        except (StoppedError, ConnectionError) as stopped:
            explained()
            say(as_sentence(str(stopped)))
            raise typer.Exit(CHECK_FAILED) from None
    if not left and not elections:
        say(f"Nothing to send: cluster {target.name} is where the files in {out} bring it.")
    elif not execution.apply:
        say_all(as_sentence(str(batch)) for batch in left)
        say(f"Nothing was changed: add --apply to send this at {pace.rate:,} bytes a second.")
