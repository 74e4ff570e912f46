"""`evenfleet snapshots`: what a store has, and what of it has had its time."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

from spark import terminal
from spark.errors import InputError, RunError
from spark.fleet import (
    TABLES,
    Retention,
    Stored,
    check_folder,
    clusters_in_turn,
    compact_each,
    compacted_by_day,
    compaction_in_words,
    contents_of,
    contents_report,
    fault_of,
    listed_for_people,
    now_in_utc,
    prune,
    pruning_of,
    scattered_in,
    stored_in_words,
    sweep_store,
    time_of,
)
from spark.settings import duration, in_words
from spark.store import CatalogSchema, Folder, Opener, Source, Where, folder_of, source_of
from spark.terminal import ROWS_SHOWN, Table, at_most, busy, option, say, say_all, say_answer, show

LISTED = 8
"""Snapshots that people see unless they ask for more."""


def snapshots(
    source: terminal.StoreOptions,
    since: Annotated[
        str | None, option("List only those since this id, or this long before the newest (7d).")
    ] = None,
    files: Annotated[bool, option("List the committed files of these snapshots.")] = False,
    age: Annotated[
        str | None,
        option("Remove snapshots older than this, such as 90d.", "--prune", metavar="AGE"),
    ] = None,
    keep_daily: Annotated[
        int | None,
        option("With --prune: keep this many snapshots of a day for each cluster.", min=1),
    ] = None,
    compact_files: Annotated[bool, option("Merge small files.", "--compact")] = False,
    dry_run: Annotated[
        bool,
        option(
            "Carry out --prune and --compact; otherwise only print what they would do.",
            *("--dry-run/--apply", " /--no-dry-run"),
        ),
    ] = True,
) -> bool:
    """List, prune or compact the snapshots of a store.

    --prune removes old snapshots, --compact merges small files. Without --apply they only print
    what they would do.
    """
    retention = _retention(age, keep_daily)
    _check_together(since is not None or files, bool(retention) or compact_files, dry_run)
    with source.opener() as opener:
        check_folder(opener, source.where)
        if not (retention or compact_files):
            list_snapshots(opener, source.where, since, files)
            return True
        place = local_store(opener, source.where) if compact_files else None
        shown = prune_store(opener, source.where, retention, dry_run) if retention else {}
        fault = None
        if place:
            compacted, fault = compact_store(place, dry_run)
            shown |= compacted
    show(shown)
    is_left_to_do = dry_run and any(table.rows for name, table in shown.items() if name != "left")
    if is_left_to_do:
        say("Nothing was changed: add --apply to do it.")
    if fault:
        raise fault
    return not is_left_to_do


def _retention(age: str | None, keep_daily: int | None) -> Retention | None:
    if age is None:
        if keep_daily is not None:
            raise InputError("--keep-daily needs --prune with an age, such as --prune 90d")
        return None
    try:
        return Retention(duration(age), keep_daily or 0)
    except ValueError as error:
        raise InputError(f"--prune: {error}") from None


def _check_together(listing: bool, changing: bool, dry_run: bool) -> None:
    """Raise InputError for options that say nothing together."""
    if changing and listing:
        raise InputError("--since and --files only list: leave them out with --prune and --compact")
    if not (changing or dry_run):
        raise InputError("--apply needs --prune or --compact: a list changes nothing")


def list_snapshots(
    opener: Opener, store: Where, since: str | None = None, files: bool = False
) -> None:
    """Print a row a snapshot, oldest first, or a row a file; a table that is lacking has no count.

    People see only the newest, first, unless they ask for all or those `since` then.
    """
    with busy("reading the store"):
        source = source_of(opener, store).for_one_look()
        states = Stored.in_source(source).states
        if not states:
            raise InputError(f"store {store} has no snapshot: import or write one first")
        names = [*states]
        if since is not None:
            names = _since(since, names, store)
        else:
            names = names[-(at_most(LISTED) or len(names)) :]
        if files:
            show({"files": _files(source, [name for name in names if states[name] is None])})
            return
        contents = contents_of(source, names)
        rows = [of_it.row(snapshot, states[snapshot]) for snapshot, of_it in contents.items()]
        near = source if isinstance(source, Folder) and source.is_local else None
        for row in rows:
            row["bytes"] = sum(near.sizes(row["snapshot"], TABLES)) if near else None
    people = [listed_for_people(row, now_in_utc()) for row in reversed(rows)]
    say_answer(stored_in_words(states, people[0]))
    are_whole = all(row["state"] == "whole" for row in rows)
    show({"snapshots": Table(rows, people)}, {"state"} if are_whole else ())
    terminal.print_list("clusters", clusters_in_turn(contents), is_detail=True)
    say_all(contents_report(rows, states, "--all lists all"))


def _files(source: Source, ids: Sequence[str]) -> list[dict[str, Any]]:
    """A row for each file that a manifest names, or that is there where none does."""
    if not isinstance(source, Folder):
        raise InputError(
            f"tables of {source.root} are listed by the catalog: --files is of folders"
        )
    return [
        {"snapshot": snapshot, "table": table, "bytes": source.size(path), "path": path}
        for snapshot in ids
        for table in TABLES
        if (parts := source.parts(table, snapshot, thoroughly=False))
        for path in parts.paths
    ]


def _since(text: str, ids: Sequence[str], store: Where) -> list[str]:
    """The snapshots from an id on, or so long before the newest."""
    try:
        length = duration(text)
    except ValueError:
        if text not in ids:
            raise InputError(
                f"--since {text}: store {store} has no such snapshot, and it is not a "
                "duration such as 7d"
            ) from None
        return [name for name in ids if name >= text]
    times = {name: at for name in ids if (at := time_of(name))}
    return [snapshot for snapshot, at in times.items() if at >= max(times.values()) - length]


def local_store(opener: Opener, store: Where) -> Folder:
    """The folder whose files can be made few; InputError if it isn't one of this machine."""
    if isinstance(store, CatalogSchema):
        raise InputError(
            f"tables of {store} are compacted by what keeps them (OPTIMIZE of Delta, "
            "rewrite_data_files of Iceberg): --compact is for local folders"
        )
    place = folder_of(opener, store)
    if not place.is_local:
        raise InputError(f"{store} is not a local folder: --compact works on local folders only")
    return place


