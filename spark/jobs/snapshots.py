"""`evenfleet snapshots`: what a store has, and what of it has had its time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from itertools import groupby
from typing import Annotated, Any

from optimizer.figures import data_size
from spark.errors import InputError, RunError
from spark.files import (
    CatalogSchema,
    LocalStore,
    Opener,
    Where,
    source_of,
    sweep,
    table_store_of,
    writing,
)
from spark.fleet import (
    TABLES,
    Contents,
    Pruning,
    Retention,
    Stored,
    compact,
    contents_of,
    now_in_utc,
    prune,
    pruning_of,
    scattered_in,
    time_of,
)
from spark.settings import duration, in_words
from spark.terminal import Rows, StoreOptions, Table, at_most, busy, option, print_list, say, show

CLUSTERS = "clusters"

OTHER_KINDS = "other_kinds"
"""Column for the groups that aren't consumer groups; there is no room for it on a terminal."""

ROWS_SHOWN = 24
"""So many of the newest snapshots are listed for people, who didn't ask for others."""

NAMED = 20
"""So many snapshots are named in a sentence for people."""

MEGABYTE = 1_000_000

Since = Annotated[
    str | None, option("List only those since this id, or this long before the newest (7d).")
]
Prune = Annotated[
    str | None, option("Remove snapshots older than this, such as 90d.", "--prune", metavar="AGE")
]
KeepDaily = Annotated[
    int | None, option("With --prune: keep this many snapshots of a day for each cluster.", min=1)
]
Compact = Annotated[bool, option("Merge small files.", "--compact")]
DryRun = Annotated[
    bool,
    option(
        "Carry out --prune and --compact; otherwise only print what they would do.",
        "--dry-run/--apply",
        " /--no-dry-run",
    ),
]


def snapshots(
    source: StoreOptions,
    since: Since = None,
    age: Prune = None,
    keep_daily: KeepDaily = None,
    compact_files: Compact = False,
    dry_run: DryRun = True,
) -> None:
    """List, prune or compact the snapshots of a store.

    With --prune old ones are removed instead, with --compact many small files become few: without
    --apply it only says what it would do.
    """
    retention = _retention(age, keep_daily)
    _check_together(since, bool(retention) or compact_files, dry_run)
    with source.opener() as opener:
        if not (retention or compact_files):
            list_snapshots(opener, source.where, since)
            return
        place = _local(opener, source.where) if compact_files else None
        shown = prune_store(opener, source.where, retention, dry_run) if retention else {}
        fault = None
        if place:
            compacted, fault = compact_store(place, dry_run)
            shown |= compacted
    show(shown)
    if dry_run:
        say("Nothing was changed: add --apply to do it.")
    if fault:
        raise fault


def _retention(age: str | None, keep_daily: int | None) -> Retention | None:
    if age is None:
        if keep_daily is not None:
            raise InputError("--keep-daily needs --prune with an age, such as --prune 90d")
        return None
    try:
        return Retention(duration(age), keep_daily or 0)
    except ValueError as error:
        raise InputError(f"--prune: {error}") from None


def _check_together(since: str | None, changing: bool, dry_run: bool) -> None:
    """Raise InputError for options that say nothing together."""
    if changing and since is not None:
        raise InputError("--since only lists: leave it out with --prune and --compact")
    if not (changing or dry_run):
        raise InputError("--apply needs --prune or --compact: a list changes nothing")


def _local(opener: Opener, store: Where) -> LocalStore:
    """The folder whose files can be made few; InputError if it isn't one of this machine."""
    if isinstance(store, CatalogSchema):
        raise InputError(
            f"tables of {store} are compacted by what keeps them (OPTIMIZE of Delta, "
            "rewrite_data_files of Iceberg): --compact is for local folders"
        )
    place = table_store_of(opener, store)
    if not isinstance(place, LocalStore):
        raise InputError(f"{store} is not a local folder: --compact works on local folders only")
    return place


