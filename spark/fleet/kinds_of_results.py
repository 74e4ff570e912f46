"""What a folder of tables holds: snapshots, or one kind of result."""

from __future__ import annotations

from spark.errors import InputError
from spark.files import CatalogSchema, Opener, Where, source_of
from spark.fleet.schemas import TABLES

STORE = "a store"
PLAN = "a plan"
COMPARISON = "a comparison"
AUDIT = "an audit"
HISTORY = "a history"
REPLAY = "a replay"
RATES = "rates"
WHATIF = "a what-if"

RESULTS = {
    STORE: ("subscriptions", *TABLES),
    PLAN: ("assignments", "groups", "clusters", "part", "traffic", "weights"),
    COMPARISON: ("comparison", "fleet"),
    AUDIT: ("findings", "coordinators", "groups"),
    HISTORY: ("states", "changes", "rebalances"),
    REPLAY: ("replay", "league"),
    RATES: ("rates", "consumption", "members"),
    WHATIF: ("whatif",),
}
"""The tables of each kind; the first is one that each of its folders has."""


def check_kind(opener: Opener, out: Where, kind: str) -> None:
    """Raise InputError where `out` holds another kind of result, or a store.

    Some of their tables have the same names: one would replace the other's. A schema of a catalog
    may hold several kinds that have no name in common.
    """
    source = source_of(opener, out)
    own = RESULTS[kind]
    if kind == STORE and source.named(own[:1]):
        return
    for other, (first, *others) in RESULTS.items():
        if other == kind or not source.named([first]):
            continue
        if isinstance(out, CatalogSchema) and not {first, *others}.intersection(own):
            continue
        folder = "schema" if isinstance(out, CatalogSchema) else "folder"
        raise InputError(f"output {out} holds {other} already: choose another {folder} for {kind}")
