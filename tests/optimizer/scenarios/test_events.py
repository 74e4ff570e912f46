"""Events as objects, as text and as TOML."""

import tomllib
from typing import Any

import pytest

from optimizer import Group, Member
from optimizer.scenarios import (
    EVENTS,
    BrokerDown,
    Crash,
    Create,
    Delete,
    Event,
    EventError,
    Freeze,
    Grow,
    Join,
    Leave,
    Members,
    Migrate,
    Restart,
    RollingRestart,
    Scenario,
    SlowPoll,
    Step,
    Subscribe,
    Upgrade,
    event_of,
    seconds_of,
    seconds_to_text,
)

WRITTEN: list[tuple[str, Event]] = [
    ("join=3", Join(3)),
    ("join=3:orders-1", Join(3, like="orders-1")),
    ("leave=orders-1", Leave("orders-1")),
    ("crash=orders-1", Crash(member="orders-1")),
    ("crash-host=node7", Crash(host="node7")),
    ("crash-rack=eu-west-a", Crash(rack="eu-west-a")),
    ("restart=orders:1:30s", Restart("orders:1", 30)),
    ("restart=orders-1:30s:static", Restart("orders-1", 30, static=True)),
    ("restart=orders-1:1.5s:dynamic", Restart("orders-1", 1.5, static=False)),
    ("rolling-restart=30s", RollingRestart()),
    ("rolling-restart=1m:static", RollingRestart(seconds=60, static=True)),
    ("rolling-restart=30s:at-once=2:backward", RollingRestart(2, order="backward")),
    ("members=12", Members(12)),
    ("grow=orders:48", Grow("orders", 48)),
    ("create=orders:48", Create("orders", 48)),
    ("delete=orders", Delete("orders")),
    ("subscribe=orders-1:orders,refunds", Subscribe("orders-1", ("orders", "refunds"))),
    ("subscribe=orders-1:", Subscribe("orders-1", ())),
    ("slow-poll=orders-1:10m", SlowPoll("orders-1", 600)),
    ("freeze=orders-1:1m", Freeze("orders-1", 60)),
    ("upgrade=cooperative-sticky,range:30s", Upgrade(("cooperative-sticky", "range"))),
    ("migrate=consumer:30s:static", Migrate("consumer", static=True)),
    ("broker-down=3", BrokerDown(3)),
]


@pytest.mark.parametrize(("text", "event"), WRITTEN)
def test_each_event_is_read_as_text_and_as_a_table_of_toml(text: str, event: Event) -> None:
    assert event_of(text) == event
    assert event.to_text() == str(event) == text
    assert event_of({"event": text}) == event
    named = {
        key: list(value) if isinstance(value, tuple) else value
        for key, value in vars(event).items()
    }
    assert event_of({"event": event.names[0], **named}) == event


def test_every_event_is_among_them() -> None:
    assert {type(event) for _, event in WRITTEN} == set(EVENTS.values())


@pytest.mark.parametrize(
    ("text", "event"),
    [
        ("upgrade=cooperative-sticky", Upgrade(("cooperative-sticky",))),
        ("migrate=consumer", Migrate()),
        ("rolling-restart=30s:at-once=1:forward", RollingRestart()),
        ("slow-poll=orders-1:5m20s", SlowPoll("orders-1", 320)),
        ("slow-poll=orders-1:1h1.5s500ms", SlowPoll("orders-1", 3602)),
        (" grow = a:b:4", Grow("a:b", 4)),
        ("slow-poll=m:500ms", SlowPoll("m", 0.5)),
    ],
)
def test_what_is_left_out_has_its_default(text: str, event: Event) -> None:
    assert event_of(text) == event


