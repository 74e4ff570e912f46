"""Each finding that needs time where it fires, nearly does, and must not; all in one audit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetHistory, FleetSnapshot, audit_fleet
from spark.audit.finding import PastFinding
from spark.audit.findings.past import LAG_SECONDS
from spark.audit.registry import FINDINGS
from spark.audit.rules import GroupRule
from spark.audit.thresholds import AuditSettings
from spark.fleet.local_store import write_store
from tests.support.fleets import Fleet, snapshot_of

INSTANTS = [
    *(f"20261121T{hour:02}0000Z" for hour in (0, 6, 12, 18)),
    "20261122T000000Z",
]
"""A day, seen five times."""

MILLION = 1_000_000

Build = Callable[[Fleet, str, int], None]
"""Adds a cluster to the fleet of an instant."""


def group(fleet: Fleet, cluster: str, owners: str, name: str = "g", **facts: Any) -> None:
    """A group that owns the partitions of topic t by the letters of its members."""
    owned = [("t", number, owner) for number, owner in enumerate(owners)]
    members = {member: ["t"] for member in sorted(set(owners))}
    fleet.topic("t", max(len(owners), 1), cluster=cluster)
    fleet.group(name, members, owned, cluster=cluster, **facts)


def generations(*of_instants: int) -> Build:
    return lambda fleet, cluster, i: group(fleet, cluster, "ab", generation=of_instants[i])


def being(*states: str) -> Build:
    return lambda fleet, cluster, i: group(fleet, cluster, "ab", state=states[i])


def owned(*of_instants: str) -> Build:
    return lambda fleet, cluster, i: group(fleet, cluster, of_instants[i])


def committing(committed: Callable[[int], float], members: bool = True) -> Build:
    """A topic that gets a million records between two instants."""

    def build(fleet: Fleet, cluster: str, i: int) -> None:
        group(fleet, cluster, "a" if members else "")
        fleet.add(
            "offsets",
            **{"cluster": cluster, "group": "g", "topic": "t", "partition": 0},
            committed_offset=int(committed(i) * MILLION),
            end_offset=(i + 1) * MILLION,
        )

    return build


def keeping(hours: int, policy: str = "delete") -> Build:
    """A group without members, nine hours late, on a topic that keeps records for some time."""

    def build(fleet: Fleet, cluster: str, i: int) -> None:
        committing(lambda i: i - 0.5, members=False)(fleet, cluster, i)
        settings = {"retention.ms": str(hours * 3_600_000), "cleanup.policy": policy}
        for key, value in settings.items():
            fleet.add("configs", cluster=cluster, scope="topic", name="t", key=key, value=value)

    return build


def manned_until(last: int, kept_minutes: int | None = None) -> Build:
    """A group with members up to an instant, and none after it; how long brokers keep offsets."""

    def build(fleet: Fleet, cluster: str, i: int) -> None:
        group(fleet, cluster, "a" if i <= last else "", state="Stable" if i <= last else "Empty")
        if kept_minutes:
            row = {"scope": "broker", "name": "1", "key": "offsets.retention.minutes"}
            fleet.add("configs", cluster=cluster, **row, value=str(kept_minutes))

    return build


def reading(topic: str, until: int) -> Build:
    """A topic beside t that somebody reads up to an instant."""

    def build(fleet: Fleet, cluster: str, i: int) -> None:
        group(fleet, cluster, "a")
        fleet.topic(topic, 3, cluster=cluster)
        if i <= until:
            row = {"group": "g", "member_id": "a", "topic": topic}
            fleet.add("subscriptions", cluster=cluster, **row)

    return build


NOT_ONCE, ALWAYS = -1, len(INSTANTS)

CASES: dict[str, dict[str, Build]] = {
    "frequent-rebalances": {
        "fires": generations(0, 12, 24, 36, 48),
        "nearly": generations(0, 6, 12, 18, 23),
        "never": generations(7, 7, 7, 7, 7),
    },
    "stuck-rebalance": {
        "fires": being("Stable", *["CompletingRebalance"] * 2, *["PreparingRebalance"] * 2),
        "nearly": being("Stable", "PreparingRebalance", "Stable", "Stable", "PreparingRebalance"),
        "never": being(*["PreparingRebalance"] * 4, "Stable"),
    },
    "balance-worsens": {
        "fires": owned("aabb", "aabb", "aaab", "aaab", "aaab"),
        "nearly": owned(*["aaab"] * 5),
        "never": owned("aaab", "aaab", "aaab", "aabb", "aabb"),
    },
    "falls-behind": {
        "fires": committing(lambda i: i / 2),
        "nearly": committing(lambda i: i + 0.5),
        "never": committing(lambda i: i + i / 10),
    },
    "lag-seconds": {
        "fires": committing(lambda i: i + 0.5),
        "nearly": committing(lambda i: i + 1 - 599 / 21_600),
        "never": committing(lambda i: i + 1),
    },
    "abandoned-group": {
        "fires": manned_until(NOT_ONCE),
        "nearly": manned_until(1),
        "never": manned_until(ALWAYS),
    },
    "offsets-expire": {
        "fires": manned_until(1, kept_minutes=34 * 60),
        "nearly": manned_until(1),
        "never": manned_until(ALWAYS),
    },
    "records-expire": {
        "fires": keeping(12),
        "nearly": keeping(24),
        "never": keeping(12, "compact"),
    },
    "unread-topic": {
        "fires": reading("u", NOT_ONCE),
        "nearly": reading("u", 0),
        "never": reading("__own", NOT_ONCE),
    },
}

TOLD = {
    "frequent-rebalances": (
        *("info", "group g", 2.0, 1.0),
        "Group g rebalanced 48 times in 24.0 hours; the likeliest cause is: none seen.",
    ),
    "stuck-rebalance": (
        *("critical", "group g", 4.0, 4.0),
        "Group g is in PreparingRebalance, and was in a rebalance in each of the last 4 snapshots, "
        "for 18.0 hours.",
    ),
    "balance-worsens": (
        *("info", "group g", 1.0, 1.0),
        "The most loaded member of group g has 1 partition more than in the best assignment; in "
        "snapshot 20261121T000000Z it was 0.",
    ),
    "falls-behind": (
        *("info", "group g", 1.0, 1.0),
        "Group g falls behind on 1 partition, by 23.1 records a second in all; most on t-0, where "
        "its lag is 3000000.",
    ),
    "lag-seconds": (
        *("warning", "group g", 10_800.0, 3600.0),
        "What group g reads of t-0 was written 10800 seconds ago.",
    ),
    "abandoned-group": (
        *("info", "group g", 24.0, 20.0),
        "Group g has had no members for at least 24.0 hours.",
    ),
    "offsets-expire": (
        *("warning", "group g", 22.0, 24.0),
        "Group g has had no members for 12.0 hours: its offsets expire in 22.0 hours.",
    ),
    "records-expire": (
        *("warning", "group g", 0.75, 0.5),
        "Group g has yet to read records of t-0 that are 9.0 hours old, and the topic keeps them "
        "for 12.0 hours.",
    ),
    "unread-topic": (
        *("info", "topic u", 3.0, 1.0),
        "No group of cluster unread-topic-fires has subscribed to topic u in 24.0 hours, which has "
        "3 partitions.",
    ),
}

SETTINGS = AuditSettings(
    values=AuditSettings().values
    | {
        "offsets-expire": {**FINDINGS["offsets-expire"].levels, "retention_hours": 40.0},
    },
    groups=(
        GroupRule("often", "rules", {"frequent-rebalances": {"warning": 1.5}}),
        GroupRule("quiet", "rules", {"frequent-rebalances": {"info": None}}),
    ),
)


def with_rules(fleet: Fleet, cluster: str, i: int) -> None:
    for name in ("often", "quiet", "other"):
        group(fleet, cluster, "ab", name, generation=12 * i)


def fleets() -> Iterator[Fleet]:
    for i in range(len(INSTANTS)):
        fleet = Fleet()
        for finding, cases in CASES.items():
            for case, build in cases.items():
                build(fleet, f"{finding}-{case}", i)
        committing(lambda _: 0.5)(fleet, "idle", i)
        committing(lambda _: 0.5, members=False)(fleet, "idle-and-empty", i)
        with_rules(fleet, "rules", i)
        yield fleet


@pytest.fixture(scope="module")
def found(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> list[Any]:
    store = tmp_path_factory.mktemp("store")
    for instant, fleet in zip(INSTANTS, fleets(), strict=True):
        write_store(fleet.tables(), store, instant)
    before, now = (FleetSnapshot.read(spark, str(store), item) for item in INSTANTS[-2:])
    history = FleetHistory.read(spark, str(store))
    with audit_fleet(now, before, SETTINGS, history) as audit:
        assert not {name for name in PAST if name in audit.not_run}
        return audit.findings.collect()


PAST = [name for name, finding in FINDINGS.items() if isinstance(finding, PastFinding)]


def told(found: list[Any], cluster: str, finding: str) -> list[tuple[Any, ...]]:
    columns = ("severity", "subject", "measure", "threshold", "sentence")
    return [
        tuple(row[column] for column in columns)
        for row in found
        if (row["cluster"], row["finding"]) == (cluster, finding)
    ]


def test_every_finding_of_the_past_has_its_cases() -> None:
    assert PAST == [*CASES] == [*TOLD]


@pytest.mark.parametrize("finding", PAST)
class TestEach:
    """Three clusters a finding."""

    def test_it_fires(self, found: list[Any], finding: str) -> None:
        ((*most, measure, threshold, sentence),) = [
            (severity, subject, measure, threshold, sentence)
            for severity, subject, measure, threshold, sentence in told(
                found, f"{finding}-fires", finding
            )
        ]
        assert (*most, round(measure, 3), threshold, sentence) == TOLD[finding]

    def test_it_nearly_does(self, found: list[Any], finding: str) -> None:
        assert told(found, f"{finding}-nearly", finding) == []

    def test_it_must_not(self, found: list[Any], finding: str) -> None:
        assert told(found, f"{finding}-never", finding) == []


def test_a_group_that_reads_nothing_of_what_comes_is_abandoned_too(found: list[Any]) -> None:
    ((_, _, _, _, sentence),) = told(found, "idle", "abandoned-group")
    assert sentence == (
        "Group g has members, and committed nothing in 24.0 hours although records came on "
        "1 partition."
    )
    assert len(told(found, "idle-and-empty", "abandoned-group")) == 1


def test_levels_of_some_groups_are_their_own(found: list[Any]) -> None:
    of_rules = [row for row in found if row["cluster"] == "rules"]
    often = [row for row in of_rules if row["finding"] == "frequent-rebalances"]
    assert sorted((row["group"], row["severity"]) for row in often) == [
        ("often", "warning"),
        ("other", "info"),
    ]


def test_without_a_history_they_are_not_run(spark: SparkSession) -> None:
    fleet = Fleet()
    group(fleet, "c", "ab", generation=60)
    with audit_fleet(snapshot_of(spark, fleet.tables(), INSTANTS[-1])) as audit:
        assert {name for name in PAST if name in audit.not_run} == set(PAST)
        assert "there is no history" in audit.not_run["frequent-rebalances"]


def test_without_offsets_those_that_need_them_are_not_run(
    spark: SparkSession, tmp_path: Path
) -> None:
    for at, instant in enumerate(INSTANTS):
        fleet = Fleet()
        manned_until(NOT_ONCE)(fleet, "empty", at)
        tables = fleet.tables()
        write_store({name: tables[name] for name in tables if name != "offsets"}, tmp_path, instant)
    now = FleetSnapshot.read(spark, str(tmp_path), INSTANTS[-1])
    history = FleetHistory.read(spark, str(tmp_path))
    with audit_fleet(now, None, SETTINGS, history) as audit:
        assert {name for name in PAST if name in audit.not_run} == {
            *("falls-behind", "lag-seconds", "records-expire")
        }
        assert told(audit.findings.collect(), "empty", "abandoned-group")


@pytest.mark.parametrize("turned", [False, True])
def test_of_equally_late_partitions_the_last_by_name_is_told(
    spark: SparkSession, turned: bool
) -> None:
    rows = [("c", "g", "t", partition, 60.0, False) for partition in (0, 2, 1)]
    schema = "cluster string, `group` string, topic string, partition int, lag_seconds double, "
    consumption = spark.createDataFrame(rows[::-1] if turned else rows, schema + "at_least boolean")
    assert LAG_SECONDS.rows is not None
    worst = LAG_SECONDS.rows(consumption.coalesce(1)).first()
    assert worst is not None and worst["partition"] == 2
