"""`evenfleet snapshots`: the list of what a store has."""

from collections.abc import Sequence

from spark import terminal
from spark.errors import InputError
from spark.files import Opener, Where, source_of
from spark.fleet import TABLES, Stored, clusters_in_turn, contents_of, contents_report, time_of
from spark.settings import duration
from spark.terminal import at_most, busy, say_all, show

NARROW = ("clusters", "other_kinds")
"""Columns without room on a terminal."""


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
            names = names[-(at_most(24) or len(names)) :]
        contents = contents_of(source, names)
    rows = [of_it.row(item, states[item]) for item, of_it in contents.items()]
    show({"snapshots": rows}, [*(name for name, of in TABLES.items() if not of.shown), *NARROW])
    terminal.print_list("clusters", clusters_in_turn(contents))
    say_all(contents_report(rows, states, "--all lists all"))


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
