"""Findings that are patterns, looked for as patterns: what motifs find, the findings find too."""

from collections import Counter
from collections.abc import Iterator
from typing import Any

import pytest
from graphframes import GraphFrame
from pyspark.sql import DataFrame, SparkSession, functions as F

from spark import FleetSnapshot, audit_fleet
from spark.audit import SEVERITIES, AuditSettings
from spark.graph.fleet_graph import FleetGraph, fleet_graph
from tests.support.graph_fleets import BEYOND, BROKERS, random_fleet

PATTERNS = (
    "owner-gone",
    "owner-not-subscribed",
    "one-leader",
    "unread-partitions",
    "claimed-twice",
)

Found = Counter[tuple[str, str, str]]
"""Partitions by cluster, group and subject."""


@pytest.fixture(scope="module")
def snapshot(graphframes: SparkSession) -> FleetSnapshot:
    """Nobody claims what is beyond a topic: that is no partition to the findings."""
    fleet = random_fleet(clusters=12, seed=7)
    claims = fleet.rows["assignments"]
    claims[:] = [claim for claim in claims if claim["partition"] != BEYOND]
    return fleet.snapshot(graphframes)


@pytest.fixture(scope="module")
def graph(snapshot: FleetSnapshot) -> Iterator[FleetGraph]:
    with fleet_graph(snapshot) as graph:
        yield graph


@pytest.fixture(scope="module")
def findings(snapshot: FleetSnapshot) -> dict[str, Found]:
    """What the findings say, in one pass."""
    all_of_them = {name: dict.fromkeys(SEVERITIES) | {"info": 0.0} for name in PATTERNS}
    settings = AuditSettings(values={**AuditSettings().values, **all_of_them})
    result: dict[str, Found] = {name: Counter() for name in PATTERNS}
    with audit_fleet(snapshot, settings=settings) as audit:
        for row in audit.findings.where(F.col("finding").isin(*PATTERNS)).collect():
            result[row["finding"]][row["cluster"], row["group"], row["subject"]] = row["measure"]
    assert all(len(of_one) > 3 for of_one in result.values())
    return result


@pytest.fixture(scope="module")
def disputed(graph: FleetGraph) -> set[tuple[Any, ...]]:
    """Two members of one group own one partition."""
    rows = graph.find("(one)-[o]->(place); (other)-[p]->(place)").where(
        "o.kind = 'owns' and p.kind = 'owns' and one.id < other.id and one.group = other.group"
    )
    return set(claims(rows, "one"))


def claims(rows: DataFrame, owner: str) -> list[tuple[Any, ...]]:
    """Cluster, group, topic and partition of each row."""
    names = (f"{owner}.cluster", f"{owner}.group", "place.topic", "place.partition")
    return [tuple(row) for row in rows.where("place.listed").select(*names).collect()]


def by_owner(rows: DataFrame, disputed: set[tuple[Any, ...]]) -> Found:
    """Partitions by owner, but for those that several own: nobody has them."""
    names = ("owner.cluster", "owner.group", "place.topic", "place.partition", "owner.member_id")
    result = [tuple(row) for row in rows.where("place.listed").select(*names).collect()]
    return Counter(
        (cluster, group, f"member {member}")
        for cluster, group, topic, partition, member in result
        if (cluster, group, topic, partition) not in disputed
    )


def test_claimed_twice(disputed: set[tuple[Any, ...]], findings: dict[str, Found]) -> None:
    result = Counter((cluster, group, f"topic {topic}") for cluster, group, topic, _ in disputed)
    assert result == findings["claimed-twice"]


def test_owned_by_somebody_who_does_not_subscribe_or_is_not_there(
    graph: FleetGraph, disputed: set[tuple[Any, ...]], findings: dict[str, Found]
) -> None:
    """Owners point back from what they own, for a motif denies every edge of a direction."""
    owned = graph.parts["owns"].select(F.col("dst").alias("src"), F.col("src").alias("dst"))
    may_read = graph.parts["subscribes"].select("src", "dst")
    around = GraphFrame(graph.vertices, owned.unionAll(may_read))
    rows = around.find("(place)-[]->(owner); !(owner)-[]->(place)").where("owner.kind = 'member'")
    assert by_owner(rows.where("owner.listed"), disputed) == findings["owner-not-subscribed"]
    assert by_owner(rows.where("not owner.listed"), disputed) == findings["owner-gone"]


def test_all_partitions_of_a_member_are_led_by_one_broker(
    graph: FleetGraph, disputed: set[tuple[Any, ...]], findings: dict[str, Found]
) -> None:
    present = "o.kind = 'owns' and owner.listed"
    led = graph.find("(owner)-[o]->(place); (place)-[l]->(broker)").where(present).persist()
    owned = by_owner(graph.find("(owner)-[o]->(place)").where(present), disputed)
    of_broker = {
        broker: by_owner(led.where(F.col("broker.broker") == broker), disputed)
        for broker in range(BROKERS)
    }
    led.unpersist()
    result = {
        owner: count
        for owner, count in owned.items()
        if any(item[owner] == count for item in of_broker.values())
    }
    assert result == findings["one-leader"]


def test_nobody_reads_a_partition_of_a_topic_that_the_group_reads(
    graph: FleetGraph, findings: dict[str, Found]
) -> None:
    """Two patterns, as none can say `nobody of that group`."""
    may_read = claims(graph.find("(one)-[e]->(place)").where("e.kind = 'subscribes'"), "one")
    owned = claims(graph.find("(one)-[e]->(place)").where("e.kind = 'owns'"), "one")
    unread = set(may_read) - set(owned)
    result = Counter((cluster, group, f"topic {topic}") for cluster, group, topic, _ in unread)
    assert result == findings["unread-partitions"]
