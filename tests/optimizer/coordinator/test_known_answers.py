"""Answers that were worked out by hand."""

import pytest

from optimizer import Group, Member, assign
from optimizer.coordinator import (
    ClientSettings,
    Close,
    Parameters,
    Scenario,
    Start,
    figures_of,
    simulate,
    simulate_events,
)
from optimizer.scenarios import event_of


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
