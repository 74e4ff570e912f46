"""A group after an event is a group again."""

import pytest

from optimizer import Group, Member, assign
from optimizer.scenarios import (
    Join,
    NotApplicableError,
    Restart,
    Scenario,
    Timeouts,
    as_static,
    event_of,
)


def member(name: str, first: int, last: int, **facts: str) -> Member:
    owned = [("orders", partition) for partition in range(first, last)]
    return Member(name, ["orders"], owned, **facts)  # type: ignore[arg-type]


GROUP = Group(
    topics={"orders": 6},
    members=[
        member("a", 0, 2, rack="r1", host="h1"),
        member("b", 2, 4, rack="r2", host="h1"),
        member("c", 4, 6, rack="r2", host="/h2", instance_id="static-c"),
    ],
    weights={"orders": [1.0] * 6},
    leader_racks={"orders": ["r1"] * 6},
    replica_racks={"orders": [["r1"]] * 6},
)


def after(*events: str, group: Group = GROUP) -> Group:
    """The group after one event or several, as text."""
    for event in events:
        group = group.after(event_of(event))
    return group


def ids(group: Group) -> str:
    return " ".join(item.member_id for item in group.members)


@pytest.mark.parametrize(
    ("event", "members"),
    [
        *(("leave=b", "a c"), ("leave=static-c", "a b"), ("crash=a", "b c")),
        *(
            ("crash-host=h1", "c"),
            ("crash-host=/h1", "c"),
            ("crash-host=h2", "a b"),
            ("crash-rack=r2", "a"),
        ),
        *(("members=5", "a b c new-1 new-2"), ("members=2", "a b"), ("members=0", "")),
        # a dynamic member comes back as a new one, a static one after its session of 45 s
        *(("restart=b:5s", "a b-2 c"), ("restart=static-c:46s", "a b c-2")),
        *(("restart=c:5s:dynamic", "a b c-2"), ("rolling-restart=30s", "a-2 b-2 c")),
        *(("upgrade=range", "a-2 b-2 c"), ("migrate=consumer", "a-2 b-2 c")),
        # max.poll.interval.ms is 5 min; the session of a static member begins only then
        *(("slow-poll=a:301s", "a-2 b c"), ("slow-poll=c:346s", "a b c-2")),
        *(("freeze=a:46s", "a-2 b c"), ("freeze=c:46s", "a b c-2")),
    ],
)
def test_members_after_an_event(event: str, members: str) -> None:
    """Who is gone or new has nothing, and who is there as before has what it had."""
    group = after(event)
    assert ids(group) == members
    owned = {item.member_id: item.owned for item in GROUP.members}
    assert [item.owned for item in group.members] == [
        owned.get(item.member_id, ()) for item in group.members
    ]


@pytest.mark.parametrize(
    "event",
    [
        *("members=3", "restart=static-c:45s", "slow-poll=a:300s", "slow-poll=c:345s"),
        *("freeze=a:45s", "grow=orders:6", "broker-down=1"),
    ],
)
def test_a_group_that_an_event_does_not_change(event: str) -> None:
    assert after(event) == GROUP


@pytest.mark.parametrize("event", ["rolling-restart=30s", "upgrade=range", "migrate=consumer"])
def test_static_members_keep_all_in_a_rolling_restart(event: str) -> None:
    static = as_static(GROUP)
    assert after(event, group=static) == static


def test_who_crashes_leaves_its_partitions_to_others() -> None:
    plan = assign(after("crash-rack=r2"))
    assert plan.loads == {"a": 6}
    assert (plan.moves, plan.takeovers) == (0, 4)


def test_newcomers_read_what_most_read_where_the_fewest_are() -> None:
    group = after("join=2")
    assert ids(group) == "a b c new-1 new-2"
    assert [item.rack for item in group.members[3:]] == ["r1", "r1"]
    assert [item.topics for item in group.members[3:]] == [["orders"]] * 2
    assert [item.rack for item in after("join=2:b").members[3:]] == ["r2", "r2"]
    assert max(assign(group).loads.values()) == 2
    assert ids(after("join=1", group=group)).endswith("new-2 new-3")


def test_newcomers_of_a_static_group_are_static() -> None:
    (new,) = as_static(GROUP).after(Join()).members[3:]
    assert new.instance_id == "new-1"
    assert GROUP.after(Join()).members[3].instance_id is None


def test_who_comes_back_keeps_its_rack_and_its_instance_id() -> None:
    assert after("restart=b:5s").members[1].rack == "r2"
    assert ids(after("restart=b:5s", "restart=b-2:5s")) == "a b-2-2 c"
    assert after("restart=static-c:46s").members[2].instance_id == "static-c"
    short = Restart("c", 20).apply(GROUP, Timeouts(session=10))
    assert ids(short) == "a b c-2"


def test_a_restart_can_be_tried_as_if_static() -> None:
    static = after("restart=b:5s:static").members[1]
    assert (static.member_id, static.instance_id) == ("b", "b")
    assert static.owned == GROUP.members[1].owned


def test_a_topic_grows_with_all_that_is_known_of_its_partitions() -> None:
    assert assign(after("grow=orders:9")).loads == {"a": 3, "b": 3, "c": 3}


def test_a_topic_comes_and_goes() -> None:
    gone = after("delete=orders")
    assert gone.topics == {}
    assert [list(item.owned) for item in gone.members] == [[], [], []]
    assert assign(gone).loads == {"a": 0, "b": 0, "c": 0}
    assert assign(after("create=orders:3", group=gone)).loads == {"a": 1, "b": 1, "c": 1}


def test_a_member_subscribes_anew() -> None:
    moved = after("subscribe=a:other")
    assert moved.members[0].topics == ["other"]
    assert assign(moved).loads == {"a": 0, "b": 3, "c": 3}


def test_a_scenario_happens_one_step_after_the_other() -> None:
    scenario = Scenario.of("leave=a", "join=2", "restart=new-1:5s")
    assert ids(GROUP.after(scenario)) == "b c new-1-2 new-2"


@pytest.mark.parametrize(
    ("event", "fault"),
    [
        ("leave=d", "no member has the member id or instance id 'd' (there are a, b, static-c)"),
        ("restart=d:3s", "no member has the member id or instance id 'd'"),
        ("slow-poll=d:3s", "no member has the member id or instance id 'd'"),
        ("subscribe=d:orders", "no member has the member id or instance id 'd'"),
        ("join=1:d", "no member has the member id or instance id 'd'"),
        ("crash-rack=r3", "no member is in rack 'r3' (they are in r1, r2)"),
        ("crash-host=h3", "no member is on host 'h3' (they are on h1, h2)"),
        ("grow=orders:5", "topic 'orders' has 6 partitions and can't shrink to 5"),
        ("grow=refunds:5", "the group has no topic 'refunds'"),
        ("delete=refunds", "the group has no topic 'refunds'"),
        ("create=orders:5", "topic 'orders' is there already"),
        ("create=refunds:5", "no member subscribes to topic 'refunds'"),
    ],
)
def test_what_a_group_cant_have_is_told(event: str, fault: str) -> None:
    with pytest.raises(NotApplicableError) as error:
        after(event)
    assert str(error.value).startswith(fault)


@pytest.mark.parametrize("event", ["join=1", "members=1", "rolling-restart=3s"])
def test_where_nobody_is_nobody_knows_what_to_read(event: str) -> None:
    with pytest.raises(NotApplicableError):
        after("members=0", event)
