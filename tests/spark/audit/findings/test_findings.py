"""Each finding where it fires, where it nearly does, and where it must not; all in one audit."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import astuple

import pytest
from pyspark.sql import SparkSession

from spark.audit.cheapest_cure import CURES as OF_ASSIGNORS
from spark.audit.finding import COLUMNS, SEVERITIES, GroupFinding
from spark.audit.registry import FINDINGS
from spark.audit.rules import Copartitioned, GroupRule, Timeouts
from spark.audit.thresholds import AuditSettings
from spark.audit.verdict import verdict
from tests.spark.audit.findings import (
    cases_of_balance,
    cases_of_brokers,
    cases_of_lag,
    cases_of_owners,
    cases_of_placement,
    cases_of_settings,
    cases_of_unjudged,
)
from tests.spark.audit.findings.audited import OF_NOW, Audited, audited
from tests.spark.audit.findings.place import Fleets, TableStore, Told

CASES = {
    **cases_of_balance.CASES,
    **cases_of_owners.CASES,
    **cases_of_lag.CASES,
    **cases_of_brokers.CASES,
    **cases_of_placement.CASES,
    **cases_of_settings.CASES,
    **cases_of_unjudged.CASES,
}

CURES = {"unbalanced": OF_ASSIGNORS["cooperative-sticky"]}
"""Advice that is a group's own."""

NEW_PROTOCOL = ("3Fg5kQbRT9eWb1l2xYwZ0A", "Qm7sVtL0R2yJ8cN4aXhE1w")
"""Members' ids as the broker makes them (KIP-848)."""

RULES = (
    GroupRule("quiet-*", "rules", {"unread-partitions": {"warning": None}}),
    GroupRule("*-strict", "rules", {"unread-partitions": {"critical": 2.0}}),
)
TIMEOUTS = (
    Timeouts("slow-?", "rules", session_timeout_ms=29_000, heartbeat_interval_ms=10_000),
    Timeouts("*", "rules", 5_000, 10_000, max_poll_interval_ms=10, processing_time_ms=10),
)
COPARTITIONED = (
    Copartitioned(("t", "u"), match="*-strict", cluster="rules"),
    Copartitioned(("t", "v"), match="pay-*", cluster="rules"),
)
SETTINGS = AuditSettings(
    groups=RULES,
    timeouts=cases_of_settings.TIMEOUTS + TIMEOUTS,
    copartitioned=cases_of_settings.COPARTITIONED + COPARTITIONED,
    consumers=cases_of_settings.CONSUMERS,
)


