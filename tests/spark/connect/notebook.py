"""What a notebook on Spark Connect does with a store, step by step: a program of its own.

A process that has a classic session can't have one of Connect's. As arguments it takes the store
and a folder, and writes what each step came to into that folder, as JSON.
"""

from __future__ import annotations

import json
import sys
import traceback
import warnings
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark import FleetSnapshot, audit_fleet, compare_fleet, fleet_of, plan_fleet, verify_plan
from spark.errors import InputError
from spark.explain import explain_group
from spark.fleet import read_planned, read_result
from spark.terminal.quick_start import SMALL_SETTINGS, Size, java_options
from tests.support.fleets import SNAPSHOT

STRATEGIES = ("current", "range", "optimal")

SETTINGS = SMALL_SETTINGS | {
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.extraJavaOptions": " ".join(java_options(Size.SMALL)),
    "spark.sql.session.timeZone": "UTC",
    "spark.log.level": "OFF",
}

Tables = dict[str, list[dict[str, Any]]]


def rows_of(table: DataFrame) -> list[dict[str, Any]]:
    """All rows but how long they took, in an order."""
    rows = (row.asDict(recursive=True) for row in table.drop("seconds", "snapshot").collect())
    return sorted(json.loads(json.dumps([*rows], default=repr)), key=repr)


def read(fleet: FleetSnapshot) -> Tables:
    return {name: rows_of(table) for name, table in fleet.tables.items()}


def planned(fleet: FleetSnapshot) -> dict[str, Any]:
    with plan_fleet(fleet) as made:
        statuses, before_and_after = made.summary()
        return {
            "groups": rows_of(made.groups),
            "assignments": rows_of(made.assignments),
            "statuses": statuses,
            "fleet": before_and_after,
        }


def compared(fleet: FleetSnapshot) -> list[dict[str, Any]]:
    return rows_of(fleet_of(compare_fleet(fleet, STRATEGIES)))


def audited(fleet: FleetSnapshot) -> dict[str, Any]:
    with audit_fleet(fleet) as made:
        return {"findings": rows_of(made.findings), "groups": made.groups()}


def explained(fleet: FleetSnapshot, group: str) -> dict[str, Any]:
    return dict(json.loads(json.dumps(asdict(explain_group(fleet, group)))))


def refused(what: Callable[[], Any]) -> str:
    """The sentence of an InputError."""
    try:
        what()
    except InputError as error:
        return str(error)
    raise AssertionError("nothing was refused")


def steps(session: SparkSession, store: str, folder: Path) -> dict[str, Callable[[], Any]]:
    """What is done, by name; what comes first is there for what follows."""
    fleet = FleetSnapshot.read(session, store)
    plan = str(folder / "plan")

    def written() -> list[dict[str, Any]]:
        with plan_fleet(fleet) as made:
            made.write(plan)
        return rows_of(read_result(session, plan, "assignments", SNAPSHOT).rows)

    def verified(snapshot: str) -> list[dict[str, Any]]:
        result = read_planned(session, store, plan, snapshot)
        groups = read_result(session, plan, "groups", snapshot).rows
        assignments = read_result(session, plan, "assignments", snapshot).rows
        return rows_of(verify_plan(result, assignments, groups))

    def verified_with_a_fault() -> list[dict[str, Any]]:
        with plan_fleet(fleet) as made:
            return rows_of(verify_plan(fleet, made.assignments.where("partition > 0"), made.groups))

    return {
        "read": lambda: read(fleet),
        "planned": lambda: planned(fleet),
        "written": written,
        "compared": lambda: compared(fleet),
        "verified": lambda: verified(SNAPSHOT),
        "verified with a fault": verified_with_a_fault,
        "audited": lambda: audited(fleet),
        "explained": lambda: explained(fleet, "g"),
        "no such snapshot": lambda: refused(lambda: FleetSnapshot.read(session, store, "other")),
        "broken": lambda: refused(lambda: FleetSnapshot.read(session, f"{store}-broken")),
    }


def main(words: Sequence[str]) -> None:
    store, folder = words[0], Path(words[1])
    warnings.simplefilter("ignore")  # settings that only the server's start can have
    builder = SparkSession.builder.remote("local[2]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    done: dict[str, Any] = {"session": type(session).__module__}
    for name, step in steps(session, store, folder).items():
        try:
            done[name] = step()
        except Exception:
            done[name] = {"ended": traceback.format_exc()}
    (folder / "done.json").write_text(json.dumps(done))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1:])
