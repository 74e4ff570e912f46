"""Answers that were worked out by hand."""

import pytest

from optimizer import Group, Member, assign
from optimizer.coordinator import ClientSettings, Close, Scenario, Start, simulate


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