@pytest.fixture(scope="module")
def said(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Audited:
    fleets = Fleets()
    for finding, cases in CASES.items():
        for case in ("fires", "nearly", "never"):
            getattr(cases, case)(TableStore(f"{finding}-{case}", fleets))
    _new_protocol(TableStore("new-protocol", fleets))
    _moving(TableStore("moving", fleets))
    _unsupported(TableStore("others", fleets))
    _of_known_type(TableStore("known-type", fleets))
    _ranged_by_broker(TableStore("by-broker", fleets))
    _workers(TableStore("connect", fleets))
    _planned(TableStore("planned", fleets))
    _nobody_there(TableStore("nobody-there", fleets))
    _nothing_to_read(TableStore("nothing-to-read", fleets))
    for cluster in ("rules", "elsewhere"):
        _with_rules(TableStore(cluster, fleets))
    cases_of_unjudged.listed(1)(TableStore(cases_of_unjudged.RAISES, fleets))
    store = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patched:
        failing = cases_of_unjudged.judged_but_for_two
        patched.setattr("spark.audit.fleet_audit.evaluate_groups", failing)
        return audited(spark, store, fleets.now.tables(), fleets.before.tables(), SETTINGS)


def _new_protocol(place: TableStore) -> None:
    """A group of the new protocol that deals by range, as eager groups do."""
    place.topic("t", 200)
    a, b = NEW_PROTOCOL
    claims = [("t", number, (a, b)[number % 2]) for number in range(200)]
    place.group({a: ["t"], b: ["t"]}, claims, strategy="range")


def _ranged_by_broker(place: TableStore) -> None:
    """A group of the new protocol whose broker deals four topics out by range."""
    topics = [f"t{number}" for number in range(4)]
    for topic in topics:
        place.topic(topic, 1)
    claims = [(topic, 0, "a") for topic in topics]
    place.group({"a": topics, "b": topics}, claims, type="consumer", strategy="range")


def _moving(place: TableStore) -> None:
    """A group that is rebalancing: nothing of what it seems to own is so."""
    place.topic("t", 2)
    claims = [("t", 0, "a", 3), ("t", 0, "b", 3), ("t", 1, "gone", 2)]
    place.group({"a": ["t"], "b": ["t"]}, claims, state="PreparingRebalance", strategy="range")


def _unsupported(place: TableStore) -> None:
    """Groups that aren't consumer groups, in a state that no consumer group should be in."""
    place.topic("t", 400)
    members = {"a": ["t"], "b": ["t"], "c": ["t"]}
    claims = [("t", 0, "a", 3), ("t", 0, "b", 3), ("t", 1, "gone", 2)]
    claims += [("t", number, "c", 2) for number in range(3, 400)]
    kinds = {
        **{"tasks": ("classic", "stream"), "told-by-its-strategy": (None, "stream")},
        **{"shared": ("share", "range"), "streams": ("streams", None), "registry": ("other", "v0")},
    }
    for name, (kind, strategy) in kinds.items():
        place.group(members, claims, name=name, type=kind, strategy=strategy)
        old = {"x": ["t"], "y": ["t"]}
        before = place.fleets.before
        before.group(name, old, [("t", 0, "x")], cluster="others", type=kind, strategy=strategy)
        for fleet in (before, place.fleets.now):
            offset = 5 if fleet is before else 50_000
            at = {"cluster": "others", "group": name, "topic": "t", "partition": 0}
            fleet.add("offsets", **at, committed_offset=1, end_offset=offset)


def _of_known_type(place: TableStore) -> None:
    """The type counts, whatever the ids of members look like."""
    place.topic("t", 200)
    for name, ids, kind in (
        ("classic", NEW_PROTOCOL, "classic"),
        ("consumer", ("a", "b"), "consumer"),
    ):
        claims = [("t", number, ids[number % 2]) for number in range(200)]
        members = {member: ["t"] for member in ids}
        place.group(members, claims, name=name, type=kind, strategy="range")


def _workers(place: TableStore) -> None:
    """Connect's workers, whose tasks no broker leads, and a group of consumers like them."""
    place.topic("workers/sink", 6)
    place.topic("t", 6, leader=[1, 2] * 3)
    for name, topic, kind in (("workers", "workers/sink", "connect"), ("g", "t", "classic")):
        claims = [(topic, number, "a") for number in range(6)]
        place.group({"a": [topic], "b": [topic]}, claims, name=name, type=kind)


def _planned(place: TableStore) -> None:
    place.topic("t", 6)
    members = {name: ["t"] for name in ("a", "b", "c")}
    claims = [("t", number, "ab"[number // 4]) for number in range(6)]
    place.group(members, claims, strategy="cooperative-evenfleet-plan")


def _nobody_there(place: TableStore) -> None:
    place.topic("t", 2)
    place.group({}, state="Empty")
    for number, offset in ((0, 100), (1, 101)):
        result = {"committed_offset": offset, "end_offset": 100, "lag": 0}
        place.fleets.now.add("offsets", **place.entry("t", number), **result)


def _nothing_to_read(place: TableStore) -> None:
    """A worker of Connect's without connectors, and a member of a topic that doesn't exist."""
    place.topic("t", 1)
    place.group({"worker": []}, name="connect", type="connect")
    place.group({"a": ["no-topic"]}, name="no-topic")
    place.group({"a": ["t"], "b": ["no-topic"]}, [("t", 0, "a")], name="both")


def _with_rules(place: TableStore) -> None:
    """Groups of two topics that leave two partitions of t alone."""
    place.topic("t", 2)
    place.topic("u", 1)
    place.topic("v", 1)
    for name in ("quiet-strict", "pay-strict", "slow-1", "slow-10"):
        place.group({"a": ["t", "u", "v"]}, [("u", 0, "a"), ("v", 0, "a")], name=name)


def test_each_finding_has_its_cases() -> None:
    assert list(OF_NOW) == sorted(CASES, key=list(OF_NOW).index)


def test_all_are_run(said: Audited) -> None:
    assert said.not_run == {}


@pytest.mark.parametrize("finding", OF_NOW)
def test_it_fires(said: Audited, finding: str) -> None:
    """Once, with what it has measured, and what that has passed."""
    (row,) = said.of(f"{finding}-fires", finding)
    report = CASES[finding].told
    assert astuple(report) == astuple(
        Told(
            *(row["severity"], row["subject"], row["measure"], row["threshold"]),
            row["sentence"].replace(row["cluster"], "{cluster}"),
            row["group"],
        )
    )
    assert (*row.__fields__,) == COLUMNS
    assert row["advice"] == (CURES.get(finding) or FINDINGS[finding].advice)


@pytest.mark.parametrize("case", ["nearly", "never"])
@pytest.mark.parametrize("finding", OF_NOW)
def test_it_does_not_fire(said: Audited, finding: str, case: str) -> None:
    assert said.of(f"{finding}-{case}", finding) == []


def test_members_of_the_new_protocol_stop_only_for_what_moves(said: Audited) -> None:
    assert said.of("new-protocol", "eager-rebalances") == []


def test_a_group_whose_broker_assigns_is_told_what_its_members_can_set(said: Audited) -> None:
    """partition.assignment.strategy has no effect there: range is the broker's."""
    advice = {
        row["finding"]: row["advice"] for row in said.findings if row["cluster"] == "by-broker"
    }
    for finding in ("unbalanced", "range-skew"):
        assert "group.remote.assignor of all members to uniform" in advice[finding]


def test_workers_get_advice_of_their_own(said: Audited) -> None:
    """Of what is found about consumers as well; and a task isn't a partition without a leader."""
    result = [row for row in said.findings if row["cluster"] == "connect"]
    reports = {(row["group"], row["finding"]): row["advice"] for row in result}
    for finding in ("unbalanced", "idle-members"):
        assert reports["g", finding] == (CURES.get(finding) or FINDINGS[finding].advice)
        assert reports["workers", finding] == FINDINGS[finding].advice_to_connect
        assert reports["g", finding] != reports["workers", finding]
    assert len(result) == 4


def test_a_group_that_follows_a_plan_is_told_to_get_a_new_one(said: Audited) -> None:
    result = {r["finding"]: r["advice"] for r in said.findings if r["cluster"] == "planned"}
    assert result.keys() == {"unbalanced", "idle-members"}
    assert all("evenfleet enforce" in advice for advice in result.values())
    assert not any("sticky" in advice for advice in result.values())


def test_an_empty_group_goes_on_beyond_the_end_when_consumers_come_back(said: Audited) -> None:
    (result,) = said.of("nobody-there", "offset-beyond-end")
    assert (result["severity"], result["subject"]) == ("critical", "topic t")
    assert "on 1 partition of topic t: t-1 is 1 record beyond 100, at 101" in result["sentence"]


def test_who_reads_nothing_that_is_there_is_not_spare(said: Audited) -> None:
    """A worker of Connect's without connectors, and members of a topic that doesn't exist."""
    assert said.of("nothing-to-read", "spare-members") == []


def test_advice_for_consumers_is_never_given_to_workers() -> None:
    """Of findings that Connect's workers can have: those of strategies and lags they can't."""
    not_theirs = ("strategy", "static", "instance.id", "session.timeout", "cooperative-sticky")
    of_consumers = {"groups.strategy", "lag", "timeouts", "copartitioned", "members.rack"}
    theirs = [
        finding
        for finding in FINDINGS.values()
        if isinstance(finding, GroupFinding) and not of_consumers.intersection(finding.needs)
    ]
    assert len(theirs) > 10
    for finding in theirs:
        advice = finding.advice_to_connect or finding.advice
        if finding.name not in ("one-leader", "owner-not-subscribed"):
            sentences = advice.replace("Workers can't have static ids", "")
            assert not any(word in sentences for word in not_theirs), finding.name


def test_a_type_that_is_told_is_not_guessed(said: Audited) -> None:
    assert [row["group"] for row in said.of("known-type", "eager-rebalances")] == ["classic"]


def test_nothing_is_said_of_groups_that_are_not_consumer_groups(said: Audited) -> None:
    """Nor do they count as faulty."""
    assert [row["finding"] for row in said.findings if row["cluster"] == "others"] == []
    assert said.groups["unsupported"] == 5
    assert said.kinds == {"connect": 2, "other": 1, "share": 1, "streams": 3}


def test_nothing_is_said_of_a_group_whose_ownership_is_on_its_way(said: Audited) -> None:
    assert [row["finding"] for row in said.findings if row["cluster"] == "moving"] == []


def test_a_finding_that_raises_ends_no_audit(said: Audited) -> None:
    """It is the group's own trouble: nothing else is told of it."""
    (row,) = (row for row in said.findings if row["cluster"] == cases_of_unjudged.RAISES)
    assert (row["finding"], row["severity"], row["group"]) == ("failed-group", "warning", "g")
    assert "solving it failed: TypeError: " in row["sentence"]


def test_rules_for_groups(said: Audited) -> None:
    """The first that matches counts, in its clusters alone; `never` switches a level off."""
    of_rules = {
        (row["cluster"], row["group"]): (row["severity"], row["threshold"])
        for cluster in ("rules", "elsewhere")
        for row in said.of(cluster, "unread-partitions")
    }
    assert of_rules == {
        ("rules", "pay-strict"): ("critical", 2),
        ("rules", "slow-1"): ("warning", 1),
        ("rules", "slow-10"): ("warning", 1),
        **{
            ("elsewhere", group): ("warning", 1)
            for group in ("quiet-strict", "pay-strict", "slow-1", "slow-10")
        },
    }


def test_timeouts_for_groups(said: Audited) -> None:
    """The first rule that matches a group gives all of its time-outs; a ? is one character."""
    result = {
        (row["group"], row["finding"]): (row["severity"], row["measure"], row["threshold"])
        for finding in ("session-timeout", "poll-interval")
        for row in said.of("rules", finding)
    }
    short = {
        (group, finding): (severity, measure, threshold)
        for group in ("quiet-strict", "pay-strict", "slow-10")
        for finding, severity, measure, threshold in (
            ("session-timeout", "critical", 0.5, 1),
            ("poll-interval", "warning", 1, 1.1),
        )
    }
    assert result == {("slow-1", "session-timeout"): ("warning", 2.9, 3), **short}
    assert said.of("elsewhere", "session-timeout") == []


def test_each_set_of_joined_topics_counts(said: Audited) -> None:
    result = Counter(
        (row["cluster"], row["group"], row["subject"])
        for row in said.findings
        if row["finding"] == "unequal-topics" and row["cluster"] in ("rules", "elsewhere")
    )
    assert result == Counter(
        [
            ("rules", "quiet-strict", "topics t, u"),
            ("rules", "pay-strict", "topics t, u"),
            ("rules", "pay-strict", "topics t, v"),
        ]
    )


def test_counts(said: Audited) -> None:
    """A row a finding, in the registry's order; of all severities, the worst first."""
    result = Counter((row["finding"], row["severity"]) for row in said.findings)
    assert said.counts == [
        {"finding": name, **{severity: result[name, severity] for severity in reversed(SEVERITIES)}}
        for name in OF_NOW
    ]
    assert [list(row) for row in said.counts] == [["finding", *reversed(SEVERITIES)]] * len(OF_NOW)


def test_groups(said: Audited) -> None:
    """Those that are judged, 219 of them for coordinators; those that can't be."""
    ok = len(CASES) * 3 - 14 * 3 - 3 + 1 + 2 * 4 + 2 + 2 + 50 + 10 + 49 + 10 + 50 + 50
    ok += (
        1 + 3 + 1
    )  # one follows a plan, three have nothing to read, one is dealt out by its broker
    ok -= 4  # two of those that can't be judged are invalid, one is failed, one is moving
    others = {"empty": 1, "failed": 2, "unsupported": 5, "invalid": 2, "rebalancing": 2}
    assert said.groups == others | {"ok": ok}


def test_the_worst_are_the_most_severe_and_then_the_farthest_past_their_threshold(
    said: Audited,
) -> None:
    def rank(row: dict[str, object]) -> tuple[float, ...]:
        measure, threshold = float(str(row["measure"])), float(str(row["threshold"]))
        below = FINDINGS[str(row["finding"])].below
        past = measure / threshold
        if below:
            past = 1 / past if past > 0 else math.inf
        return (-SEVERITIES.index(str(row["severity"])), -past)

    names = ("finding", "cluster", "group", "subject")
    expected = sorted(
        (row.asDict() for row in said.findings),
        key=lambda row: (*rank(row), *(row[name] or "" for name in names)),
    )
    assert said.worst == expected[:25]


def test_verdict(said: Audited) -> None:
    result = Counter(row["severity"] for row in said.findings)
    judged = said.groups["ok"]
    assert verdict(said.counts, said.groups, said.worst) == (
        f"{result['critical']} critical findings and {result['warning']} warnings in {judged} "
        f"groups: the fleet is in trouble. Start with {said.worst[0]['finding']}. Not judged: "
        "1 empty, 2 rebalancing, 2 invalid, 2 failed, 5 unsupported."
    )
