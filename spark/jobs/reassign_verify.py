"""`evenfleet reassign-verify`: how far a move is, as the newest snapshot shows it."""

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from spark import terminal
from spark.reassign import cluster_facts, read_move, verify_move
from spark.terminal import CHECK_FAILED, ROWS_SHOWN, Table, option, say, show


def reassign_verify(
    source: terminal.SnapshotOptions,
    file: Annotated[Path, typer.Argument(help="NN-move.json of a batch.")],
    cluster: Annotated[str | None, option("Its cluster.", shown="the only one")] = None,
) -> None:
    """Show the state of each partition of a batch: done, running, not started or diverged."""
    wanted = read_move(file)
    rollback = file.with_name(file.name.replace("move", "rollback"))
    origin = read_move(rollback) if rollback != file and rollback.is_file() else None
    with source.opener() as opener:
        fleet = source.few(opener)
        states = verify_move(cluster_facts(fleet, cluster), wanted, origin)
    others = [state.for_people() for state in states if state.state != "done" or state.note]
    rows = [state._asdict() for state in states]
    show(
        {"partitions": Table(rows, others, bool(others), most=ROWS_SHOWN)}
        | terminal.clusters_read(fleet)
    )
    counts = Counter(state.state for state in states)
    say(", ".join(f"{count} {state}" for state, count in counts.most_common()) + ".")
    terminal.say_clusters(fleet)
    if any(state.state != "done" for state in states):
        raise typer.Exit(CHECK_FAILED)
