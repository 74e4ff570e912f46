"""`evenfleet snapshots --prune` and `--compact`: what has had its time, and many small files."""

from dataclasses import asdict

from spark.errors import InputError, RunError
from spark.files import CatalogSchema, LocalStore, Opener, Where, table_store_of
from spark.fleet import (
    Retention,
    compact_each,
    compacted_by_day,
    fault_of,
    now_in_utc,
    prune,
    pruning_of,
    scattered_in,
    sweep_store,
)
from spark.settings import in_words
from spark.terminal import Table, busy, say_all


def local_store(opener: Opener, store: Where) -> LocalStore:
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
    say_all(pruning.report(gone, in_words(retention.age)))
    rows = [pruning.row_of(item, gone or ()) for item in pruning.aged]
    left = [{"snapshot": item, "why": why} for item, why in pruning.left.items()]
    return {
        "prune": Table(rows, [item.for_people() for item in pruning.aged]),
        "left": Table(left, is_shown=False),
    }


def compact_store(place: LocalStore, dry_run: bool) -> tuple[dict[str, Table], RunError | None]:
    """Make few files of many, or only look: a row each, and what to raise if some couldn't be."""
    if not dry_run:
        sweep_store(place)
    with busy("reading the store"):
        result, left = scattered_in(place)
    after: dict[str, int] = {}
    if not dry_run:
        with busy("rewriting") as step:
            after = compact_each(place, step.counted(result, "snapshots"), left)
    say_all(f"Left as it is: snapshot {snapshot}: {why}." for snapshot, why in left.items())
    rows = [asdict(item) | {"bytes_after": after.get(item.snapshot)} for item in result]
    fault = None if dry_run else fault_of(result, after, left)
    return {"compact": Table(rows, compacted_by_day(result, after))}, fault
