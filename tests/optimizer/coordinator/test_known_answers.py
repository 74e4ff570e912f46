"""Answers that were worked out by hand."""

from dataclasses import replace

import pytest

from optimizer import Group, Member, assign
from optimizer.coordinator import (
    ClientSettings,
    Close,
    Down,
    Kill,
    Parameters,
    Scenario,
    Start,
    figures_of,
    rebalance_cost,
    simulate,
    simulate_events,
)
from optimizer.scenarios import Members, NotApplicableError, event_of


def group_of(members: int, partitions: int, strategy: str, *, static: bool = False) -> Group:
    """A group at rest that the strategy has assigned."""
    names = [f"m{at:03}" for at in range(members)]
    plain = Group({"orders": partitions}, [Member(name, ["orders"]) for name in names])
    owned = assign(plain, strategy).assignment
    return Group(
        {"orders": partitions},
        [
            Member(name, ["orders"], owned[name], f"i-{name}" if static else None, generation=1)
            for name in names
        ],
    )


def rolling_restart(group: Group, *, seconds: float = 30, every: float = 60) -> list[Close | Start]:
    """One member after another is away for so long."""
    steps: list[Close | Start] = []
    for at, member in enumerate(group.members):
        begins = 10_000 + at * every * 1000
        steps.append(Close(begins, member.member_id))
        steps.append(Start(begins + seconds * 1000, member.member_id))
    return steps


@pytest.mark.parametrize(
    ("strategy", "moved"), [("range", 156), ("roundrobin", 372), ("sticky", 42)]
)
def test_a_rolling_restart_of_dynamic_members(strategy: str, moved: int) -> None:
    group = group_of(6, 42, strategy)
    client = ClientSettings(assignors=(strategy,))
    timeline = simulate(Scenario(group, rolling_restart(group), client=client))
    assert (timeline.rebalances, timeline.moved) == (12, moved)


@pytest.mark.parametrize("strategy", ["range", "cooperative-sticky", "uniform"])
@pytest.mark.parametrize("event", ["crash=m000", "slow-poll=m000:10m"])
def test_what_was_read_since_the_last_commit_is_read_twice(strategy: str, event: str) -> None:
    """m000 reads ten partitions and commits each 5 s: 0 to 50 partition-seconds, 25 in the mean."""
    group = group_of(4, 40, strategy)
    parameters = Parameters().using(strategy, own=True)
    twice = [
        figures_of(simulate_events(group, [event_of(event)], parameters, str(name)).timeline)
        for name in range(100)
    ]
    seconds = [figures["read_twice_seconds"] for figures in twice]
    assert 0 <= min(seconds) < 5
    assert 45 < max(seconds) <= 50
    assert sum(seconds) / 100 == pytest.approx(25, abs=5)


@pytest.mark.parametrize("kind", ["range", "uniform"])
@pytest.mark.parametrize(("at", "since_start"), [(0, 0), (10, 100), (100, 1_000)])
def test_what_commits_of_its_own_leave_to_be_read_twice(
    kind: str, at: float, since_start: float
) -> None:
    """Ten partitions: at most what one poll fetched, or all since the start without commits."""
    group, client = group_of(4, 40, kind), Parameters().using(kind, own=True).client
    kill = [Kill(at * 1000, "m000")]
    none = Scenario(group, kill, client=replace(client, auto_commit=False))
    assert simulate(none).seconds_read_twice == since_start
    each = Scenario(group, kill, client=client.with_commits_after_polls())
    twice = [simulate(each, seed).seconds_read_twice for seed in range(20)]
    assert 0 < sum(twice) / len(twice) < max(twice) <= 10 * 0.1


@pytest.mark.parametrize(("rates", "lag"), [([1, 3], 7 * 2 * 9), ([], 0)])
def test_partitions_to_come_have_the_mean_rate_of_their_topic(
    rates: list[float], lag: float
) -> None:
    """Two partitions become seven. Then the broker that leads them all is gone for 9 s."""
    group = Group({"t": 2}, [Member("a", ["t"], [("t", 0), ("t", 1)])])
    events = [event_of("grow=t:7"), event_of("broker-down=3")]
    down = {3: Down([("t", item) for item in range(7)])}
    parameters = Parameters(peak_rate=1_000)
    timeline = simulate_events(
        group, events, parameters, "g", rates={"t": rates}, down=down
    ).timeline
    assert timeline.lag is not None
    since = [lag for at, lag in timeline.lag.course if at >= 600_000]
    assert max(since, default=0) == pytest.approx(lag, rel=0.01)


def test_eager_members_all_stop_cooperative_ones_only_where_partitions_move() -> None:
    eager = rebalance_cost(group_of(3, 12, "range"), Members(4), "range")
    assert len(eager.pauses) == 12
    assert eager.longest_pause < 1
    cooperative = rebalance_cost(
        group_of(3, 12, "cooperative-sticky"), Members(4), "cooperative-sticky"
    )
    assert (cooperative.rebalances, cooperative.moved) == (2, 3)
    assert sum(seconds > 1 for seconds in cooperative.pauses.values()) <= 5 * 3
    assert 2.5 < cooperative.longest_pause < 4
    consumer = rebalance_cost(group_of(3, 12, "uniform"), "members=4", "uniform")
    assert consumer.rebalances == 1
    assert 0 < consumer.longest_pause < 6
    assert consumer.settled < 20


def test_a_member_that_closes_is_missed_at_once_and_a_static_one_after_its_session() -> None:
    dynamic = rebalance_cost(group_of(3, 12, "range"), "members=2", "range")
    assert dynamic.longest_pause < 4
    static = rebalance_cost(group_of(3, 12, "range", static=True), "members=2", "range")
    assert 40 < static.longest_pause < 50
    assert static.unread_seconds > dynamic.unread_seconds * 3


def test_a_group_that_cant_have_the_event_says_so() -> None:
    with pytest.raises(NotApplicableError, match="m009"):
        rebalance_cost(group_of(3, 12, "range"), "leave=m009", "range")
