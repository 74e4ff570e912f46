"""Each finding where it fires, where it nearly does, and where it must not; all in one audit."""

import math
from collections import Counter

import pytest
from pyspark.sql import SparkSession

from spark.audit.finding import COLUMNS, SEVERITIES, GroupFinding
from spark.audit.registry import FINDINGS
from spark.audit.thresholds import AuditSettings, Copartitioned, GroupRule
from tests.spark.audit.findings import cases_of_clusters, cases_of_groups
from tests.spark.audit.findings.audited import (
    OF_NOW,
    RAISES,
    Audited,
    audited,
    evaluated_but_for_two,
)
from tests.spark.audit.findings.clusters import (
    Build,
    Cluster,
    commit,
    owned,
    reading,
)
from tests.support.fleets import Fleet

CASES = cases_of_groups.CASES | cases_of_clusters.CASES

OF_THE_GROUP = ("unbalanced", "unbalanced-weight", "idle-members")
"""Findings that have the group's own advice (tests/optimizer/test_advice.py)."""
"""Advice that is a group's own."""

IDS = ("3Fg5kQbRT9eWb1l2xYwZ0A", "Qm7sVtL0R2yJ8cN4aXhE1w")
"""Members' ids as the broker makes them (KIP-848)."""

SETTINGS = AuditSettings(
    groups=(
        GroupRule("quiet-*", {"unread-partitions": {"warning": None}}, cluster="rules"),
        GroupRule("*-strict", {"unread-partitions": {"critical": 2.0}}, cluster="rules"),
    ),
    timeouts=(
        *cases_of_groups.TIMEOUTS,
        cases_of_groups.timeouts("slow-?", "rules", (29_000, 10_000)),
        cases_of_groups.timeouts("*", "rules", (5_000, 10_000, 10, 10)),
    ),
    copartitioned=(
        *cases_of_groups.COPARTITIONED,
        Copartitioned(("t", "u"), match="*-strict", cluster="rules"),
        Copartitioned(("t", "v"), match="pay-*", cluster="rules"),
    ),
    consumers=cases_of_groups.CONSUMERS,
)


def of_types(cluster: Cluster) -> None:
    """Eager groups of ids that brokers make, and of others; the type counts where it is stated."""
    cluster.topic("t", 200)
    for name, ids, kind in (
        ("guessed", IDS, None),
        ("classic", IDS, "classic"),
        ("consumer", ("a", "b"), "consumer"),
    ):
        claims = [("t", number, ids[number % 2]) for number in range(200)]
        members = {member: ["t"] for member in ids}
        cluster.group(members, claims, name=name, type=kind, strategy="range")


def out_of_reach(cluster: Cluster) -> None:
    """Groups that aren't consumer groups, and one whose ownership is on its way."""
    cluster.topic("t", 400)
    claims = [("t", 0, "a", 3), ("t", 0, "b", 3), ("t", 1, "gone", 2)]
    claims += [("t", number, "c", 2) for number in range(3, 400)]
    members = {"a": ["t"], "b": ["t"], "c": ["t"]}
    kinds = {
        **{"tasks": ("classic", "stream"), "told-by-its-strategy": (None, "stream")},
        **{"shared": ("share", "range"), "streams": ("streams", None), "registry": ("other", "v0")},
        "moving": (None, "range"),
    }
    for name, (kind, strategy) in kinds.items():
        facts = {"type": kind, "strategy": strategy}
        state = {"state": "PreparingRebalance"} if name == "moving" else {}
        cluster.group(members, claims, name=name, **facts, **state)
        if name != "moving":
            old = {"x": ["t"], "y": ["t"]}
            cluster.before.group(name, old, [("t", 0, "x")], cluster=cluster.name, **facts)
        for fleet, end in ((cluster.before, 5), (cluster.now, 50_000)):
            offsets = commit(1, end) | {"group": name, "cluster": cluster.name, "partition": 0}
            fleet.add("offsets", **offsets)


def workers(cluster: Cluster) -> None:
    """Connect's workers, whose tasks no broker leads, and a group of consumers like them."""
    cluster.topic("workers/sink", 6)
    cluster.topic("t", 6, leader=[1, 2] * 3)
    for name, topic, kind in (("workers", "workers/sink", "connect"), ("g", "t", "classic")):
        claims = [(topic, number, "a") for number in range(6)]
        cluster.group({"a": [topic], "b": [topic]}, claims, name=name, type=kind)


