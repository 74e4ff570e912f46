"""A fleet after an event is a fleet again."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import DataFrame, SparkSession

from optimizer.scenarios import Crash
from spark import FleetSnapshot, InputError, plan_fleet
from tests.support.fleets import Fleet


@pytest.fixture(scope="module")
def made(spark: SparkSession) -> FleetSnapshot:
    """Two groups of topic t (a, b and c, d), one of u, in one cluster."""
    fleet = Fleet().topic("u", 2)
    fleet.rows["partitions"] += [
        {
            **{"cluster": "c", "topic": "t", "partition": number, "leader": number % 2},
            **{"replicas": [number % 2, 2], "isr": [number % 2, 2][: 2 - number % 2]},
            **{"replica_racks": ["r1", "r2"], "leader_rack": "r1", "weight": 1.0 + number},
        }
        for number in range(4)
    ]
    fleet.group("g1", {"a": ["t"], "b": ["t"]}, [("t", p, "ab"[p // 2]) for p in range(4)])
    fleet.group("g2", {"c": ["t"], "d": ["t"]}, [("t", p, "cd"[p // 2]) for p in range(4)])
    fleet.group("other", {"e": ["u"]}, [("u", 0, "e"), ("u", 1, "e")])
    for row in fleet.rows["members"]:
        row |= {"host": f"h-{row['member_id']}", "rack": "ra" if row["member_id"] in "ac" else "rb"}
        row |= {"client_id": f"client-{row['member_id']}"}
    fleet.rows["brokers"] = [{"cluster": "c", "broker": item} for item in range(3)]
    return fleet.snapshot(spark)


def rows(table: DataFrame, *columns: str) -> list[tuple[Any, ...]]:
    return sorted(tuple(row) for row in table.select(*columns).collect())


def members(of: FleetSnapshot) -> list[tuple[Any, ...]]:
    return rows(of.tables["members"], "group", "member_id")


def test_a_rack_goes_in_every_group(made: FleetSnapshot) -> None:
    after = made.after("crash-rack=ra")
    assert members(after) == [("g1", "b"), ("g2", "d"), ("other", "e")]
    assert rows(after.tables["subscriptions"], "member_id") == [("b",), ("d",), ("e",)]
    assert after.notes[-1] == (
        "crash-rack=ra applies to 2 groups of 3; the others stay as they are"
    )
    with plan_fleet(after) as plan:
        result = rows(plan.groups, "group", "members", "max_load", "moves", "takeovers")
    assert result == [("g1", 1, 4, 0, 2), ("g2", 1, 4, 0, 2), ("other", 1, 2, 0, 0)]


def test_a_pattern_says_which_groups_are_meant(made: FleetSnapshot) -> None:
    after = made.after(Crash(rack="ra"), groups="g1")
    assert members(after) == [("g1", "b"), ("g2", "c"), ("g2", "d"), ("other", "e")]
    assert after.notes[-1] == "crash-rack=ra applies to 1 group"


def test_members_come_and_come_back(made: FleetSnapshot) -> None:
    after = made.after("restart=a:5s").after("join=1", groups="g?")
    columns = ("group", "member_id", "client_id", "host", "rack")
    assert rows(after.tables["members"], *columns)[:3] == [
        ("g1", "a-2", "client-a", "h-a", "ra"),
        ("g1", "b", "client-b", "h-b", "rb"),
        ("g1", "new-1", None, None, "ra"),
    ]
    read = rows(after.tables["subscriptions"], "group", "member_id", "topic")
    assert read[:3] == [("g1", "a-2", "t"), ("g1", "b", "t"), ("g1", "new-1", "t")]
    owned = ("group", "topic", "partition", "member_id")  # as until the next rebalance
    assert rows(after.tables["assignments"], *owned) == rows(made.tables["assignments"], *owned)


def test_a_member_subscribes_to_others(made: FleetSnapshot) -> None:
    after = made.after("subscribe=a:t,u")
    read = rows(after.tables["subscriptions"], "member_id", "topic")
    assert read[:3] == [("a", "t"), ("a", "u"), ("b", "t")]
    assert members(after) == members(made)


def sizes(of: FleetSnapshot, topic: str = "t") -> list[tuple[Any, ...]]:
    table = of.tables["partitions"].where(f"topic = '{topic}'")
    return rows(table, "partition", "weight")


def test_a_topic_grows_for_all_groups_of_its_cluster(made: FleetSnapshot) -> None:
    after = made.after("grow=t:6", groups="g1")
    assert sizes(after)[3:] == [(3, 4.0), (4, 2.5), (5, 2.5)]
    assert after.notes[-1] == "grow=t:6 applies to 1 group"
    assert sizes(made.after("grow=t:4")) == sizes(made)


def test_a_topic_goes_and_comes(made: FleetSnapshot) -> None:
    gone = made.after("delete=t")
    assert sizes(gone) == []
    assert rows(gone.tables["assignments"], "topic") == [("u",), ("u",)]
    back = gone.after("create=t:2")
    assert sizes(back) == [(0, None), (1, None)]


def test_a_broker_goes(made: FleetSnapshot) -> None:
    after = made.after("broker-down=0")
    table = after.tables["partitions"].where("topic = 't'")
    assert sorted(
        (row.partition, row.leader, row.leader_rack, row.isr) for row in table.collect()
    ) == [(0, 2, "r2", [2]), (1, 1, "r1", [1]), (2, 2, "r2", [2]), (3, 1, "r1", [1])]
    gone = made.after("broker-down=1")
    table = gone.tables["partitions"].where("topic = 't' and partition = 1")
    (row,) = table.collect()
    assert (row.leader, row.isr) == (None, [])
    assert rows(gone.tables["brokers"], "broker") == [(0,), (2,)]


def test_groups_say_what_protocol_they_have(made: FleetSnapshot) -> None:
    after = made.after("upgrade=cooperative-sticky", groups="g1")
    after = after.after("migrate=consumer", groups="g2")
    result = [(row.group, row.strategy, row.type) for row in after.tables["groups"].collect()]
    assert sorted(result) == [
        ("g1", "cooperative-sticky", None),
        ("g2", "uniform", "consumer"),
        ("other", None, None),
    ]


@pytest.mark.parametrize(
    ("event", "sentence"),
    [
        ("crash-rack=rz", "crash-rack=rz applies to none of 3 groups: no member is in rack 'rz'"),
        ("leave=z", "leave=z applies to none of 3 groups: no member has the member id or "),
        ("grow=t:3", "grow=t:3 applies to none of 3 groups: topic 't' has 4 partitions and"),
        ("create=u:3", "create=u:3 applies to none of 3 groups: topic 'u' is there already"),
        ("delete=z", "delete=z applies to none of 3 groups: the group has no topic 'z'"),
        ("broker-down=9", "broker-down=9 applies to none of 3 groups: no cluster has a broker 9"),
        ("members=-1", "the number of members is -1, a negative number"),
        ("crash", "event 'crash' is not crash=VALUE"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    made: FleetSnapshot, event: str, sentence: str
) -> None:
    with pytest.raises(InputError) as error:
        made.after(event)
    assert str(error.value).startswith(sentence)
