"""What may have been meant by a name that a fleet doesn't have."""

from pyspark.sql import functions as F

from optimizer.figures import did_you_mean
from spark.fleet.fleet_files import FleetFiles
from spark.fleet.snapshot import FleetSnapshot
from spark.fleet.utf8 import is_named, spelled
from spark.patterns import matches
from spark.store import coded
from spark.text import named

NEAREST = 5
"""Names that Spark brings, of which the nearest is proposed."""

TABLE_OF = {"group": "subscriptions", "topic": "partitions"}


def groups_like(fleet: FleetSnapshot | FleetFiles, pattern: str, cluster: str | None) -> str:
    """`3 groups (a, b, c)`: those that match a pattern."""
    if isinstance(fleet, FleetFiles):
        names = coded(fleet.rows("subscriptions", ("group",), cluster)["group"])[1]
        groups = [spelled(name) for name in names if name is not None]
        return named("group", (group for group in groups if matches(pattern, group)))
    rows = fleet.matching(cluster, pattern).tables["subscriptions"].select("group").distinct()
    return named("group", (row.group for row in rows.collect()))


def near_miss(
    fleet: FleetSnapshot | FleetFiles, kind: str, name: str, cluster: str | None = None
) -> str:
    """`; did you mean orders?`: the group or topic (`kind`) of nearly that name, if any."""
    table = TABLE_OF[kind]
    if isinstance(fleet, FleetFiles):
        names = coded(fleet.rows(table, (kind,), cluster)[kind])[1]
        return did_you_mean(name, (spelled(item) for item in names if item is not None))
    rows = fleet.tables[table]
    if cluster is not None:
        rows = rows.where(is_named("cluster", [cluster]))
    distance = F.levenshtein(F.col(kind), F.lit(name))
    nearest = rows.select(kind).distinct().orderBy(distance, kind).limit(NEAREST)
    return did_you_mean(name, (row[kind] for row in nearest.collect()))
