"""A group after an event is a group again."""

from __future__ import annotations

import pytest

from optimizer import Group, Member, assign
from optimizer.scenarios import (
    BrokerDown,
    Crash,
    Create,
    Delete,
    Freeze,
    Grow,
    Join,
    Leave,
    Limits,
    Members,
    Migrate,
    NotApplicableError,
    Restart,
    RollingRestart,
    Scenario,
    SlowPoll,
    Subscribe,
    Upgrade,
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
        member("c", 4, 6, rack="r2", host="h2", instance_id="static-c"),
    ],
    weights={"orders": [1.0] * 6},
    leader_racks={"orders": ["r1"] * 6},
    replica_racks={"orders": [["r1"]] * 6},
)


def ids(group: Group) -> list[str]:
    return [item.member_id for item in group.members]


def test_who_leaves_or_crashes_is_gone_with_what_it_owned() -> None:
    assert ids(GROUP.after(Leave("b"))) == ["a", "c"]
    assert ids(GROUP.after(Leave("static-c"))) == ["a", "b"]
    assert ids(GROUP.after(Crash("a"))) == ["b", "c"]
    assert ids(GROUP.after(Crash(host="h1"))) == ["c"]
    assert ids(GROUP.after(Crash(rack="r2"))) == ["a"]
    plan = assign(GROUP.after(Crash(rack="r2")))
    assert plan.loads == {"a": 6}
    assert (plan.moves, plan.takeovers) == (0, 4)


def test_newcomers_read_what_most_read_where_the_fewest_are() -> None:
    after = GROUP.after(Join(2))
    assert ids(after) == ["a", "b", "c", "new-1", "new-2"]
    assert [item.rack for item in after.members[3:]] == ["r1", "r1"]
    assert [item.topics for item in after.members[3:]] == [["orders"]] * 2
    assert [item.rack for item in GROUP.after(Join(2, like="b")).members[3:]] == ["r2", "r2"]
    assert max(assign(after).loads.values()) == 2
    assert ids(after.after(Join()))[-1] == "new-3"


def test_newcomers_of_a_static_group_are_static() -> None:
    (new,) = as_static(GROUP).after(Join()).members[3:]
    assert new.instance_id == "new-1"
    assert GROUP.after(Join()).members[3].instance_id is None


def test_a_group_gets_so_many_members() -> None:
    assert ids(GROUP.after(Members(5))) == ["a", "b", "c", "new-1", "new-2"]
    assert ids(GROUP.after(Members(2))) == ["a", "b"]
    assert ids(GROUP.after(Members(3))) == ["a", "b", "c"]
    assert ids(GROUP.after(Members(0))) == []


def test_a_dynamic_member_comes_back_as_a_new_one() -> None:
    after = GROUP.after(Restart("b", 5))
    assert ids(after) == ["a", "b-2", "c"]
    assert after.members[1].owned == ()
    assert after.members[1].rack == "r2"
    assert ids(after.after(Restart("b-2", 5))) == ["a", "b-2-2", "c"]


def test_a_static_member_keeps_what_it_owns_within_its_session() -> None:
    assert GROUP.after(Restart("static-c", 45)) == GROUP
    late = GROUP.after(Restart("static-c", 46))
    assert ids(late) == ["a", "b", "c-2"]
    assert late.members[2].owned == ()
    assert late.members[2].instance_id == "static-c"
    short = Restart("c", 20).apply(GROUP, Limits(session=10))
    assert ids(short) == ["a", "b", "c-2"]


def test_a_restart_can_be_tried_as_if_static_or_not() -> None:
    static = GROUP.after(Restart("b", 5, static=True))
    assert static.members[1].instance_id == "b"
    assert static.members[1].owned == GROUP.members[1].owned
    assert ids(GROUP.after(Restart("c", 5, static=False))) == ["a", "b", "c-2"]


@pytest.mark.parametrize("event", [RollingRestart(), Upgrade(("range",)), Migrate()])
def test_after_a_rolling_restart_all_dynamic_members_are_new(event: RollingRestart) -> None:
    after = GROUP.after(event)
    assert ids(after) == ["a-2", "b-2", "c"]
    assert [len(item.owned) for item in after.members] == [0, 0, 2]
    assert as_static(GROUP).after(event) == as_static(GROUP)


def test_who_polls_too_late_comes_back_as_a_new_member() -> None:
    assert GROUP.after(SlowPoll("a", 300)) == GROUP
    assert ids(GROUP.after(SlowPoll("a", 301))) == ["a-2", "b", "c"]
    assert GROUP.after(SlowPoll("c", 345)) == GROUP  # its session begins only then
    assert ids(GROUP.after(SlowPoll("c", 346))) == ["a", "b", "c-2"]


def test_who_stands_still_longer_than_its_session_comes_back_as_a_new_member() -> None:
    assert GROUP.after(Freeze("a", 45)) == GROUP
    assert ids(GROUP.after(Freeze("a", 46))) == ["a-2", "b", "c"]
    assert ids(GROUP.after(Freeze("c", 46))) == ["a", "b", "c-2"]


def test_a_topic_grows_with_all_that_is_known_of_its_partitions() -> None:
    plan = assign(GROUP.after(Grow("orders", 9)))
    assert plan.loads == {"a": 3, "b": 3, "c": 3}
    assert GROUP.after(Grow("orders", 6)) == GROUP


def test_a_topic_comes_and_goes() -> None:
    gone = GROUP.after(Delete("orders"))
    assert gone.topics == {}
    assert [list(item.owned) for item in gone.members] == [[], [], []]
    assert assign(gone).loads == {"a": 0, "b": 0, "c": 0}
    back = gone.after(Create("orders", 3))
    assert assign(back).loads == {"a": 1, "b": 1, "c": 1}


def test_a_member_subscribes_anew() -> None:
    moved = GROUP.after(Subscribe("a", ("other",)))
    assert moved.members[0].topics == ["other"]
    assert assign(moved).loads == {"a": 0, "b": 3, "c": 3}


def test_a_broker_that_is_down_changes_no_member() -> None:
    assert GROUP.after(BrokerDown(1)) == GROUP


def test_a_scenario_happens_one_step_after_the_other() -> None:
    scenario = Scenario.of("leave=a", "join=2", "restart=new-1:5s")
    assert ids(GROUP.after(scenario)) == ["b", "c", "new-1-2", "new-2"]


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
        GROUP.after(event_of(event))
    assert str(error.value).startswith(fault)


@pytest.mark.parametrize("event", ["join=1", "members=1", "rolling-restart=3s"])
def test_where_nobody_is_nobody_knows_what_to_read(event: str) -> None:
    with pytest.raises(NotApplicableError):
        GROUP.after(Members(0)).after(event_of(event))
