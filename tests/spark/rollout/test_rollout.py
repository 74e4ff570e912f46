"""How groups come to another assignor or protocol: steps, waves, and who can't."""

from typing import Any

import numpy as np
import pytest
from pyspark.sql import SparkSession

from optimizer.scenarios import Migrate, Upgrade
from spark import FleetConsumers, rollout_fleet, rollout_report
from spark.rollout.rollout import coupled_parts, steps_of_group, upgrade_path
from spark.solve import TimeLimit
from tests.support.fleets import Fleet
from tests.support.rows import rows_of

NEW_PROTOCOL = ("3Fg5kQbRT9eWb1l2xYwZ0A", "Qm7sVtL0R2yJ8cN4aXhE1w")
"""Members' ids as the broker makes them (KIP-848)."""


def fleet(members: tuple[str, ...] = ("a", "b", "c"), **facts: Any) -> Fleet:
    owned = [("t", p, members[p % len(members)]) for p in range(6)]
    return Fleet().topic("t", 6).group("g", {member: ["t"] for member in members}, owned, **facts)


def deployed(of: Fleet, to: str, **stated: Any) -> list[str]:
    way = upgrade_path(rows_of(of), to, stated, 30)
    return [deploy.partition("=")[2] for deploy, _ in way.restarts]


def reason(of: Fleet, to: str, **stated: Any) -> str | None:
    return upgrade_path(rows_of(of), to, stated, 30).reason


ONLY_RANGE = {"partition_assignment_strategy": ["range"]}
BOTH = {"partition_assignment_strategy": ["cooperative-sticky", "range"]}
"""Who offers an eager assignor beside stays eager whatever is elected."""


@pytest.mark.parametrize(
    ("strategy", "stated", "steps"),
    [
        ("range", {}, ["cooperative-sticky"]),
        ("range", ONLY_RANGE, ["cooperative-sticky,range", "cooperative-sticky"]),
        ("roundrobin", {}, ["cooperative-sticky,roundrobin", "cooperative-sticky"]),
        ("cooperative-sticky", {}, []),
        ("cooperative-sticky", BOTH, ["cooperative-sticky"]),
    ],
)
def test_the_clients_default_takes_one_restart_and_range_alone_two(
    strategy: str, stated: dict[str, Any], steps: list[str]
) -> None:
    assert deployed(fleet(strategy=strategy), "cooperative-sticky", **stated) == steps


def test_the_new_protocol_takes_one_restart() -> None:
    way = upgrade_path(rows_of(fleet(strategy="range")), "consumer", {}, 20)
    assert [event for _, event in way.restarts] == [Migrate(seconds=20)]
    assert deployed(fleet(NEW_PROTOCOL, type="consumer"), "consumer") == []
    assert reason(fleet(strategy="range"), "consumer", broker_version="4.0.1") is None


def test_static_members_come_as_soon_as_others() -> None:
    row = rows_of(fleet(strategy="range"))
    row.instance_ids = np.array(["i1", "i2", "i3"], object)
    ((_, event),) = upgrade_path(row, "consumer", {"session_timeout_ms": 60_000}, 20).restarts
    assert event == Migrate(seconds=20)
    ((_, event),) = upgrade_path(row, "cooperative-sticky", {}, 20).restarts
    assert event == Upgrade(("cooperative-sticky",), seconds=20)


OWN, OLD = {"strategy": "com.example.Own"}, {"broker_version": "3.9"}
CONNECT = {"type": "connect", "strategy": "sessioned"}
UNIFORM = {"type": "consumer", "strategy": "uniform", "members": NEW_PROTOCOL}
MIXED = UNIFORM | {"members": (*NEW_PROTOCOL, "old-1")}


@pytest.mark.parametrize(
    ("facts", "to", "stated", "why"),
    [
        (OWN, "consumer", {}, "the group has an assignor of its own, com."),
        (OWN, "cooperative-sticky", {}, "the group has an assignor of its"),
        ({"strategy": "range"}, "consumer", OLD, "the brokers have version 3.9; the new protocol"),
        (CONNECT, "consumer", {}, "workers of Connect have protocols of their own (connect.proto"),
        (UNIFORM, "cooperative-sticky", {}, "the coordinator assigns already (protocol consumer)"),
        (MIXED, "consumer", {}, "2 of 3 members use the new protocol and the others don't"),
    ],
)
def test_who_cant_go_is_told_why(
    facts: dict[str, Any], to: str, stated: dict[str, Any], why: str
) -> None:
    text = reason(fleet(**facts), to, **stated)
    assert text is not None
    assert text.startswith(why)


def test_each_step_has_its_own_cost() -> None:
    """Three dynamic members: two generations each in a restart of eager ones."""
    consumers = FleetConsumers({"partition_assignment_strategy": ["range"]})
    row = rows_of(fleet(strategy="range"))
    first, second = steps_of_group(row, "cooperative-sticky", consumers, TimeLimit(60))
    assert (first.step, first.steps, first.rebalances, first.fatal) == (1, 2, 6, 0)
    assert first.unread_seconds > 0
    assert (second.step, second.fatal) == (2, 0)
    assert second.rebalances >= 6


def three(**facts: Any) -> Fleet:
    """g1 and g2 share t, g2 and g3 share u; g4 is alone."""
    made = Fleet().topic("t", 2).topic("u", 2).topic("v", 2)
    made.group("g1", {"a": ["t"]}, [("t", 0, "a"), ("t", 1, "a")], strategy="range")
    made.group("g2", {"b": ["t", "u"]}, [("u", 0, "b")], strategy="range")
    made.group("g3", {"c": ["u"], "c2": ["u"]}, [("u", 1, "c")], strategy="range")
    return made.group("g4", {"d": ["v"]}, [("v", 0, "d")], strategy="cooperative-sticky")


def test_topics_that_all_read_couple_nobody(spark: SparkSession) -> None:
    made = Fleet().topic("log", 1)
    for number in range(21):
        made.group(f"g{number:02}", {f"m{number}": ["log"]})
    parts = coupled_parts(made.snapshot(spark)).collect()
    assert len({row.component for row in parts}) == 21


def test_coupled_groups_are_in_different_waves(spark: SparkSession) -> None:
    rows = rollout_fleet(three().snapshot(spark), "cooperative-sticky").collect()
    components = {row.group: row.component for row in rows}
    assert components == {**dict.fromkeys(("g1", "g2", "g3"), "g1"), "g4": "g4"}
    waves = {row.group: row.wave for row in rows}
    assert sorted(waves[item] for item in ("g1", "g2", "g3")) == [1, 2, 3]
    assert waves["g4"] is None
    sentences = rollout_report([row.asDict() for row in rows], "cooperative-sticky")
    assert sentences[0].startswith(
        "Bring 3 groups in 1 rolling restart to cooperative-sticky, in 3 waves: "
    )
    assert sentences[0].endswith(" unread. 1 group there already, 0 can't.")
    assert sentences[1].startswith("Waves don't share topics")


def test_coupled_through_others_counts_in_a_part(spark: SparkSession) -> None:
    whole = three().snapshot(spark)
    items = whole.matching(group="g3")
    (row,) = rollout_fleet(items, "consumer", whole=whole).collect()
    assert (row.component, row.wave) == ("g1", 1)
