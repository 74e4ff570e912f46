"""`evenfleet plan`: the tables that it prints."""

from collections.abc import Sequence

from spark import FleetSnapshot
from spark.glossary import STATUSES
from spark.plan import TRAFFIC
from spark.terminal import Rows, Table, clusters_read, show

WORST = "worst groups"
"""The table of uneven groups, which the plan evens out."""

OPTIONAL = (WORST, TRAFFIC)
"""Tables that aren't shown where they have no rows."""


def show_plans(planned: Sequence[tuple[FleetSnapshot, dict[str, Rows]]]) -> None:
    """Print the tables of all snapshots, one below the other."""
    tables = [of_snapshot for _, of_snapshot in planned]
    shown = {name: [row for table in tables for row in table[name]] for name in tables[0]}
    hide = {"sum of squares"} if len(planned) > 1 else {"sum of squares", "snapshot"}
    filled = {name: rows for name, rows in shown.items() if rows or name not in OPTIONAL}
    by_status = filled["groups"]
    explained = [{**row, "means": STATUSES.get(row["status"])} for row in by_status]
    shown_groups = {"groups": Table(by_status, explained)}
    show({**filled, **shown_groups, **clusters_read(*(fleet for fleet, _ in planned))}, hide)