def nobody_there(cluster: Cluster) -> None:
    cluster.topic("t", 2)
    cluster.group({}, state="Empty")
    for number, committed in enumerate((100, 101)):
        cluster.add("offsets", partition=number, **commit(committed, 100, lag=0))


def nothing_to_read(cluster: Cluster) -> None:
    """A worker of Connect's without connectors, and a member of a topic that doesn't exist."""
    cluster.topic("t", 1)
    cluster.group({"worker": []}, name="connect", type="connect")
    cluster.group({"a": ["no-topic"]}, name="no-topic")
    cluster.group({"a": ["t"], "b": ["no-topic"]}, [("t", 0, "a")], name="both")


def with_rules(cluster: Cluster) -> None:
    """Groups of three topics that leave two partitions of t alone."""
    for topic, partitions in (("t", 2), ("u", 1), ("v", 1)):
        cluster.topic(topic, partitions)
    for name in ("quiet-strict", "pay-strict", "slow-1", "slow-10"):
        cluster.group({"a": ["t", "u", "v"]}, [("u", 0, "a"), ("v", 0, "a")], name=name)


MORE: dict[str, Build] = {
    "types": of_types,
    "others": out_of_reach,
    "by-broker": reading(cases_of_groups.FOUR, owner="a", type="consumer", strategy="range"),
    "connect": workers,
    "planned": owned(
        *("aaaabb", "abc"),
        strategy="cooperative-evenfleet-plan",
        members={"client_id": ("one", "two", "three")},
    ),
    "nobody-there": nobody_there,
    "nothing-to-read": nothing_to_read,
    "rules": with_rules,
    "elsewhere": with_rules,
    RAISES: owned("ab"),
}
"""Clusters beside those of `CASES`."""


@pytest.fixture(scope="module")
def fleets() -> Cluster:
    """All clusters."""
    now, before = Fleet(), Fleet()
    clusters = MORE.copy()
    for finding, cases in CASES.items():
        clusters |= cases.clusters(finding)
    for name, add in clusters.items():
        add(Cluster(name, now, before))
    return Cluster("", now, before)


@pytest.fixture(scope="module")
def said(spark: SparkSession, fleets: Cluster, tmp_path_factory: pytest.TempPathFactory) -> Audited:
    store = tmp_path_factory.mktemp("store")
    with pytest.MonkeyPatch.context() as patched:
        failing = evaluated_but_for_two
        patched.setattr("spark.audit.fleet_audit.evaluate_groups", failing)
        return audited(spark, store, fleets.now.tables(), fleets.before.tables(), SETTINGS)


def test_each_finding_has_its_cases_and_is_run(said: Audited) -> None:
    assert OF_NOW.keys() == CASES.keys()
    assert said.not_run == {}


@pytest.mark.parametrize("finding", CASES)
def test_it_fires_there_alone(said: Audited, finding: str) -> None:
    """Once, with what it has measured, and what that has passed."""
    (row,) = said.of(f"{finding}-fires", finding)
    assert (*row.__fields__,) == COLUMNS
    measured = (row["severity"], row["subject"], row["measure"], row["threshold"])
    assert (*measured, row["sentence"]) == CASES[finding].told(finding)
    assert row["group"] == ("g" if finding in cases_of_groups.CASES else None)
    assert (row["advice"] == FINDINGS[finding].advice) == (finding not in OF_THE_GROUP)
    assert said.of(f"{finding}-nearly", finding) == []
    assert said.of(f"{finding}-never", finding) == []


def test_groups_stop_altogether_by_their_type_or_by_what_ids_look_like(said: Audited) -> None:
    """Members of the new protocol stop only for what moves."""
    assert [row["group"] for row in said.of("types", "eager-rebalances")] == ["classic"]


def test_a_group_whose_broker_assigns_is_told_what_its_members_can_set(said: Audited) -> None:
    """partition.assignment.strategy has no effect there: range is the broker's."""
    for finding in ("unbalanced", "range-skew"):
        (row,) = said.of("by-broker", finding)
        assert "group.remote.assignor of all members to uniform" in row["advice"]


