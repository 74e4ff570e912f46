"""`evenfleet snapshots`: what a store has, and what of it has had its time."""

from typing import Annotated

from spark import terminal
from spark.errors import InputError
from spark.fleet import Retention, check_folder
from spark.jobs.snapshots_list import list_snapshots
from spark.jobs.snapshots_upkeep import compact_store, local_store, prune_store
from spark.settings import duration
from spark.terminal import option, say, show

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
    source: terminal.StoreOptions,
    since: Since = None,
    age: Prune = None,
    keep_daily: KeepDaily = None,
    compact_files: Compact = False,
    dry_run: DryRun = True,
) -> bool:
    """List, prune or compact the snapshots of a store.

    --prune removes old snapshots, --compact merges small files. Without --apply they only print
    what they would do.
    """
    retention = _retention(age, keep_daily)
    _check_together(since, bool(retention) or compact_files, dry_run)
    with source.opener() as opener:
        check_folder(opener, source.where)
        if not (retention or compact_files):
            list_snapshots(opener, source.where, since)
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


def _check_together(since: str | None, changing: bool, dry_run: bool) -> None:
    """Raise InputError for options that say nothing together."""
    if changing and since is not None:
        raise InputError("--since only lists: leave it out with --prune and --compact")
    if not (changing or dry_run):
        raise InputError("--apply needs --prune or --compact: a list changes nothing")
