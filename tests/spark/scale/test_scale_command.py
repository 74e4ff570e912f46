"""`evenfleet scale`, as a user runs it, and its sentences."""

from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from spark import FleetSnapshot
from spark.report import gather
from spark.scale import assumptions_of, verdict_of
from tests.spark.scale.groups_over_time import RATES, fleet
from tests.support.offsets import snapshot_at
from tests.support.said import Run, flat
from tests.support.terminal import tables_of

POLICIES = """
[process]
peak_rate = 100
start = "30s"

[[policy]]
kind = "as-it-was"

[[policy]]
kind = "fixed"
members = 4

[[policy]]
kind = "keda"
name = "by lag"
lagThreshold = 2000
minReplicaCount = 1
"""


@pytest.fixture
def hourly(tmp_path: Path) -> Path:
    for hour in range(len(RATES) + 1):
        fleet(hour).store(tmp_path / "store", snapshot_at(hour))
    return tmp_path / "store"


@pytest.fixture
def policies(tmp_path: Path) -> Path:
    file = tmp_path / "policies.toml"
    file.write_text(POLICIES, encoding="utf-8")
    return file


def test_of_less_than_a_day_there_is_no_advice(run: Run, hourly: Path, policies: Path) -> None:
    output = run("scale", hourly, "--policy", policies, "--since", "8h", "--all")
    assert output.code == 0, output.err
    text, said = flat(output.out), flat(output.err)
    assert said.startswith("Looked at only 8 h of 2 groups: too short for advice, ")
    assert "orders of c: So far (8 h): Set by lag: never late, " in text
    assert "hot of c: So far (8 h): Fix it at 4 members (now 1): late " in text
    assert "Partition hot-2 gets up to 500 records/s, one member reads 100: spread its keys" in text
    assert "fixed 4" in text
    assert "1 group: the group has no members" in text
    assert "Rates are means over 1 h: shorter bursts aren't seen." in said


def test_programs_get_all_and_tables_are_written(
    spark: SparkSession, run: Run, hourly: Path, policies: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    output = run("scale", hourly, "--policy", policies, "--out", out, "--format", "json")
    assert output.code == 0, output.err
    printed = tables_of(output)["scale"]
    reasons = {row["group"]: row["reason"] for row in printed if row["status"] != "ok"}
    assert reasons["quiet"].startswith("rates take two snapshots with offsets")
    assert reasons["nobody"] == "the group has no members"
    rows = {(row["group"], row["policy"]): row for row in printed}
    then, fixed = rows["orders", "as it was"], rows["orders", "fixed 4"]
    assert (then["members"], then["hours"], then["partitions"]) == (2, 24, 8)
    assert (fixed["member_hours"], fixed["rebalances"], fixed["recommended"]) == (96, 0, False)
    by_lag = rows["orders", "by lag"]
    assert by_lag["recommended"] and 'lagThreshold: "2000"' in by_lag["setting"]
    assert rows["hot", "fixed 4"]["setting"] == "replicas: 4"
    assert then["late_partition_hours"] > 10 > fixed["late_partition_hours"]
    courses = pq.read_table(out / "courses").to_pylist()
    busiest = [row for row in courses if row["group"] == "orders" and row["arrivals"] == 320]
    assert {row["policy"] for row in busiest} == {"as it was", "fixed 4", "by lag"}
    assert len(busiest) == 18
    assert pq.read_table(out / "scale").num_rows == 12
    assert flat(output.err).startswith("Looked at 1 d of 2 groups. Cheapest within the SLO: ")
    fleet = FleetSnapshot.read(spark, str(hourly))
    told = gather._scaling_of([spark.read.parquet(str(out / "scale"))], fleet)["sizes"]
    assert any(sentence.startswith("orders of c: Set by lag") for sentence in told)


IDLE = "no rates and count as idle"


def row(policy: str, member_hours: float, recommended: bool = True) -> dict[str, Any]:
    figures = {"member_hours": member_hours, "late_partition_hours": 0.0, "hours": 24.0}
    keys = {"cluster": "c", "group": "orders", "policy": policy}
    return {**keys, **figures, "recommended": recommended}


def test_the_verdict_says_how_long_it_looked_and_what_differs_from_the_record() -> None:
    looked = "Looked at 1 d of 1 group. Cheapest within the SLO:"
    assert verdict_of([row("as it was", 3.0)]) == f"{looked} as it was in 1."
    assert verdict_of([row("as it was", 3.0, recommended=False), row("fixed", 1.0)]) == (
        f"{looked} fixed in 1. 2 member-hours less than recorded."
    )
    assert verdict_of([row("fixed", 1.0) | {"hours": 23.4}]) == (
        "Looked at only 23 h of 1 group: too short for advice, which takes a day. Collect every "
        "hour, then scale again."
    )
    assert verdict_of([row("fixed", 1.0, recommended=False)]) == "No group could be replayed."


def test_groups_by_what_is_not_known() -> None:
    """Once a group: the row of the recommended policy stands for it."""
    reasons = (
        (f"3 of 8 partitions have {IDLE}", True),
        (f"3 of 8 partitions have {IDLE}", False),
        (f"1 of 2 partitions have {IDLE}; one rate stands for up to 3 intervals", True),
        (None, True),
    )
    assert assumptions_of([{"reason": why, "recommended": best} for why, best in reasons]) == [
        f"2 groups: some partitions have {IDLE}",
        "1 group: one rate stands for several intervals",
    ]
