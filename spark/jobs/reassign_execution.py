"""`evenfleet reassign --execute` and `--undo`: a plan handed to the live cluster, or taken back."""

from __future__ import annotations

from collections.abc import Generator
from pathlib import Path

import typer

from spark.jobs.reassign_options import ExecuteOptions
from spark.reassign import (
    Pace,
    Reassignment,
    StoppedError,
    batch_undos,
    differences,
    execute,
    mark_done,
    mark_handed_over,
    undo,
)
from spark.terminal import CHECK_FAILED, busy, clusters_named, explained, live, say, say_all
from spark.text import as_sentence

SENTENCES_SHOWN = 20


def undo_plan(folder: Path, cluster: str | None, execution: ExecuteOptions) -> None:
    """Take back what was executed of the batches in a folder, or print what that would do."""
    names = [cluster] if cluster else ["the cluster"] if execution.bootstrap else None
    (target,) = clusters_named(execution.bootstrap, names, execution.clusters)
    with live("spark.enforce.moves").LiveReplicas(target) as brokers:
        try:
            with busy("reading the brokers"):
                ways = batch_undos(folder, brokers)
            if execution.apply:
                _say_each(undo(ways, brokers, Pace(execution.rate)))
                mark_done(folder)
        except (StoppedError, ConnectionError) as stopped:
            explained()
            say(as_sentence(str(stopped)))
            raise typer.Exit(CHECK_FAILED) from None
    if not ways:
        say(f"Nothing to undo: all partitions are as before the plan in {folder}.")
    elif not execution.apply:
        say_all(as_sentence(str(way)) for way in ways)
        say("Nothing was changed: add --apply to do it.")


def _say_each(sentences: Generator[str, None, None]) -> None:
    try:
        for sentence in sentences:
            say(as_sentence(sentence))
    except KeyboardInterrupt:  # as a sentence was printed
        sentences.throw(KeyboardInterrupt())


def carry_out(reassignment: Reassignment, out: Path, execution: ExecuteOptions) -> None:
    """Hand the batches to the cluster, or say what stands in the way of that."""
    (target,) = clusters_named(
        execution.bootstrap, [reassignment.current.cluster], execution.clusters
    )
    count = len(reassignment.batches.batches)
    rollbacks = [out / f"{number:02}-rollback.json" for number in range(1, count + 1)]
    with live("spark.enforce.moves").LiveReplicas(target) as brokers:
        try:
            if execution.apply:
                mark_handed_over(out)
                _say_each(execute(reassignment, brokers, rollbacks, Pace(execution.rate)))
                mark_done(out)
                return
            sentences = differences(reassignment, brokers)
        except (StoppedError, ConnectionError) as stopped:
            sentences = [str(stopped)]
            if isinstance(stopped, StoppedError) and not stopped.handed_over:
                mark_done(out)
    explained()
    say_all(map(as_sentence, sentences[:SENTENCES_SHOWN]))
    if sentences:
        raise typer.Exit(CHECK_FAILED)
    say(
        f"Cluster {target.name} still matches the snapshot: --apply executes "
        f"{count} {'batch' if count == 1 else 'batches'} at {execution.rate:,} bytes a second."
    )
