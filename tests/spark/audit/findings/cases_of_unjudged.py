"""Groups that can't be judged, by finding."""

from __future__ import annotations

from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.solve import solve_groups
from tests.spark.audit.findings.cases_of_balance import TWO
from tests.spark.audit.findings.place import Build, Cases, Place, Told, owning

FAILS = "failed-group-fires"
"""The cluster whose group is made to fail: what fails of its own is a fault, and mended."""

REASON = "MemoryError: Unable to allocate 3.1 GiB"


def solved_but_for_one(encoded: DataFrame, strategy: str, *settings: Any) -> DataFrame:
    """`solve_groups`, with the row of a group that failed as the solver makes it."""
    solved = solve_groups(encoded, strategy, *settings)
    facts = ("cluster", "group", "strategy", "members")
    failed = {"status": F.lit("failed"), "reason": F.lit(REASON)}
    nothing = {
        field.name: failed.get(field.name, F.lit(None)).cast(field.dataType)
        for field in solved.schema
        if field.name not in facts
    }
    is_to_fail = F.col("cluster") == FAILS
    return solved.withColumns(
        {name: F.when(is_to_fail, cell).otherwise(F.col(name)) for name, cell in nothing.items()}
    )


def listed(times: int, **facts: Any) -> Build:
    """An even group that is listed so many times."""

    def build(place: Place) -> None:
        place.topic("t", 2)
        place.group(TWO, owning("t", a=range(1), b=range(1, 2)), **facts)
        for _ in range(times - 1):
            place.fleets.now.add("groups", **{"cluster": place.cluster, "group": "g"} | facts)

    return build


CASES = {
    "invalid-group": Cases(
        Told(
            *("warning", "group g", 1, 1),
            "Group g can't be judged: the group is listed twice.",
        ),
        fires=listed(2),
        nearly=listed(1, state="PreparingRebalance"),
        never=listed(1),
    ),
    "failed-group": Cases(
        Told(
            *("warning", "group g", 1, 1),
            f"Group g can't be judged, solving it failed: {REASON}.",
        ),
        fires=listed(1),
        nearly=listed(2),
        never=listed(1),
    ),
}