def test_workers_get_advice_of_their_own(said: Audited) -> None:
    """Of what is found about consumers as well; and a task isn't a partition without a leader."""
    rows = said.of("connect")
    reports = {(row["group"], row["finding"]): row["advice"] for row in rows}
    for finding in ("unbalanced", "idle-members"):
        assert reports["workers", finding].startswith("Restart one worker")
        assert reports["g", finding] != reports["workers", finding]
    assert len(rows) == 4


def test_a_group_that_follows_a_plan_is_told_to_get_a_new_one(said: Audited) -> None:
    advice = {row["finding"]: row["advice"] for row in said.of("planned")}
    assert advice.keys() == {"unbalanced", "idle-members"}
    for text in advice.values():
        assert text.startswith("Give it the plan (docs/plan_in_force.md), `evenfleet export")


def test_an_empty_group_goes_on_beyond_the_end_when_consumers_come_back(said: Audited) -> None:
    (row,) = said.of("nobody-there", "offset-beyond-end")
    assert (row["severity"], row["subject"]) == ("critical", "topic t")
    assert "on 1 partition of topic t: t-1 is 1 record beyond 100, at 101" in row["sentence"]


def test_who_reads_nothing_that_is_there_is_not_spare(said: Audited) -> None:
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


def test_nothing_is_said_of_groups_that_are_not_consumer_groups_or_are_rebalancing(
    said: Audited,
) -> None:
    """Nor do they count as faulty."""
    assert said.of("others") == []
    assert said.kinds == {"connect": 2, "other": 1, "share": 1, "streams": 3}


def test_a_finding_that_raises_ends_no_audit(said: Audited) -> None:
    """It is the group's own trouble: nothing else is told of it."""
    (row,) = said.of(RAISES)
    assert (row["finding"], row["severity"], row["group"]) == ("failed-group", "warning", "g")
    assert "solving it failed: TypeError: " in row["sentence"]


def test_rules_for_groups(said: Audited) -> None:
    """The first that matches counts, in its clusters alone; `never` switches a level off.

    So it is for time-outs; of joined topics each set counts.
    """

    def of_rules(finding: str, *columns: str) -> Counter[tuple[object, ...]]:
        return Counter(tuple(row[name] for name in columns) for row in said.of("rules", finding))

    assert of_rules("unread-partitions", "group", "severity", "threshold") == Counter(
        [("pay-strict", "critical", 2), ("slow-1", "warning", 1), ("slow-10", "warning", 1)]
    )
    columns = ("group", "severity", "measure", "threshold")
    others = ("quiet-strict", "pay-strict", "slow-10")
    assert of_rules("session-timeout", *columns) == Counter(
        [("slow-1", "warning", 2.9, 3), *((name, "critical", 0.5, 1) for name in others)]
    )
    assert of_rules("poll-interval", *columns) == Counter(
        (name, "warning", 1, 1.1) for name in others
    )
    assert of_rules("unequal-topics", "group", "subject") == Counter(
        [
            *(("quiet-strict", "topics t, u"), ("pay-strict", "topics t, u")),
            ("pay-strict", "topics t, v"),
        ]
    )
    elsewhere = Counter((row["finding"], row["severity"]) for row in said.of("elsewhere"))
    assert elsewhere == {("unread-partitions", "warning"): 4}


def test_counts(said: Audited) -> None:
    """A row a finding, in the registry's order; of all severities, the worst first."""
    result = Counter((row["finding"], row["severity"]) for row in said.findings)
    expected = [
        {"finding": name, **{item: result[name, item] for item in reversed(SEVERITIES)}, "muted": 0}
        for name in OF_NOW
    ]
    assert said.counts == expected
    assert [list(row) for row in said.counts] == [list(row) for row in expected]


def test_groups(said: Audited, fleets: Cluster) -> None:
    """Those that are judged, and those that can't be."""
    others = {"empty": 1, "failed": 2, "unsupported": 5, "invalid": 3, "rebalancing": 3}
    every = {(row["cluster"], row["group"]) for row in fleets.now.rows["groups"]}
    assert said.groups == others | {"ok": len(every) - sum(others.values())}


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
