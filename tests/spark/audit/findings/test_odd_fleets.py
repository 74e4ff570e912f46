"""Stores that lack something, and rows that make no sense: an audit goes on with the others."""

import math
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from spark.audit.finding import ALL_GROUPS, SEVERITIES
from spark.audit.fleet_audit import MISSING_FACT
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings, Copartitioned
from spark.settings import GroupConsumers
from tests.spark.audit.findings.audited import OF_NOW, Audited, audited
from tests.support.fleets import Fleet
from tests.support.odd_groups import odd_groups

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
    timeouts=(GroupConsumers("*", {"session_timeout_ms": 1, "heartbeat_interval_ms": 1}),),
    copartitioned=(Copartitioned(("t", "nowhere", "it's \\ here")),),
)
"""With these everything is told that can be measured at all."""

HOSTILE = '"><script>\n|=\'"\\\x1b[31m\u202e%_!{group} \U0001f600'


def odd_fleet(end: int) -> Fleet:
    """Groups of every odd kind, and `sound`, where a is to be told of; odd leaders and offsets."""
    fleet = odd_groups().add("brokers", broker=1).add("brokers", broker=1, rack="")
    odd_leaders = iter([(7, [7, 8]), (-1, []), (None, None), (7, [7])])
    for row in fleet.rows["partitions"]:
        if (row["cluster"], row["topic"]) == ("c", "t"):
            leader, replicas = next(odd_leaders)
            row |= {"leader": leader, "replicas": replicas, "isr": [], "leader_rack": ""}
    two = {"a": ["t"], "b": ["t"]}
    fleet.group("sound", two, [("t", p, "a") for p in range(4)], state="Stable", strategy="range")
    fleet.group(HOSTILE, {HOSTILE: ["t"], "b": ["t"]}, [("t", p, HOSTILE) for p in range(4)])
    fleet.group("reads-nothing", {"a": [], "b": []}, [("t", 0, "a", 1), ("t", 0, "a", 2)])
    for group in ("sound", "claims", "empty", HOSTILE):
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
        *("unbalanced-weight", "hot-partition", "replicas-at-minimum", "client-defect"),
        *("uneven-hosts", "unclean-election", "broker-settings", "offset-before-start"),
        "writes-refused",
    }
    others = {"empty": 2, "invalid": 25, "rebalancing": 1, "unsupported": 5}
    assert odd.groups == others | {"inferred": 1, "ok": 21}


def test_what_is_told_of_odd_rows_is_whole(odd: Audited) -> None:
    for row in odd.findings:
        assert row["severity"] in SEVERITIES
        assert math.isfinite(row["measure"]) and row["sentence"] and row["subject"], row
        sentence = row["sentence"].replace(str(row["group"]), "")
        assert "NaN" not in sentence and "?" not in sentence, row


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
    lacks = {
        *("partitions.weight", "partitions.isr", "partitions.min_insync_replicas"),
        *("partitions.leader_rack", "members.host", "groups.strategy", "brokers", "configs"),
        *("copartitioned", "lag", "previous.offsets", "start", "coordinators"),
        *("client_version", "timeouts"),
    }
    assert output.not_run == {
        name: "; ".join(MISSING_FACT[need] for need in finding.needs if need in lacks)
        for name, finding in OF_NOW.items()
        if lacks & {*finding.needs}
    }
    assert output.not_run["stalled-partitions"] == (
        "the snapshot has no lags (table offsets); the earlier snapshot has no table offsets"
    )
    assert sorted((row["finding"], row["subject"]) for row in output.findings) == [
        ("idle-members", "group g"),
        ("one-leader", "member a"),
        ("stale-claims", "member a"),
        ("unbalanced", "group g"),
    ]
