"""One number of uneven groups, and one order of the worst, on all surfaces for one snapshot."""

from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark import FleetHistory, FleetSnapshot, audit_fleet, compare_fleet, fleet_of, plan_fleet
from spark.compare.advised import uneven_first
from spark.compare.measure import measure_groups
from spark.fleet import write_store
from spark.groups import encode
from spark.report.sums import figures_of, lags_in, merged, sums_of, worst_groups
from spark.solve import default_levels
from tests.support.fleets import Fleet

pytestmark = pytest.mark.ends  # of each surface's own tests the default tier has one

BEFORE, NOW = "20261121T050000Z", "20261121T060000Z"


def fleet() -> Fleet:
    """Two uneven groups, one whose loads are apart and can't be closer, and one with an orphan."""
    fleet = Fleet().topic("t", 6).topic("u", 4)
    two = {"a": ["t"], "b": ["t"]}
    fleet.group("skewed", two, [("t", p, "a") for p in range(6)])
    fleet.group("less skewed", two, [("t", p, "a" if p < 4 else "b") for p in range(6)])
    fleet.group("apart", {"c": ["t"], "d": []}, [("t", p, "c") for p in range(6)])
    fleet.group("orphan", {"e": ["u"], "f": ["u"]}, [("u", p, "ef"[p % 2]) for p in range(3)])
    # its largest load is as small as can be, and its other loads aren't
    three = {name: ["t"] for name in "ghij"}
    fleet.group("closer", three, [("t", p, "gghhii"[p]) for p in range(6)])
    # its largest load is one above the best of 11, which is no tenth
    pair = {"k": ["w"], "l": ["w"]}
    fleet.topic("w", 22).group("nearly", pair, [("w", p, "kl"[p >= 12]) for p in range(22)])
    return fleet


def test_one_number_of_uneven_groups(spark: SparkSession, tmp_path: Path) -> None:
    for snapshot in (BEFORE, NOW):
        write_store(fleet().tables(), tmp_path, snapshot)
    snapshot = FleetSnapshot.read(spark, str(tmp_path), NOW)
    with plan_fleet(snapshot) as plan, audit_fleet(snapshot) as audit:
        _, (now, planned) = plan.summary()
        assert plan.sentence().startswith("The plan evens out 2 of 6 groups")
        assert (now["uneven groups"], planned["uneven groups"]) == (2, 0)
        assert (audit.uneven(), audit.uneven_sentence()) == (2, "2 of 6 groups are uneven.")
        every = merged(audit.group_rows, [lags_in(snapshot)])
        assert figures_of(sums_of(every))["uneven"] == 2
        orders = [
            [row["group"] for row in rows]
            for rows in (plan.worst(), audit.worst_groups(), worst_groups(every, 2))
        ]
    comparison = compare_fleet(snapshot, ["current", "cooperative-sticky", "optimal"])
    fleets = {row.strategy: row.uneven for row in fleet_of(comparison).collect()}
    assert fleets == {"current": 2, "cooperative-sticky": 0, "optimal": 0}
    told = measure_groups(encode(snapshot), ["current"], levels=default_levels)
    advised = uneven_first(told.where("strategy is null"), 10)
    assert [(row["now_to_best"], row["severity"], row["advice"]) for row in advised] == [
        (2.0, "critical", "cooperative-sticky"),
        (4 / 3, "info", "cooperative-sticky"),
    ]
    orders.append([row["group"] for row in advised])
    assert orders == [["skewed", "less skewed"]] * 4
    with FleetHistory.read(spark, str(tmp_path)) as history:
        assert "2 of 6 groups are uneven by count in the last snapshot (2 in the first)" in str(
            history._repr_html_()
        )