def prune_store(
    opener: Opener, store: Where, retention: Retention, dry_run: bool
) -> dict[str, Table]:
    """Remove what has had its time, or only look; a row each, and what stays although it is old."""
    with busy("reading the store"):
        pruning = pruning_of(opener, store, retention, now_in_utc())
    gone = None
    if not dry_run:
        with busy("removing snapshots"):
            gone = set(prune(pruning))
    say_answer(pruning.answer(gone, in_words(retention.age)))
    say_all(pruning.report(gone))
    rows = [pruning.row_of(snapshot, gone or ()) for snapshot in pruning.aged]
    left = [{"snapshot": snapshot, "why": why} for snapshot, why in pruning.left.items()]
    people = [snapshot.for_people() for snapshot in pruning.aged]
    return {
        "prune": Table(rows, people, bool(rows), most=ROWS_SHOWN),
        "left": Table(left, is_shown=False),
    }


def compact_store(place: Folder, dry_run: bool) -> tuple[dict[str, Table], RunError | None]:
    """Make few files of many, or only look: a row each, and what to raise if some couldn't be."""
    if not dry_run:
        sweep_store(place)
    with busy("reading the store"):
        scattered, left = scattered_in(place)
    after: dict[str, int] = {}
    if not dry_run:
        with busy("rewriting") as step:
            after = compact_each(place, step.track(scattered, "snapshots"), left)
    say_answer(compaction_in_words(scattered, after))
    say_all(f"Left as it is: snapshot {snapshot}: {why}." for snapshot, why in left.items())
    rows = [asdict(small) | {"bytes_after": after.get(small.snapshot)} for small in scattered]
    fault = None if dry_run else fault_of(scattered, after, left)
    people = compacted_by_day(scattered, after)
    return {"compact": Table(rows, people, bool(rows), most=ROWS_SHOWN)}, fault
