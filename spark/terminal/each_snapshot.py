"""What a command does for one snapshot, or for each that a store has."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from pyspark.sql import SparkSession

from spark.errors import InputError, UnreadableError
from spark.files import Where
from spark.fleet import Part, skipped_sentence, whole
from spark.terminal.console import say
from spark.terminal.options import NoSuchPartError, option

ALL = "all"

SnapshotOrAll = Annotated[str | None, option("Id, or `all`.", shown="the newest of each cluster")]

T = TypeVar("T")


def each_snapshot(
    session: SparkSession,
    store: Where,
    snapshot: str | None,
    part: Part,
    are_done: str,
    work: Callable[[str | None], T],
) -> tuple[list[T], InputError | None]:
    """What `work` makes of one snapshot, or of all of them, and what is the matter with others.

    `are_done` says in a sentence what was to be done: `are planned`. Of one snapshot alone an error
    is raised at once; where several are there, those that can't be read don't stop the others, and
    those that have nothing of `part` are passed over. InputError if all are.
    """
    selection: Sequence[str | None] = [snapshot]
    if snapshot == ALL:
        stored = whole(session, store)
        selection = stored.whole
        for skipped, why in stored.unfinished.items():
            say(skipped_sentence(skipped, why))
    done, broken = [], []
    for item in selection:
        try:
            done.append(work(item))
        except NoSuchPartError as error:
            if len(selection) == 1:
                raise
            say(f"Skipped: {error}")
        except UnreadableError as error:
            if len(selection) == 1:
                raise
            broken.append(str(error))
    if not done and not broken:
        raise InputError(f"no snapshot of store {store} has {part}")
    if not broken:
        return done, None
    return done, InputError(
        f"{len(done)} of {len(selection)} snapshots {are_done}, the others can't be read: "
        f"{'; '.join(broken)}"
    )
