"""What a broker coordinates is weighed; what can't be shared is held against nobody."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyspark.sql import SparkSession

from spark import audit_fleet
from spark.audit import AuditSettings
from spark.audit.cluster_facts import ClusterFacts
from tests.support.fleets import Fleet

Groups = Mapping[int, Sequence[tuple[int, int]]]
"""Members and partitions of the groups that each broker coordinates."""


CASES: dict[str, tuple[Groups, dict[str, float]]] = {
    "few groups that are heavy weigh more than many light ones": (
        {1: [(10, 100)] * 3, 2: [(1, 5)] * 20},
        {"broker 1": 1.94},
    ),
    "who has one heavy group has to have it": (
        {1: [(10, 200)], 2: [(10, 20)], 3: []},
        {"broker 1": 1.0},
    ),
    "what comes on top of it counts": (
        {1: [(10, 200), (10, 100)], 2: [(10, 20)], 3: []},
        {"broker 1": 1.5},
    ),
    "there is no other broker": ({1: [(10, 200)] * 2}, {}),
    "members alone, and partitions of which nobody is a member": (
        {1: [(0, 5000)], 2: [(3, 1)]},
        {},
    ),
}
"""Each is a cluster of its own: one audit does for all."""


def test_the_measure(spark: SparkSession) -> None:
    """By subject, of brokers with a load of 1000 or more."""
    fleet = Fleet()
    for cluster, (brokers, _) in CASES.items():
        for broker, groups in brokers.items():
            fleet.add("brokers", cluster=cluster, broker=broker)
            for number, (members, partitions) in enumerate(groups):
                name = f"{broker}-{number}"
                reads = {f"m{member}": [name] for member in range(members)}
                fleet.topic(name, partitions, cluster=cluster)
                fleet.group(name, reads, cluster=cluster, coordinator=broker)
    levels = {"info": 0.0, "warning": None, "critical": None, "least": 1000.0}
    settings = AuditSettings(values={**AuditSettings().values, "coordinator-load": levels})
    with audit_fleet(fleet.snapshot(spark), settings=settings) as audit:
        rows = audit.findings.where("finding = 'coordinator-load'").collect()
    result: dict[str, dict[str, float]] = {cluster: {} for cluster in CASES}
    for row in rows:
        result[row["cluster"]][row["subject"]] = round(row["measure"], 2)
    assert result == {cluster: expected for cluster, (_, expected) in CASES.items()}


def test_brokers_that_could_coordinate_count_where_any_does() -> None:
    cluster = ClusterFacts("c", listed=frozenset({2, 3}), keeping=frozenset({1}))
    assert cluster.coordinators == []
    cluster.coordinated[4] += 1
    assert cluster.coordinators == [1, 2, 3, 4]
