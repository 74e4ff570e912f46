"""`evenfleet reassign`: where a cluster's replicas and leaders go, for Kafka's own tools."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path

import typer

from optimizer.figures import plural
from spark import reassign as moves, terminal
from spark.errors import InputError
from spark.jobs.reassign_options import ExecuteOptions, ReplicaOptions, StoreUnlessUndo
from spark.terminal import CHECK_FAILED, ROWS_SHOWN, Table, busy, say, say_all, say_answer, show
from spark.text import as_sentence

Name = tuple[str, int]


def reassign(source: StoreUnlessUndo, replicas: ReplicaOptions, execution: ExecuteOptions) -> bool:
    """Plan a cluster's replicas and leaders, and write the moves for Kafka's own tools."""
    execution.check()
    if execution.undo:
        undo_plan(execution.undo, replicas.cluster, execution)
    elif replicas.create:
        create_topics(source, replicas, execution)
    elif execution.execute and replicas.out is None:
        raise InputError("say where the files go, with which moves are undone: --out FOLDER")
    elif replicas.all_clusters:
        reassign_all(source, replicas, execution)
    else:
        return reassign_one(source, replicas, execution)
    return False


def reassign_one(
    source: terminal.SnapshotOptions, replicas: ReplicaOptions, execution: ExecuteOptions
) -> bool:
    """Print the plan of one cluster, write it and carry it out as far as that is asked for.

    Whether there is something to hand over by hand.
    """
    replicas.check()
    out = replicas.out
    with source.opener() as opener:
        fleet = source.few(opener)
        wanted = replicas.request(moves.cluster_facts(fleet, replicas.cluster))
        with busy("planning replicas and leaders"):
            plan = moves.reassign_cluster(fleet, replicas.cluster, wanted)
            done = moves.effects(plan, moves.consumers_of(fleet, plan.current.cluster))
        written = moves.write_batches(plan, out) if out else []
    placements = moves.compare(plan)
    verdict = *plan.verdict(), moves.evenness(placements)
    say_answer(f"Cluster {plan.current.cluster}: {' '.join(verdict)}")
    show(_tables(plan, placements, done) | _files(written) | terminal.clusters_read(fleet))
    if written:
        say(f"{plural(len(written), 'file')} in {out}. Hand over one batch after the other:")
        say("  kafka-reassign-partitions … --execute --reassignment-json-file NN-move.json")
        say("  kafka-leader-election … --path-to-json-file NN-elect.json")
    terminal.say_clusters(fleet)
    if plan.shortfalls:
        if execution.execute:
            say("Nothing was executed: the plan doesn't do what you asked for.")
        raise typer.Exit(CHECK_FAILED)
    if out and execution.execute and (plan.batches or plan.elections):
        carry_out(plan, out, execution)
    return bool(plan.batches) and not execution.execute


def _files(written: Sequence[Path]) -> dict[str, Table]:
    return {"files": Table([{"file": str(path)} for path in written], is_shown=False)}


def _tables(
    plan: moves.Reassignment, placements: Sequence[moves.Compared], done: moves.Effects
) -> dict[str, Table]:
    brokers = plan.brokers()
    cluster = {"cluster": plan.current.cluster, "optimal": plan.plan.optimal}
    compared = [*map(moves.compared_row, placements)]
    sentences = [{"sentence": text} for text in (*plan.sentences(), *done.sentences())]
    remarks = [*plan.remarks(), *done.sentences()]
    return {
        "brokers": Table(brokers, moves.broker_rows(brokers), most=ROWS_SHOWN),
        "remarks": Table(remarks, as_json=None),
        "plan": Table([cluster], is_shown=False),
        "compared": Table([*map(asdict, placements)], compared, is_detail=True),
        "batches": Table(moves.batch_rows(plan), is_detail=True),
        "groups": Table([done._asdict()], is_shown=False),
        "sentences": Table(sentences, is_shown=False),
    }


def reassign_all(
    source: terminal.SnapshotOptions, replicas: ReplicaOptions, execution: ExecuteOptions
) -> None:
    """A row a cluster; sentences and files of each are for programs."""
    if replicas.of_one_cluster or execution.execute:
        raise InputError(
            "--all plans every cluster: leave out --cluster, --drain, --add, --brokers, "
            "--log-dirs and --execute, which are for one"
        )
    replicas.check()
    with source.session(source.snapshot) as spark:
        fleet = source.fleet(spark)
        with busy("planning replicas and leaders"):
            planned = moves.reassign_fleet(fleet, replicas.request())
            rows = sorted(planned.collect(), key=lambda row: row.cluster)
        out = replicas.out
        written, refused = moves.write_fleet(rows, out, fleet) if out else ([], {})
    reports = [
        {k: v for k, v in row.asDict(recursive=True).items() if k != "files"} for row in rows
    ]
    copies = sum(row["copies"] or 0 for row in reports)
    number = sum(row["status"] == "planned" for row in reports)
    of = f"{number:,} of {plural(len(reports), 'cluster')}"
    say_answer(f"{of} can be planned: copy {plural(copies, 'replica')}.")
    clusters = Table(reports, [*map(moves.cluster_row, reports)])
    show({"clusters": clusters, **_files(written)})
    short = [f"{row['cluster']}: {row['reason']}" for row in reports if row["reason"]]
    terminal.print_list("not planned as asked", short)
    say_all(f"{cluster}: not written. {why}" for cluster, why in refused.items())
    if out:
        say(f"{plural(len(written), 'file')} in {out}, in a folder for each cluster.")
    terminal.say_clusters(fleet)
    if short or refused:
        raise typer.Exit(CHECK_FAILED)


def create_topics(
    source: terminal.SnapshotOptions, replicas: ReplicaOptions, execution: ExecuteOptions
) -> None:
    """Print each topic's `--replica-assignment`, and write it into a folder if there is one."""
    if execution.execute:
        raise InputError("--create writes text for kafka-topics: leave out --execute")
    if options := replicas.of_moves():
        raise InputError(f"--create moves no replica that is there: leave out {', '.join(options)}")
    out, topics = replicas.out, [moves.new_topic(text) for text in replicas.create or ()]
    with source.opener() as opener:
        fleet = source.few(opener)
        current = moves.cluster_facts(fleet, replicas.cluster)
        with busy("placing new topics"):
            placement = moves.place_new(current, topics, replicas.request(current))
            verdict, *notes = placement.sentences()
    texts = placement.texts
    assignments = [{"topic": topic, "replica_assignment": text} for topic, text in texts.items()]
    tables = {
        "brokers": Table(placement.brokers()),
        "assignments": Table(assignments, is_shown=False),
        "remarks": Table(notes, as_json=None),
    }
    written = _files(moves.write_new(placement, out) if out else [])
    say_answer(verdict)
    show(tables | written | terminal.clusters_read(fleet))
    for topic, text in texts.items():
        argument = f'"$(cat {out}/create-{topic}.txt)"' if out else text
        say(f"kafka-topics … --create --topic {topic} --replica-assignment {argument}")
    terminal.say_clusters(fleet)


