"""What opens a store for a command: a session, or for few of its rows this process, if it can."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Annotated, TypeVar

from pyspark.sql import SparkSession

from spark.errors import InputError, UnreadableError
from spark.fleet import Composition, FleetFiles, FleetSnapshot, Part, skipped_sentence, whole
from spark.settings import Settings
from spark.startup.java_process import submitted
from spark.startup.quick_start import size_of
from spark.store import (
    DEFAULT_FS,
    Folder,
    Opener,
    UnopenableError,
    Where,
    open_folder,
)
from spark.terminal.console import say
from spark.terminal.options import NoSuchPartError, option, read_snapshot, read_with_notes
from spark.terminal.session import check_master, session


@contextmanager
def opened(
    master: str | None,
    conf: list[str] | None,
    settings: Settings,
    store: Where,
    snapshot: str | None = None,
    many: bool = False,
) -> Iterator[SparkSession]:
    """The session of a command that reads a store; what it can't read is an error before it starts.

    Options come last and win over the configuration file. `snapshot` is that which is asked for;
    `many` are read at once.
    """
    spec = stated_for_spark(conf, settings)
    check_master(master)
    if place := _local_store(store, spec):
        whole(place, store, snapshot)
    with session(master, spec, size_of(store, many)) as spark:
        yield spark


def _local_store(where: Where, settings: Mapping[str, str]) -> Folder | None:
    """The folder of this machine that is meant, if it is one."""
    if submitted() or not isinstance(where, str):
        return None
    with suppress(UnopenableError):
        place = open_folder(where, default_fs(settings))
        return place if place.is_local else None
    return None


def files_of(where: Where, fleet: FleetSnapshot) -> FleetFiles | None:
    """The same fleet read by this process, which takes less for few groups.

    None unless its store is a folder of this machine.
    """
    place = _local_store(where, {})
    return FleetFiles.compose(place, Composition(fleet.id, fleet.instants)) if place else None


def stated_for_spark(conf: list[str] | None, settings: Settings) -> dict[str, str]:
    """Spark's settings of the configuration file and of options, which win."""
    wrong = [option for option in conf or [] if option.find("=") < 1]
    if wrong:
        raise InputError(f"--conf {wrong[0]!r} is not of the form KEY=VALUE")
    return settings.spark | dict(option.split("=", 1) for option in conf or [])


@contextmanager
def opened_store(
    store: Where, master: str | None, conf: list[str] | None, settings: Settings
) -> Iterator[Opener]:
    """What opens a store for a command that needs few of its rows: Spark for a catalog alone.

    Under spark-submit it is there already, and knows how object stores are reached.
    """
    spec = stated_for_spark(conf, settings)
    check_master(master)
    if isinstance(store, str) and not submitted():
        yield open_folder(store, default_fs(spec), spec.get)
    else:
        with session(master, spec) as spark:
            yield spark


def default_fs(settings: Mapping[str, str]) -> str:
    """The file system that a path without a scheme is of, as Spark would see it."""
    home = os.environ.get("SPARK_HOME")
    folder = os.environ.get("SPARK_CONF_DIR") or (home and f"{home}/conf")
    defaults = Path(folder or os.devnull, "spark-defaults.conf")
    lines = defaults.read_text("utf-8", "replace").splitlines() if defaults.is_file() else []
    words = [line.replace("=", " ", 1).split(maxsplit=1) for line in lines]
    entries = {pair[0]: pair[1].strip() for pair in words if len(pair) == 2}
    return settings.get(DEFAULT_FS) or entries.get(DEFAULT_FS) or "file:"


def read_subset(
    opener: Opener, store: Where, snapshot: str | None, doing: str, max_age: timedelta
) -> FleetSnapshot | FleetFiles:
    """The same for a command that needs few of its rows."""
    if not isinstance(opener, Folder):
        return read_snapshot(opener, store, snapshot, doing, max_age)
    return read_with_notes(partial(FleetFiles.read, str(store), snapshot, max_age, opener))


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
    """What `work` makes of one snapshot, or of all of them, and the errors of others.

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
