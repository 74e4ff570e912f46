"""`evenfleet reassign --execute` and `--undo`: files sent to the live cluster."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import typer

from spark.jobs.reassign_options import ExecuteOptions
from spark.reassign import (
    Batch,
    Pace,
    Reassignment,
    StoppedError,
    batches_of_plan,
    left_of,
    mark_done,
    mark_handed_over,
    rollbacks_in,
    send,
)
from spark.terminal import CHECK_FAILED, busy, clusters_named, explained, live, say, say_all
from spark.text import as_sentence

Name = tuple[str, int]


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