def undo_plan(folder: Path, cluster: str | None, execution: ExecuteOptions) -> None:
    """Send the rollbacks of the batches in a folder, or print which are to be sent."""
    names = [cluster] if cluster else ["the cluster"] if execution.bootstrap else None
    _carry_out(moves.rollbacks_in(folder), folder, names, execution, moves.CopyPace(execution.rate))


def carry_out(reassignment: moves.Reassignment, out: Path, execution: ExecuteOptions) -> None:
    """Send the batches of a plan, or print which are to be sent and what stands against it."""
    current = reassignment.current
    stays = {p.name: p.replicas for p in current.partitions}
    batches = moves.batches_of_plan(reassignment, out)
    pace = moves.CopyPace(execution.rate, reassignment.wanted.sizes)
    _carry_out(batches, out, [current.cluster], execution, pace, stays, reassignment.elections)


def _carry_out(
    batches: Sequence[moves.Batch],
    out: Path,
    names: list[str] | None,
    execution: ExecuteOptions,
    pace: moves.CopyPace,
    stays: Mapping[Name, list[int]] | None = None,
    elections: Sequence[Name] = (),
) -> None:
    (target,) = terminal.clusters_named(execution.bootstrap, names, execution.clusters)
    with terminal.live("spark.enforce.moves").LiveReplicas(target) as brokers:
        try:
            with busy("reading the brokers"):
                left = [batch for batch in moves.left_of(batches, brokers, stays) if batch.steps]
            if execution.apply and (left or elections):
                moves.mark_handed_over(out)
                sentences = moves.send(batches, brokers, pace, stays, elections)
                try:
                    for sentence in sentences:
                        say(as_sentence(sentence))
                except KeyboardInterrupt:  # as a sentence was printed
                    sentences.throw(KeyboardInterrupt())
                moves.mark_done(out)
        except (moves.StoppedError, ConnectionError) as stopped:
            terminal.mark_explained()
            say(as_sentence(str(stopped)))
            raise typer.Exit(CHECK_FAILED) from None
    if not left and not elections:
        say(f"Nothing to send: cluster {target.name} is where the files in {out} bring it.")
    elif not execution.apply:
        say_all(as_sentence(str(batch)) for batch in left)
        say(f"Nothing was changed: add --apply to send this at {pace.rate:,} bytes a second.")