@pytest.mark.parametrize(
    ("stated", "fault"),
    [
        ("explode=3", "unknown event 'explode': choose one of join, leave, crash, crash-host"),
        ("join", "event 'join' is not join=VALUE"),
        ("join=", "event 'join=' is not join=VALUE"),
        ("join=some", "the number of members that join is 'some', which is not a whole number"),
        ("join=-1", "the number of members that join is -1, a negative number"),
        ("join=0", "the number of members that join is 0, less than 1"),
        ("join=1000000000", "the number of members that join is 1e+09, more than 100,000"),
        ("members=100001", "the number of members is 1e+05, more than 100,000"),
        ("join=" + "9" * 5000, "the number of members that join is '9999"),
        ("grow=t:2000000", "the number of partitions of 't' is 2e+06, more than 1,000,000"),
        (
            "rolling-restart=3s:at-once=200000",
            "the number of members that restart at once is 2e+05",
        ),
        ("restart=m:0s", "a restart is 0 s and must be longer, such as 30s"),
        ("rolling-restart=0s", "a restart is 0 s and must be longer, such as 30s"),
        ("slow-poll=m:0s", "a pause between polls is 0 s and must be longer, such as 30s"),
        ("slow-poll=m:31d", "a pause between polls of 2.6784e+06 s is longer than 30 days"),
        ("members=-3", "the number of members is -3, a negative number"),
        ("restart=m", "restart=m is not MEMBER:TIME, such as restart=orders-1:30s"),
        ("restart=m:soon", "'soon' is not a duration (for example 30s or 10m)"),
        ("restart=m:20s5m", "'20s5m' is not a duration"),
        ("restart=m:5m20", "'5m20' is not a duration"),
        ("rolling-restart=-3s", "'-3s' is not a duration (for example 30s or 10m)"),
        (
            "rolling-restart=3s:at-once=0",
            "the number of members that restart at once is 0, less than 1",
        ),
        ("grow=orders", "grow=orders is not TOPIC:PARTITIONS, such as grow=orders:48"),
        ("grow=orders:0", "the number of partitions of 'orders' is 0, less than 1"),
        ("subscribe=m", "subscribe=m is not MEMBER:TOPICS, such as subscribe=orders-1:"),
        ("freeze=m", "freeze=m is not MEMBER:TIME, such as freeze=orders-1:30s"),
        ("freeze=m:0s", "a freeze is 0 s and must be longer, such as 30s"),
        ("slow-poll=m", "slow-poll=m is not MEMBER:TIME, such as slow-poll=orders-1:10m"),
        ("upgrade=uniform", "members can't offer the assignor 'uniform': choose one of range, "),
        ("upgrade=range,range", "an upgrade names an assignor twice: range, range"),
        ("migrate=streams", "groups can migrate to the protocol 'consumer', not to 'streams'"),
        ("broker-down=x", "the id of the broker that is down is 'x', which is not a whole number"),
        ({"at": 3}, "an event needs its name under 'event'"),
        ({"event": "leave"}, "leave needs member"),
        ({"event": "leave", "who": "m"}, "leave has no 'who' (it has member)"),
        ({"event": "leave=m", "member": "m"}, "event 'leave=m' is complete: remove the key member"),
        ({"event": "leave", "member": 3}, "the member that leaves is 3, which is not a name"),
        ({"event": "crash"}, "a crash is of one member, one host or one rack"),
        ({"event": "restart", "member": "m", "seconds": -1}, "a restart of -1 s is negative"),
        (
            {"event": "restart", "member": "m", "seconds": True},
            "a restart is True, which is not a number",
        ),
        ({"event": "rolling-restart", "order": "up"}, "the order of a rolling restart is 'up': "),
        ({"event": "rolling-restart", "static": "no"}, "static is 'no' and must be true or false"),
        ({"event": "join", "n": 1.5}, "the number of members that join is 1.5, which is not a"),
    ],
)
def test_what_makes_no_sense_is_told(stated: Any, fault: str) -> None:
    with pytest.raises(EventError) as error:
        event_of(stated)
    assert str(error.value).startswith(fault)


def test_a_scenario_is_in_the_order_of_time() -> None:
    late, early = Step(20, Leave("b")), Step(10, Leave("a"))
    scenario = Scenario((late, early), 'Two "leave"', 60)
    assert scenario.steps == (early, late)


def test_all_that_is_wrong_with_a_scenario_is_told_at_once() -> None:
    values = """
    name = "x"
    seconds = "soon"
    [[step]]
    event = "leave=a"
    [[step]]
    at = 3
    event = "leave"
    """
    with pytest.raises(EventError) as error:
        Scenario.of_table(tomllib.loads(values))
    assert str(error.value) == (
        "unknown key 'name' (known are title, seconds, peak_rate, rates, step); "
        "'soon' is not a duration (for example 30s or 10m); "
        '[[step]] number 1: at is missing, the time after the beginning, such as at = "10s"; '
        "[[step]] number 2: leave needs member"
    )


def test_a_scenario_may_state_what_comes_in_and_what_members_can_read() -> None:
    text = (
        'peak_rate = 2000\n[rates]\norders = 50\n"a.b" = 2.5\n'
        '[[step]]\nat = "1s"\nevent = "join=1"\n'
    )
    scenario = Scenario.of_table(tomllib.loads(text))
    assert (scenario.peak_rate, scenario.rates) == (2000, {"orders": 50, "a.b": 2.5})
    for fault, stated in {
        "peak_rate is 0 and must be a number of records a second above 0": {"peak_rate": 0},
        "the rate of topic 't' is 'x' and must be a number": {"rates": {"t": "x"}},
        "rates must be a table, such as orders = 50": {"rates": 3},
        r"step must be tables, each headed \[\[step\]\]": {"step": ["leave=a"]},
    }.items():
        with pytest.raises(EventError, match=fault):
            Scenario.of_table(stated)


@pytest.mark.parametrize("text", ["0s", "1.5s", "90s", "2h", "3d", "1m", "0.000001s"])
def test_times_are_written_as_they_are_read(text: str) -> None:
    assert seconds_to_text(seconds_of(text)) == text


def test_many_join_in_the_time_that_it_takes_to_name_them() -> None:
    group = Group({"t": 1}, [Member("new-2", ["t"])]).after(Join(20_000))
    names = [member.member_id for member in group.members]
    assert names[:4] == ["new-2", "new-1", "new-3", "new-4"]
    assert len({*names}) == 20_001
