"""`evenfleet reassign-verify`: how far a move is, as the newest snapshot shows it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from spark.reassign import PartitionState, facts_of, read_move, verify_move
from spark.settings import read_settings
from spark.terminal import (
    Conf,
    Config,
    Form,
    Format,
    Master,
    Snapshot,
    StoreTables,
    clusters_in_json,
    opened_store,
    read_few,
    say,
    say_clusters,
    show,
    store_in,
)


def reassign_verify(
    store: Annotated[str, typer.Argument(help="Folder of snapshots.", show_default=False)],
    file: Annotated[Path, typer.Argument(help="NN-move.json of a batch.", show_default=False)],
    tables: StoreTables = None,
    cluster: Annotated[
        str | None, typer.Option(help="The cluster it is of.", show_default="the only one")
    ] = None,
    snapshot: Snapshot = None,
    master: Master = None,
    conf: Conf = None,
    config: Config = None,
    form: Form = Format.TABLE,
) -> None:
    """Say how far each partition of a batch is: done, running, not begun, gone astray."""
    source = store_in(store, tables)
    settings = read_settings(config)
    wanted = read_move(file)
    rollback = file.with_name(file.name.replace("move", "rollback"))
    origin = read_move(rollback) if rollback != file and rollback.is_file() else None
    with opened_store(source, master, conf, settings) as opener:
        fleet = read_few(opener, source, snapshot, "reassign-verify", settings.max_age)
        states = verify_move(facts_of(fleet, cluster), wanted, origin)
    if form is Format.JSON:
        show(
            {"partitions": [one._asdict() for one in states]} | clusters_in_json(form, fleet), form
        )
    else:
        _print(states)
    say_clusters(fleet)
    if any(one.state != "done" for one in states):
        raise typer.Exit(1)


def _print(states: list[PartitionState]) -> None:
    others = [one for one in states if one.state != "done" or one.said]
    rows = [
        {
            "partition": f"{one.topic}-{one.partition}",
            "state": one.state,
            "wanted": ",".join(map(str, one.wanted)),
            "replicas": ",".join(map(str, one.replicas)),
            "note": one.said or None,
        }
        for one in others[:50]
    ]
    if rows:
        show({"partitions": rows}, Format.TABLE)
    counts = Counter(one.state for one in states)
    say(", ".join(f"{count} {state}" for state, count in counts.most_common()) + ".")
    if len(others) > 50:
        say(f"And {len(others) - 50} partitions more: --format json has all.")
