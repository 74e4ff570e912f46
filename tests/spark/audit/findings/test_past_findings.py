"""Each finding that needs time where it fires, nearly does, and must not; all in one audit."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark import FleetHistory, FleetSnapshot
from spark.audit import AuditedStore
from spark.audit.finding import PastFinding
from spark.audit.findings.past import LAG_SECONDS
from spark.audit.known import probe
from spark.audit.past import Past
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings, GroupRule
from spark.fleet import Composition, Stored
from tests.spark.audit.findings.clusters import Cases
from tests.support.fleets import Fleet

INSTANTS = [
    *(f"20261121T{hour:02}0000Z" for hour in (0, 6, 12, 18)),
    "20261122T000000Z",
]
"""A day, seen five times."""

MILLION = 1_000_000

Build = Callable[[Fleet, str, int], None]
"""Adds a cluster to the fleet of an instant."""


def seen(
    owners: str | Sequence[str] = "ab", name: str = "g", **of_instants: Sequence[Any]
) -> Build:
    """A group that owns the partitions of topic t by the letters of its members.

    Owners may be those of each instant, and columns of groups have a value for each.
    """

    def build(fleet: Fleet, cluster: str, i: int) -> None:
        letters = owners if isinstance(owners, str) else owners[i]
        fleet.topic("t", max(len(letters), 1), cluster=cluster)
        members = {member: ["t"] for member in sorted(set(letters))}
        claims = [("t", number, owner) for number, owner in enumerate(letters)]
        facts = {column: values[i] for column, values in of_instants.items()}
        fleet.group(name, members, claims, cluster=cluster, **facts)

    return build


def committing(
    *committed: float, members: bool = True, keeping: int | None = None, policy: str = "delete"
) -> Build:
    """A topic that gets a million records between two instants, and what is committed of it.

    Of a group without members, its topic keeps records for `keeping` hours.
    """

    def build(fleet: Fleet, cluster: str, i: int) -> None:
        seen("a" if members else "")(fleet, cluster, i)
        row = {"cluster": cluster, "group": "g", "topic": "t", "partition": 0}
        offsets = {"committed_offset": int(committed[i] * MILLION), "end_offset": (i + 1) * MILLION}
        fleet.add("offsets", **row, **offsets)
        if keeping:
            settings = {"retention.ms": str(keeping * 3_600_000), "cleanup.policy": policy}
            for key, value in settings.items():
                of_topic = {"cluster": cluster, "scope": "topic", "name": "t"}
                fleet.add("configs", **of_topic, key=key, value=value)

    return build


def manned_until(last: int, kept_minutes: int | None = None) -> Build:
    """A group with members up to an instant, and none after it; how long brokers keep offsets."""

    def build(fleet: Fleet, cluster: str, i: int) -> None:
        states = ["Stable" if at <= last else "Empty" for at in range(len(INSTANTS))]
        seen("a" if i <= last else "", state=states)(fleet, cluster, i)
        if kept_minutes:
            row = {"scope": "broker", "name": "1", "key": "offsets.retention.minutes"}
            fleet.add("configs", cluster=cluster, **row, value=str(kept_minutes))

    return build


def reading(topic: str, until: int) -> Build:
    """A topic beside t that somebody reads up to an instant."""

    def build(fleet: Fleet, cluster: str, i: int) -> None:
        seen("a")(fleet, cluster, i)
        fleet.topic(topic, 3, cluster=cluster)
        if i <= until:
            row = {"group": "g", "member_id": "a", "topic": topic}
            fleet.add("subscriptions", cluster=cluster, **row)

    return build


NOT_ONCE, ALWAYS = -1, len(INSTANTS)
PREPARING, COMPLETING = "PreparingRebalance", "CompletingRebalance"


CASES = {
    "frequent-rebalances": Cases(
        *("info", "group g", 2.0, 1.0),
        "Group g rebalanced 48 times in 24.0 hours; the likeliest cause is: none seen.",
        fires=seen(generation=(0, 12, 24, 36, 48)),
        nearly=seen(generation=(0, 6, 12, 18, 23)),
        never=seen(generation=(7, 7, 7, 7, 7)),
    ),
    "stuck-rebalance": Cases(
        *("critical", "group g", 4.0, 4.0),
        "Group g is in PreparingRebalance, and was in a rebalance in each of the last 4 snapshots, "
        "for 18.0 hours.",
        fires=seen(state=("Stable", COMPLETING, COMPLETING, PREPARING, PREPARING)),
        nearly=seen(state=("Stable", PREPARING, "Stable", "Stable", PREPARING)),
        never=seen(state=(*[PREPARING] * 4, "Stable")),
    ),
    "balance-worsens": Cases(
        *("info", "group g", 1.0, 1.0),
        "The most loaded member of group g has 1 partition more than in the best assignment; in "
        "snapshot 20261121T000000Z it was 0.",
        fires=seen(("aabb", "aabb", "aaab", "aaab", "aaab")),
        nearly=seen("aaab"),
        never=seen(("aaab", "aaab", "aaab", "aabb", "aabb")),
    ),
    "falls-behind": Cases(
        *("info", "group g", 1.0, 1.0),
        "Group g falls behind on 1 partition, by 23.1 records a second in all; most on t-0, where "
        "its lag is 3,000,000.",
        fires=committing(0, 0.5, 1, 1.5, 2),
        nearly=committing(0.5, 1.5, 2.5, 3.5, 4.5),
        never=committing(0, 1.1, 2.2, 3.3, 4.4),
    ),
    "lag-seconds": Cases(
        *("warning", "group g", 10_800.0, 3600.0),
        "What group g reads of t-0 was written 10,800 seconds ago.",
        fires=committing(0.5, 1.5, 2.5, 3.5, 4.5),
        nearly=committing(*(i + 1 - 599 / 21_600 for i in range(5))),
        never=committing(1, 2, 3, 4, 5),
    ),
    "abandoned-group": Cases(
        *("info", "group g", 24.0, 20.0),
        "Group g has had no members for at least 24.0 hours.",
        fires=manned_until(NOT_ONCE),
        nearly=manned_until(1),
        never=manned_until(ALWAYS),
    ),
    "offsets-expire": Cases(
        *("warning", "group g", 22.0, 24.0),
        "Group g has had no members for 12.0 hours: its offsets expire in 22.0 hours.",
        fires=manned_until(1, kept_minutes=34 * 60),
        nearly=manned_until(1),
        never=manned_until(ALWAYS),
    ),
    "records-expire": Cases(
        *("warning", "group g", 0.75, 0.5),
        "Group g has yet to read records of t-0 that are 9.0 hours old, and the topic keeps them "
        "for 12.0 hours.",
        fires=committing(-0.5, 0.5, 1.5, 2.5, 3.5, members=False, keeping=12),
        nearly=committing(-0.5, 0.5, 1.5, 2.5, 3.5, members=False, keeping=24),
        never=committing(-0.5, 0.5, 1.5, 2.5, 3.5, members=False, keeping=12, policy="compact"),
    ),
    "unread-topic": Cases(
        *("info", "topic u", 3.0, 1.0),
        "No group of cluster {cluster} has subscribed to topic u in 24.0 hours, which has "
        "3 partitions.",
        fires=reading("u", NOT_ONCE),
        nearly=reading("u", 0),
        never=reading("__own", NOT_ONCE),
    ),
}

PAST = [name for name, finding in FINDINGS.items() if isinstance(finding, PastFinding)]

EXPIRE = {"offsets-expire": {**FINDINGS["offsets-expire"].levels, "retention_hours": 40.0}}
SETTINGS = AuditSettings(
    values=AuditSettings().values | EXPIRE,
    groups=(
        GroupRule("often", {"frequent-rebalances": {"warning": 1.5}}, cluster="rules"),
        GroupRule("quiet", {"frequent-rebalances": {"info": None}}, cluster="rules"),
    ),
)


UNSEEN: dict[str, dict[str, Any]] = {
    "unseen-streams": {"type": "streams", "state": "Stable"},
    "unseen-topics": {"state": "Stable", "hidden_topics": ["u"]},
    "unseen-group": {"state": "Unknown: broker 2 is down"},
}
"""Clusters with a group of which nothing tells what it reads."""

STATE = (
    *("compacted", "_schemas", "app-store-changelog", "app-by-key-repartition"),
    *("connect-configs", "prod-connect.offsets", "my_connect_cluster_status"),
)


def fleet_at(i: int) -> Fleet:
    """All clusters at an instant."""
    fleet = Fleet()
    for finding, cases in CASES.items():
        for cluster, add in cases.clusters(finding).items():
            add(fleet, cluster, i)
    committing(*[0.5] * 5)(fleet, "idle", i)
    committing(*[0.5] * 5, members=False)(fleet, "idle-and-empty", i)
    for cluster, facts in UNSEEN.items():
        reading("u", NOT_ONCE)(fleet, cluster, i)
        members = {"m": ["t"]} if "hidden_topics" in facts else {}
        fleet.group("s", members, cluster=cluster, **facts)
    seen("a")(fleet, "state", i)
    for topic in STATE:
        fleet.topic(topic, 1, cluster="state")
    policy = {"scope": "topic", "name": STATE[0], "key": "cleanup.policy", "value": "compact"}
    fleet.add("configs", cluster="state", **policy)
    for name in ("often", "quiet", "other"):
        seen(name=name, generation=range(0, 60, 12))(fleet, "rules", i)
    return fleet


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Path:
    store = tmp_path_factory.mktemp("store")
    for i, instant in enumerate(INSTANTS):
        fleet_at(i).store(store, instant)
    return store


@pytest.fixture(scope="module")
def found(spark: SparkSession, past: Path) -> list[Any]:
    """As the command finds it, with `--history`."""
    store = AuditedStore(spark, str(past), timedelta(days=1), pytest.fail)

    def audited(now: Composition, before: Composition | None, stored: Stored) -> list[Any]:
        fleet = FleetSnapshot.compose(spark, str(past), now)
        with store.audit(fleet, before, SETTINGS, stored) as audit:
            assert not {name for name in PAST if name in audit.not_run}
            counted = f"{len(INSTANTS)} snapshots since {INSTANTS[0]}"
            assert audit.looked_at() == f"History checked too: {counted}."
            return audit.findings.collect()

    return store.newest(None, audited)


def told(found: list[Any], cluster: str, finding: str) -> list[tuple[Any, ...]]:
    columns = ("severity", "subject", "measure", "threshold", "sentence")
    return [
        tuple(row[column] for column in columns)
        for row in found
        if (row["cluster"], row["finding"]) == (cluster, finding)
    ]


def test_every_finding_of_the_past_has_its_cases() -> None:
    assert [*CASES] == PAST


@pytest.mark.parametrize("finding", PAST)
def test_it_fires_there_alone(found: list[Any], finding: str) -> None:
    (row,) = told(found, f"{finding}-fires", finding)
    severity, subject, measure, *others = row
    assert (severity, subject, round(measure, 3), *others) == CASES[finding].told(finding)
    assert told(found, f"{finding}-nearly", finding) == []
    assert told(found, f"{finding}-never", finding) == []


def test_a_group_that_reads_nothing_of_what_comes_is_abandoned_too(found: list[Any]) -> None:
    ((_, _, _, _, sentence),) = told(found, "idle", "abandoned-group")
    assert sentence == (
        "Group g has members, and committed nothing in 24.0 hours although records came on "
        "1 partition."
    )
    assert len(told(found, "idle-and-empty", "abandoned-group")) == 1
    # which reads too slowly if anybody does
    counts = [len(told(found, name, "falls-behind")) for name in ("idle", "idle-and-empty")]
    assert counts == [1, 0]


def test_levels_of_some_groups_are_their_own(found: list[Any]) -> None:
    of_rules = [row for row in found if row["cluster"] == "rules"]
    often = [row for row in of_rules if row["finding"] == "frequent-rebalances"]
    assert sorted((row["group"], row["severity"]) for row in often) == [
        ("often", "warning"),
        ("other", "info"),
    ]


def test_without_offsets_those_that_need_them_are_not_run(spark: SparkSession, past: Path) -> None:
    """Groups that read nothing of what comes aren't known then."""
    now = FleetSnapshot.read(spark, str(past), INSTANTS[-1])
    history = FleetHistory.read(spark, str(past))
    tables = {name: rows for name, rows in history.tables.items() if name != "offsets"}
    without = replace(history, tables=tables)
    known = probe(now, None, SETTINGS, without).names
    assert {name for name in PAST if not known.issuperset(FINDINGS[name].needs)} == {
        *("falls-behind", "lag-seconds", "records-expire")
    }
    with Past.of(without, SETTINGS.window) as frames:
        assert frames["untouched"].isEmpty()


@pytest.mark.parametrize("turned", [False, True])
def test_of_equally_late_partitions_the_last_by_name_is_told(
    spark: SparkSession, turned: bool
) -> None:
    rows = [("c", "g", "t", partition, 60.0, False) for partition in (0, 2, 1)]
    schema = "cluster string, `group` string, topic string, partition int, lag_seconds double, "
    consumption = spark.createDataFrame(rows[::-1] if turned else rows, schema + "at_least boolean")
    worst = LAG_SECONDS.rows(consumption.coalesce(1)).first()
    assert worst["partition"] == 2


@pytest.mark.parametrize("cluster", [*UNSEEN, "state"])
def test_no_topic_is_called_unread_that_a_group_unseen_may_read_or_a_program_needs(
    found: list[Any], cluster: str
) -> None:
    assert told(found, cluster, "unread-topic") == []


def test_a_group_with_hidden_topics_is_not_judged(found: list[Any]) -> None:
    ((_, _, _, _, sentence),) = told(found, "unseen-topics", "invalid-group")
    why = "1 topic (u) hidden from the user that took the snapshot: grant Describe on them"
    assert sentence == f"Group s can't be judged: {why}."
