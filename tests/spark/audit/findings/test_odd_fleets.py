"""Stores that lack something, and rows that make no sense: an audit goes on with the others."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark.audit.finding import ALL_GROUPS, SEVERITIES
from spark.audit.fleet_audit import MISSING_FACT
from spark.audit.registry import FINDINGS
from spark.audit.rules import Copartitioned, Timeouts
from spark.audit.thresholds import AuditSettings
from spark.audit.verdict import verdict
from spark.fleet.schemas import TABLES
from tests.spark.audit.findings.audited import OF_NOW, Audited, audited
from tests.support.fleets import Fleet

UNTOLD = "the snapshot has no settings of brokers and topics (table configs)"

LONGEST = 2**63 - 1

WHOLE_STAGE = "spark.sql.codegen.wholeStage"
"""Without it Spark computes more of what is left out in the end, as for plans that are too large:
where a condition is null it looks at the next one."""

ZEROES = AuditSettings(
    values={
        name: {"info": 9.0 if finding.below else finding.lowest, "warning": None, "critical": None}
        | dict.fromkeys(finding.settings, 0.0)
        for name, finding in FINDINGS.items()
    },
    timeouts=(Timeouts("*", session_timeout_ms=1, heartbeat_interval_ms=1),),
    copartitioned=(Copartitioned(("t", "nowhere", "it's \\ here")),),
)
"""With these everything is told that can be measured at all."""

HOSTILE = '"><script>\n|=\'"\\\x1b[31m\u202e%_!{group} \U0001f600'


def odd_fleet(end: int) -> Fleet:
    """Each group has something that can't be; but for `sound`, where a is to be told of."""
    fleet = Fleet()
    for number, (leader, replicas) in enumerate([(7, [7, 8]), (-1, []), (None, None), (7, [7])]):
        facts = {"leader": leader, "replicas": replicas, "isr": [], "leader_rack": ""}
        fleet.add("partitions", topic="t", partition=number, **facts)
    fleet.topic("twice", (0, 0, 1)).topic("gaps", (0, 5)).topic("minus", (-1, 0))
    fleet.topic("__consumer_offsets", (0, 0, 3)).add(
        "partitions", topic="__consumer_offsets", partition=1, leader=5
    )
    fleet.add("brokers", broker=1).add("brokers", broker=1, rack="")
    two = {"a": ["t"], "b": ["t"]}
    fleet.group("sound", two, [("t", p, "a") for p in range(4)], state="Stable", strategy="range")
    fleet.group("topic-twice", {"a": ["twice"], "b": ["twice"]}, [("twice", 1, "a")])
    fleet.group("topic-gaps", {"a": ["gaps"]}, [("gaps", 5, "a")])
    unread = [("gaps", 5, "a"), ("twice", 1, "a"), ("minus", 0, "a"), ("minus", -1, "a")]
    fleet.group("owns-unread", {"a": ["t"], "b": ["t"]}, unread, strategy="")
    fleet.group("beyond", two, [("t", 99, "a"), ("t", 99, "b"), ("t", -5, "a")])
    fleet.group("unknown-topic", {"a": ["nowhere"]}, [("nowhere", 0, "a"), ("nowhere", 0, "b")])
    fleet.group("reads-nothing", {"a": [], "b": []}, [("t", 0, "a", 1), ("t", 0, "a", 2)])
    fleet.group("strangers", {"a": ["t"]}, [("t", 0, "x"), ("t", 0, "y"), ("t", 1, None)])
    fleet.group("stranger-reads", {"a": ["t"]}).add(
        "subscriptions", group="stranger-reads", member_id="x", topic="t"
    )
    fleet.group("member-twice", two, [("t", 0, "a")]).add(
        "members", group="member-twice", member_id="a", rack=""
    )
    fleet.group("listed-twice", two, [("t", 0, "a")], state="Stable").add(
        "groups", group="listed-twice", state="Dead"
    )
    fleet.group("claims-alone", {}, [("t", 0, "a", 0), ("t", 0, "b", 0)])
    fleet.group("nothing", {})
    fleet.group(HOSTILE, {HOSTILE: ["t"], "b": ["t"]}, [("t", p, HOSTILE) for p in range(4)])
    for group in ("sound", "owns-unread", "nothing", HOSTILE):
        _odd_offsets(fleet, group, end)
    return fleet


def _odd_offsets(fleet: Fleet, group: str, end: int) -> None:
    for topic in ("t", "gaps", "nowhere"):
        of_topic = {"group": group, "topic": topic}
        fleet.add("offsets", **of_topic, partition=0, committed_offset=-1, end_offset=end)
        fleet.add("offsets", **of_topic, partition=1, lag=LONGEST)
        fleet.add("offsets", **of_topic, partition=2, lag=LONGEST)
        fleet.add("offsets", **of_topic, partition=2, lag=-3)
        fleet.add("offsets", **of_topic, partition=3)
        fleet.add("offsets", **of_topic, partition=99, committed_offset=9, end_offset=5)
        fleet.add("offsets", **of_topic, partition=-1, lag=0)


