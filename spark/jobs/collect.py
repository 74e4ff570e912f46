"""`evenfleet collect`: a snapshot of live clusters, without a Spark session."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import pyarrow as pa
import typer

from optimizer.figures import plural
from spark import terminal
from spark.errors import InputError
from spark.fleet import snapshot_id, store_to_write, write_store
from spark.sources.live.cluster import ClusterSelection
from spark.sources.live.collect import ids_in, ids_in_store, mixed_up
from spark.store import Folder
from spark.terminal import CHECK_FAILED, Table, busy, option, say, say_all, say_answer, show
from spark.text import as_sentence, list_of

Patterns = Annotated[
    list[str] | None, option("Pattern like 'payments-*'; repeatable.", shown="all")
]
NotPatterns = Annotated[
    list[str] | None, option("Leave out what matches this pattern; repeatable.", shown="none")
]


def collect(
    out: Annotated[
        str | None, option("The store: a folder, also of an object store.", shown="required")
    ] = None,
    bootstrap: Annotated[list[str] | None, option("HOST:PORT of a broker; repeatable.")] = None,
    cluster: Annotated[
        list[str] | None,
        option("Name of the cluster; with --clusters, read only these (repeatable).", shown="all"),
    ] = None,
    clusters: Annotated[Path | None, option("Clusters as in conf/clusters.toml.")] = None,
    snapshot: Annotated[str | None, terminal.snapshot_option("now, in UTC")] = None,
    groups: Patterns = None,
    exclude_groups: NotPatterns = None,
    topics: Patterns = None,
    exclude_topics: NotPatterns = None,
    rack_pattern: Annotated[
        str | None,
        option("Regular expression for the rack in a client id, such as 'rack=([a-z0-9-]+)'."),
    ] = None,
    timeout: Annotated[
        float | None, option("Timeout of a request in seconds; at most 3 attempts.", shown="10")
    ] = None,
) -> None:
    """Read groups, members, topics and offsets of live clusters into a store.

    With an existing `--snapshot`, adds these clusters to it.

    How to log in, and where the secrets for that are, is in the file of `--clusters`.
    """
    if out is None:
        raise InputError(
            "give --out FOLDER for the store, and either --bootstrap HOST:PORT and --cluster NAME, "
            "or --clusters FILE"
        )
    place = store_to_write(out)
    choice = snapshot_id(snapshot)
    choices: dict[str, Any] = {"rack_pattern": rack_pattern, "timeout": timeout}
    choices.update(groups=_filter(groups, exclude_groups), topics=_filter(topics, exclude_topics))
    options = {name: value for name, value in choices.items() if value is not None}
    named_clusters = terminal.clusters_named(bootstrap, cluster, clusters)
    asked = [replace(target, **options) for target in named_clusters]
    live = terminal.live("spark.sources.live.collect")
    with busy(f"reading {list_of('cluster', [target.name for target in asked])}") as step:
        collected = live.collect_clusters(asked, partial(step.report, what="groups"))
    read = [outcome.tables for outcome in collected if outcome.tables]
    left_out = [
        f"{outcome.cluster}: {sentence}" if outcome.tables else sentence
        for outcome in collected
        for sentence in (*outcome.left_out, *outcome.notes)
    ]
    if not read:
        say_all(left_out)
        raise typer.Exit(3)  # no cluster could be reached
    mixed = _store(read, place, choice)
    sizes = {name: sum(len(of[name]) for of in read) for name in ("groups", "members")}
    size = f"{plural(sizes['groups'], 'group')} with {plural(sizes['members'], 'member')}"
    leaderless = sum(outcome.leaderless for outcome in collected)
    but = f" {plural(leaderless, 'topic')} had partitions without a leader." * bool(leaderless)
    say_answer(f"Snapshot {choice} of {plural(len(read), 'cluster')} is in {out}: {size}.{but}")
    statuses = [row for outcome in collected for row in outcome.statuses]
    rows = [outcome.row() for outcome in collected]
    show({"clusters": rows, "to_know": Table(statuses, is_shown=bool(statuses))})
    say_all([*left_out, *mixed])
    is_whole = all(outcome.state == "whole" for outcome in collected)
    if not is_whole:
        say("It is incomplete: the lines above say what is missing.")
    terminal.say_next(f"{terminal.program()} {shlex.join(['audit', out])}")
    if not is_whole:
        raise typer.Exit(CHECK_FAILED)


def _store(read: Sequence[Mapping[str, pa.Table]], place: Folder, snapshot: str) -> list[str]:
    """Write the tables of these clusters; sentences on those that are one under two names."""
    ids = ids_in(tables["configs"] for tables in read)
    mixed = [as_sentence(text) for text in mixed_up(ids, ids_in_store(place))]
    joined = {name: pa.concat_tables([tables[name] for tables in read]) for name in read[0]}
    write_store(joined, place, snapshot)
    return mixed


def _filter(include: list[str] | None, exclude: list[str] | None) -> ClusterSelection | None:
    """Options replace the patterns of a file, where there are any."""
    patterns = tuple(include or ()), tuple(exclude or ())
    return ClusterSelection(*patterns) if any(patterns) else None