def list_snapshots(opener: Opener, store: Where, since: str | None = None) -> None:
    """Print a row a snapshot, oldest first; a table that a snapshot lacks has no count.

    People see only the newest, unless they ask for all or those `since` then.
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
            names = names[-(at_most(ROWS_SHOWN) or len(names)) :]
        contents = contents_of(source, names)
    rows = [_row(item, states[item], of_it) for item, of_it in contents.items()]
    hidden = [name for name, table in TABLES.items() if not table.shown]
    show({"snapshots": rows}, [*hidden, OTHER_KINDS, CLUSTERS])
    print_list(CLUSTERS, _in_turn({item: of_it.clusters for item, of_it in contents.items()}))
    if rows and (report := rows[-1][OTHER_KINDS]):
        say(f"Groups of snapshot {rows[-1]['snapshot']} that aren't consumer groups: {report}.")
    _say_skipped(rows, {item: why for item, why in states.items() if item not in contents and why})
    if others := [state for state in states if state not in contents]:
        ids = f"from {others[0]} to {others[-1]}" if len(others) > 1 else others[0]
        say(f"Not listed: {_counted(len(others), 'other snapshot')}, {ids} (--all lists all).")


def _since(text: str, ids: Sequence[str], store: Where) -> list[str]:
    """Those from an id on, or so long before the newest."""
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
    return [item for item, at in times.items() if at >= max(times.values()) - length]


def _row(snapshot: str, unfinished: str | None, of_it: Contents) -> dict[str, Any]:
    broken = ", ".join(of_it.unreadable)
    kinds = (f"{count} {kind}" for kind, count in of_it.other_kinds.items())
    return {
        "snapshot": snapshot,
        "state": f"{broken} can't be read" if broken else unfinished or "whole",
        **{table: 0 if table in of_it.unreadable else of_it.rows.get(table) for table in TABLES},
        OTHER_KINDS: ", ".join(kinds) or None,
        CLUSTERS: [*of_it.clusters],
    }


def _say_skipped(rows: Rows, others: Mapping[str, str]) -> None:
    listed = (str(row["snapshot"]) for row in rows if row["state"] != "whole")
    if skipped := sorted([*listed, *others]):
        named = ", ".join(skipped[-NAMED:])
        more = f"{len(skipped) - NAMED} older ones, " if len(skipped) > NAMED else ""
        say(f"Skipped because they are incomplete: {more}{named}.")


def _in_turn(held: Mapping[str, Sequence[str]]) -> list[str]:
    """The clusters of the snapshots, a sentence for all in a row that have the same."""
    sentences = []
    for clusters, alike in groupby(held, held.__getitem__):
        first, *others = alike
        ids = f"{first} to {others[-1]}" if others else first
        sentences.append(f"{ids}: {', '.join(clusters) or 'none'}")
    return sentences


def prune_store(
    opener: Opener, store: Where, retention: Retention, dry_run: bool
) -> dict[str, Table]:
    """Remove what has had its time, or only look; a row each, and what stays although it is old."""
    with busy("reading the store"):
        pruning = pruning_of(opener, store, retention, now_in_utc())
    age = in_words(retention.age)
    gone: set[str] = set()
    if not dry_run:
        with busy("removing snapshots"):
            gone = set(prune(pruning))
    for item, why in pruning.left.items():
        say(f"Left alone: snapshot {item}: {why}.")
    if pruning.before:
        _say_pruned(pruning, gone, dry_run, age)
    rows = [asdict(element) | {"removed": element.snapshot in gone} for element in pruning.aged]
    left = [{"snapshot": element, "why": why} for element, why in pruning.left.items()]
    return {"prune": Table(rows, [*map(_pruned_row, rows)]), "left": Table(left, is_shown=False)}


def _pruned_row(row: dict[str, Any]) -> dict[str, Any]:
    """A row for people, with sizes to be read."""
    return {
        "snapshot": row["snapshot"],
        CLUSTERS: ", ".join(row[CLUSTERS]) or None,
        **{name: row[name] for name in ("rows", "files")},
        "MB": None if row["bytes"] is None else row["bytes"] / MEGABYTE,
    }


def _say_pruned(pruning: Pruning, gone: set[str], dry_run: bool, age: str) -> None:
    for item in pruning.aged:
        if not dry_run and item.snapshot not in gone:
            say(f"Left alone: snapshot {item.snapshot}: another run has written or removed it.")
    older = f"older than {age} (before {pruning.before:%Y%m%dT%H%M%SZ})"
    selection = [element for element in pruning.aged if dry_run or element.snapshot in gone]
    size = sum(element.bytes or 0 for element in selection)
    report = f", {data_size(size)}" if size else ""
    would = "To be removed" if dry_run else "Removed"
    say(f"{would}: {_counted(len(selection), 'snapshot')} {older}{report}.")
    if foreign_files := [file for element in selection for file in element.foreign]:
        files = _counted(len(foreign_files), "file")
        more = ", …" if len(foreign_files) > NAMED else ""
        say(
            f"{would} with them: {files} of other programs: "
            f"{', '.join(foreign_files[:NAMED])}{more}."
        )
    if pruning.kept:
        say(
            f"{_counted(len(pruning.kept), 'snapshot')} of that age stay: the newest of a cluster, "
            "or kept for their day."
        )


def compact_store(place: LocalStore, dry_run: bool) -> tuple[dict[str, Table], RunError | None]:
    """Make few files of many, or only look: a row each, and what to raise if some couldn't be."""
    if not dry_run:
        with writing(place.root):
            sweep(place)  # what a run before left, whether or not there is something to do now
    with busy("reading the store"):
        result, left = scattered_in(place)
    rows, failed = [], []
    for item in result:
        after = None
        if not dry_run:
            try:
                with busy(f"rewriting {item.snapshot}"):
                    after = compact(place, item)
            except (InputError, RunError) as error:
                left[item.snapshot] = str(error)
                failed.append(str(error))
        rows.append(asdict(item) | {"bytes_after": after})
    for snapshot, why in left.items():
        say(f"Left as it is: snapshot {snapshot}: {why}.")
    fault = None
    if failed:
        fault = RunError(
            f"{len(failed)} of {_counted(len(result), 'snapshot')} could not be compacted: "
            f"{failed[0]}"
        )
    days = groupby(rows, key=lambda row: str(row["snapshot"])[:8])
    return {"compact": Table(rows, [_of_day(day, [*of_day]) for day, of_day in days])}, fault


def _of_day(day: str, rows: Rows) -> dict[str, Any]:
    after = [row["bytes_after"] for row in rows if row["bytes_after"] is not None]
    return {
        "day": day,
        "snapshots": len(rows),
        "files": sum(row["files"] for row in rows),
        "become": sum(row["fewer"] for row in rows),
        "MB": sum(row["bytes"] for row in rows) / MEGABYTE,
        "MB_after": sum(after) / MEGABYTE if after else None,
    }


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}".replace(",", " ")