@pytest.fixture(scope="module")
def odd(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Audited:
    before = odd_fleet(end=0)
    before.rows["members"] = [row | {"member_id": "x"} for row in before.rows["members"]]
    before.rows["assignments"].reverse()
    store = tmp_path_factory.mktemp("store")
    spark.conf.set(WHOLE_STAGE, "false")
    try:
        return audited(spark, store, odd_fleet(end=LONGEST).tables(), before.tables(), ZEROES)
    finally:
        spark.conf.unset(WHOLE_STAGE)


def test_all_are_run_on_odd_rows(odd: Audited) -> None:
    assert odd.not_run.keys() == {
        *("cross-rack-reads", "unbalanced-weight", "hot-partition", "replicas-at-minimum"),
        *("client-defect", "uneven-hosts", "unclean-election", "broker-settings"),
        "offset-before-start",
    }
    assert odd.groups == {"empty": 2, "invalid": 6, "ok": 6}


def test_what_is_told_of_odd_rows_is_whole(odd: Audited) -> None:
    for row in odd.findings:
        assert row["severity"] in SEVERITIES
        assert math.isfinite(row["measure"]) and row["sentence"] and row["subject"], row
        assert "NaN" not in row["sentence"] and "?" not in row["sentence"], row


def test_a_sound_group_among_odd_ones(odd: Audited) -> None:
    result = {row["finding"] for row in odd.findings if row["group"] == "sound"}
    assert {"unbalanced", "idle-members", "eager-rebalances", "session-timeout"} <= result


def test_groups_that_can_not_be_judged_are_told_with_the_reason(odd: Audited) -> None:
    reports = {row["group"]: row["sentence"] for row in odd.of("c", "invalid-group")}
    assert reports.keys() == {
        *("topic-twice", "topic-gaps", "stranger-reads", "member-twice", "listed-twice"),
        "unknown-topic",
    }
    assert reports["member-twice"] == (
        "Group member-twice can't be judged: two members have the id 'a'."
    )


def test_names_are_told_as_they_are(odd: Audited) -> None:
    (row,) = (row for row in odd.of("c", "unbalanced") if row["group"] == HOSTILE)
    assert row["subject"] == f"group {HOSTILE}"
    assert row["sentence"].startswith(f"One member of group {HOSTILE} has 4 ")


def test_a_fleet_without_members(spark: SparkSession, tmp_path: Path) -> None:
    """Of required tables alone, and empty: what isn't there is named."""
    output = audited(spark, tmp_path, Fleet().tables())
    assert (output.findings, output.groups, output.worst) == ([], {}, [])
    assert output.not_run == {
        name: "; ".join(MISSING_FACT[need] for need in needs)
        for name, finding in OF_NOW.items()
        if (
            needs := [
                need for need in finding.needs if need not in ("previous.offsets", ALL_GROUPS)
            ]
        )
    }
    assert verdict(output.counts, output.groups, output.worst) == (
        "0 groups could be judged: the snapshot has no groups. Check that what fills the store "
        "still reaches the clusters."
    )


def test_a_fleet_of_which_half_is_known(spark: SparkSession, tmp_path: Path) -> None:
    """What isn't run says what lacks, and only that; the others are run."""
    now, before = Fleet(), Fleet()
    for number in range(4):
        facts = {"leader": 1, "replicas": [1, 2]}
        now.add("partitions", topic="t", partition=number, **facts)
    claims = [("t", number, "a", 1) for number in range(4)]
    now.group("g", {"a": ["t"], "b": ["t"]}, claims, generations={"b": 2})
    for row in now.rows["members"]:
        row["rack"] = "east"
    now.add("offsets", group="g", topic="t", partition=0, end_offset=5)
    before.topic("t", 4).group("g", {"a": ["t"], "b": ["t"]}, claims)
    output = audited(spark, tmp_path, now.tables("groups"), before.tables("groups"))
    unweighed = "the snapshot has no weights of partitions (column partitions.weight)"
    assert output.not_run == {
        "unbalanced-weight": unweighed,
        "hot-partition": unweighed,
        "uneven-hosts": "the snapshot has no hosts of members (column members.host)",
        "empty-broker": "the snapshot has no brokers (table brokers)",
        "offline-if-broker-fails": "the snapshot has no replicas in sync (column partitions.isr)",
        "replicas-at-minimum": "the snapshot has no minimum of replicas in sync (column "
        "partitions.min_insync_replicas)",
        "unclean-election": UNTOLD,
        "broker-settings": UNTOLD,
        "range-skew": "the snapshot has no strategies (column groups.strategy)",
        "eager-rebalances": "the snapshot has no strategies (column groups.strategy)",
        "unequal-topics": "no co-partitioned topics are configured ([[copartitioned]])",
        "lag-on-few-partitions": "the snapshot has no lags (table offsets)",
        "lag-on-one-member": "the snapshot has no lags (table offsets)",
        "stalled-partitions": "the snapshot has no lags (table offsets); the earlier snapshot "
        "has no table offsets",
        "offset-beyond-end": "the snapshot has no lags (table offsets)",
        "offset-before-start": "the snapshot has no lags (table offsets); the snapshot has no "
        "starts of logs (column offsets.start_offset)",
        "cross-rack-reads": "the snapshot has no racks of leaders (column partitions.leader_rack)",
        "coordinator-load": "the snapshot has no coordinators (column groups.coordinator), and "
        "no leaders of topic __consumer_offsets",
        "under-replicated": "the snapshot has no replicas in sync (column partitions.isr)",
        "client-defect": "the snapshot has no strategies (column groups.strategy); no "
        "versions of clients are configured (client_version in [consumers])",
        "session-timeout": "no time-outs are configured ([[timeouts]])",
        "session-timeout-outside": "no time-outs are configured ([[timeouts]])",
        "restart-outlasts-session": "no time-outs are configured ([[timeouts]])",
        "poll-interval": "no time-outs are configured ([[timeouts]])",
    }
    assert sorted((row["finding"], row["subject"]) for row in output.findings) == [
        ("idle-members", "group g"),
        ("one-leader", "member a"),
        ("stale-claims", "member a"),
        ("unbalanced", "group g"),
    ]


def test_each_need_has_its_sentence() -> None:
    needs = {need for finding in FINDINGS.values() for need in finding.needs}
    assert needs <= MISSING_FACT.keys()
    assert {name for name, table in TABLES.items() if not table.required} == {
        *("groups", "offsets", "brokers", "configs")
    }
