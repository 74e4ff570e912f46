"""All clusters of a fleet, each planned by itself: a row a cluster, inside `mapInArrow`."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from urllib.parse import quote

import pyarrow as pa
from pyspark.sql import DataFrame, Row, functions as F
from pyspark.sql.types import StructType

from spark.errors import InputError, first_line
from spark.fleet import FleetSnapshot
from spark.groups import batch_of
from spark.reassign.facts import COLUMNS, ReassignRequest, cluster_facts, facts_in
from spark.reassign.files import texts_of, write_files
from spark.reassign.reassignment import Reassignment, reassign

PLANNED, REFUSED, FAILED = "planned", "refused", "failed"

_COUNTS = (
    *("partitions", "changes", "copies", "leader_changes", "batches", "replicas_min"),
    *("replicas_max", "planned_min", "planned_max", "leaders_min", "leaders_max"),
    *("planned_leaders_min", "planned_leaders_max"),
)
BROKER = ("broker", "replicas", "planned", "leaders", "planned_leaders")
COLUMN_TYPES = {
    **dict.fromkeys(("cluster", "snapshot", "status", "reason"), "string"),
    **dict.fromkeys(_COUNTS, "int"),
    "optimal": "string",
    "brokers": f"array<struct<{', '.join(f'{name}: int' for name in BROKER)}>>",
    "sentences": "array<string>",
    "files": "map<string, string>",
}
"""Loads are those of brokers that are to be used; `files` are texts by name."""


def reassign_fleet(fleet: FleetSnapshot, wanted: ReassignRequest | None = None) -> DataFrame:
    """A row (`COLUMN_TYPES`) for each cluster, also for those that can't be planned."""
    wanted = wanted or ReassignRequest()
    columns = ", ".join(f"{name} {kind}" for name, kind in COLUMN_TYPES.items())
    schema = cast(StructType, StructType.fromDDL(columns))

    def plan_batches(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for row in zip(*batch.columns, strict=True):
                planned = _row(row, wanted)
                yield batch_of([tuple(planned.get(name) for name in COLUMN_TYPES)], schema)

    return _encode(fleet).mapInArrow(plan_batches, schema)


def write_fleet(
    rows: list[Row], out: Path, fleet: FleetSnapshot
) -> tuple[list[Path], dict[str, str]]:
    """The files of each cluster, in a folder of its name; by cluster, why some aren't written."""
    written, refused = [], {}
    for row in rows:
        cluster, folder = row["cluster"], out / _folder(row["cluster"])
        if row["status"] != PLANNED:
            continue
        current = cluster_facts(fleet, cluster) if folder.is_dir() else None
        try:
            written += write_files(row["files"] or {}, folder, cluster, current)
        except InputError as error:
            refused[cluster] = str(error)
    return written, refused


def _encode(fleet: FleetSnapshot) -> DataFrame:
    """A row a cluster: the snapshot that it is of, its partitions and its brokers.

    Without any replicas nothing is planned of partitions, and null stands for them.
    """
    of = fleet.clusters()
    columns = {"cluster": of.keys(), "snapshot": of.values()}
    # a table: for a list of rows Spark starts Python workers of another kind
    table = pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})
    snapshots = fleet.tables["partitions"].sparkSession.createDataFrame(table)
    partitions = _as_lists(fleet.tables["partitions"], "partitions", COLUMNS).where(
        F.exists("partitions", lambda partition: F.size(partition.replicas) > 0)
    )
    encoded = snapshots.join(partitions, "cluster", "left")
    if "brokers" not in fleet.tables:
        return encoded.withColumn("brokers", F.lit(None).cast("array<struct<broker:int>>"))
    return encoded.join(
        _as_lists(fleet.tables["brokers"], "brokers", ("broker", "rack")), "cluster", "left"
    )


def _as_lists(table: DataFrame, name: str, columns: tuple[str, ...]) -> DataFrame:
    return table.groupBy("cluster").agg(F.collect_list(F.struct(*columns)).alias(name))


def _row(row: tuple[Any, ...], wanted: ReassignRequest) -> dict[str, Any]:
    cluster, snapshot, partitions, brokers = row
    keys: dict[str, Any] = {"cluster": cluster.as_py(), "snapshot": snapshot.as_py()}
    try:
        current = facts_in(**keys, rows=_tuples(partitions), listed=dict(_tuples(brokers)))
        reassignment = reassign(current, wanted)
    except InputError as error:
        return keys | {"status": REFUSED, "reason": str(error)}
    except Exception as error:  # one bad cluster never stops a fleet
        return keys | {"status": FAILED, "reason": first_line(error)}
    return keys | {"status": PLANNED} | _measures_of(reassignment)


def _measures_of(reassignment: Reassignment) -> dict[str, Any]:
    used = [row for row in reassignment.brokers() if row["state"] in ("used", "keeps")]
    led = Counter(reassignment.current.leaders)
    of_broker = {name: [row[name] for row in used] for name in BROKER}
    of_broker["leaders"] = [led[row["broker"]] for row in used]
    loads = {
        f"{name}_{end.__name__}": end(of_broker[name], default=0)
        for name in BROKER[1:]
        for end in (min, max)
    }
    return {
        "partitions": len(reassignment.current.partitions),
        "changes": len(reassignment.changes),
        "copies": reassignment.plan.copies,
        "leader_changes": reassignment.plan.leader_changes,
        "batches": len(reassignment.batches),
        **loads,
        "reason": " ".join(reassignment.shortfalls) or None,
        "optimal": reassignment.plan.optimal,
        "brokers": [{name: row[name] for name in BROKER} for row in used],
        "sentences": list(reassignment.sentences()),
        "files": texts_of(reassignment),
    }


def _tuples(cell: pa.ListScalar) -> list[Any]:
    """A list of structs, field by field: a dictionary for each takes ten times as long."""
    structs = cell.values
    if structs is None:
        return []
    return list(zip(*(field.to_pylist() for field in structs.flatten()), strict=True))


def _folder(cluster: str) -> str:
    """A cluster's name as a folder's: with any characters it is one folder, below the other."""
    name = quote(cluster, safe=" ")
    return name.replace(".", "%2E") if not name.strip(".") else name
