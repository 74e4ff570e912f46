"""What a notebook on Spark Connect does with a store, step by step: a program of its own.

A process that has a classic session can't have one of Connect's. As arguments it takes the store
and a folder, and writes what each step came to into that folder, as JSON.
"""

import json
import sys
import traceback
import warnings
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from spark import FleetSnapshot, audit_fleet, compare_fleet, fleet_of, plan_fleet, verify_plan
from spark.errors import InputError
from spark.explain import explain_group
from spark.fleet import read_planned, read_result
from spark.startup.quick_start import SMALL_SETTINGS, StoreSize, java_options
from tests.support.fleets import SNAPSHOT

SETTINGS = SMALL_SETTINGS | {
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "1",
    "spark.driver.extraJavaOptions": " ".join(java_options(StoreSize.SMALL)),
    "spark.sql.session.timeZone": "UTC",
    "spark.log.level": "OFF",
}


def rows_of(table: DataFrame) -> list[dict[str, Any]]:
    """All rows but how long they took, in an order."""
    rows = (row.asDict(recursive=True) for row in table.drop("seconds", "snapshot").collect())
    return sorted(json.loads(json.dumps([*rows], default=repr)), key=repr)


class Notebook:
    """Its steps, each a method; what comes first is there for what follows."""

    def __init__(self, session: SparkSession, store: str, folder: Path) -> None:
        self.session, self.store, self.plan = session, store, str(folder / "plan")
        self.fleet = FleetSnapshot.read(session, store)

    def result(self, table: str) -> DataFrame:
        return read_result(self.session, self.plan, table, SNAPSHOT).rows

    def read(self) -> Any:
        return {name: rows_of(table) for name, table in self.fleet.tables.items()}

    def plan_is_made(self) -> Any:
        with plan_fleet(self.fleet) as made:
            made.write(self.plan)
            tables = (rows_of(made.groups), rows_of(made.assignments))
            return [*tables, *made.summary(), rows_of(self.result("assignments")) == tables[1]]

    def plan_is_verified(self) -> Any:
        planned = read_planned(self.session, self.store, self.plan, SNAPSHOT)
        groups, assignments = self.result("groups"), self.result("assignments")
        without = assignments.where("partition > 0")
        return [rows_of(verify_plan(planned, rows, groups)) for rows in (assignments, without)]

    def strategies_are_compared(self) -> Any:
        return rows_of(fleet_of(compare_fleet(self.fleet, ("current", "range", "optimal"))))

    def fleet_is_audited(self) -> Any:
        with audit_fleet(self.fleet) as made:
            return [rows_of(made.findings), made.groups()]

    def group_is_explained(self) -> Any:
        return asdict(explain_group(self.fleet, "g"))

    def refusals(self) -> Any:
        """A snapshot that isn't there, and as much as is ours of what is told of a broken file."""
        sentences = []
        for store, snapshot in ((self.store, "other"), (f"{self.store}-broken", None)):
            try:
                FleetSnapshot.read(self.session, store, snapshot)
            except InputError as error:
                sentences.append(str(error).partition(" can't be read: ")[0])
        return sentences


STEPS: tuple[Callable[[Notebook], Any], ...] = (
    *(Notebook.read, Notebook.plan_is_made, Notebook.plan_is_verified),
    *(Notebook.strategies_are_compared, Notebook.fleet_is_audited, Notebook.group_is_explained),
    Notebook.refusals,
)


def outcomes(session: SparkSession, store: str, folder: Path) -> dict[str, Any]:
    """What each step came to, by its name."""
    notebook = Notebook(session, store, folder)
    done = {}
    for step in STEPS:
        try:
            done[step.__name__] = json.loads(json.dumps(step(notebook)))
        except Exception:
            done[step.__name__] = {"ended": traceback.format_exc()}
    return done


def main(store: str, folder: Path) -> None:
    warnings.simplefilter("ignore")  # settings that only the server's start can have
    builder = SparkSession.builder.remote("local[2]")
    for key, value in SETTINGS.items():
        builder = builder.config(key, value)
    session = builder.getOrCreate()
    done = {"session": type(session).__module__} | outcomes(session, store, folder)
    (folder / "done.json").write_text(json.dumps(done))
    session.stop()


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
