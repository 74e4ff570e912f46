"""What changes cost, by Kafka's rules: generations of the classic protocol, epochs of KIP-848."""

from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

import pytest

from optimizer import Group
from optimizer.coordinator import (
    Block,
    Close,
    Grow,
    Kill,
    Scenario,
    Start,
    Step,
    Subscribe,
    Timeline,
    simulate,
)
from tests.optimizer.coordinator.played import AT, BROKER, KINDS, TOPICS, loads, play, settings


def cost(timeline: Timeline) -> int:
    """Generations or epochs since the group had settled."""
    return sum(generation.at >= AT for generation in timeline.generations) + sum(
        at >= AT for at, _ in timeline.epochs
    )


def rolling(count: int) -> list[Step]:
    return [
        step
        for at in range(count)
        for step in (Close(AT + at * 9_000, f"m{at}"), Start(AT + at * 9_000 + 3_000, f"m{at}"))
    ]


class Change(NamedTuple):
    """What is done to a group of that many members, and its cost for each of the `KINDS`.

    `each`: the cost is that for every member.
    """

    steps: Callable[[int], list[Step]]
    costs: tuple[int, int, int]
    static: bool = False
    each: bool = False


def once(*steps: Step) -> Callable[[int], list[Step]]:
    return lambda count: [*steps]


CHANGES = {
    "one joins": Change(once(Start(AT, "new", tuple(TOPICS))), (1, 2, 1)),
    "one leaves": Change(once(Close(AT, "m1")), (1, 1, 1)),
    "the leader crashes": Change(once(Kill(AT, "m0")), (1, 1, 1)),
    "static, back in time": Change(
        once(Close(AT, "m1"), Start(AT + 2_000, "m1")), (0, 0, 0), static=True
    ),
    "static, killed, back in time": Change(
        once(Kill(AT, "m1"), Start(AT + 2_000, "m1")), (0, 0, 1), static=True
    ),
    "static, back too late": Change(
        once(Close(AT, "m1"), Start(AT + 12_000, "m1")), (2, 3, 2), static=True
    ),
    "rolling restart": Change(rolling, (2, 3, 2), each=True),
    "rolling restart, static": Change(rolling, (0, 0, 0), static=True),
    "partitions added": Change(once(Grow(AT, "orders", 24)), (1, 1, 1)),
    "max.poll exceeded": Change(once(Block(AT, "m1", 20_000)), (2, 3, 2)),
    "other topics": Change(once(Subscribe(AT, "m1", ("orders",))), (1, 2, 1)),
}


@pytest.mark.parametrize("count", [2, 3, 6])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("change", CHANGES)
def test_what_a_change_costs(change: str, kind: str, count: int) -> None:
    steps, costs, static, each = CHANGES[change]
    members = [f"m{at}" for at in range(count)]
    timeline = play(kind, members, steps(count), topics=[*TOPICS], static=static)
    expected = dict(zip(KINDS, costs, strict=True))[kind]
    assert cost(timeline) == expected * (count if each else 1)
    assert timeline.stable


def slow_revocation(kind: str) -> Timeline:
    """A member takes longer to give partitions up than max.poll.interval.ms allows."""
    client = settings(kind, max_poll_ms=5_000)
    slow = replace(client, revoke_ms=8_000)
    steps = [
        Start(0, "slow", ("orders",), slow),
        Start(0, "quick", ("orders",), client),
        Start(AT, "new", ("orders",), client),
    ]
    return simulate(Scenario(Group(TOPICS, []), steps, client, broker=BROKER, end=100_000))


@pytest.mark.parametrize(
    ("kind", "removed", "told"),
    [
        ("eager", "kicked_not_rejoined", ["revoked", "assigned"]),
        ("cooperative", "left", ["revoked", "assigned", "lost", "assigned"]),
        ("consumer", "rebalance_timeout", ["revoked", "lost", "assigned", "assigned"]),
    ],
)
def test_who_gives_up_too_slowly_is_removed_and_comes_back(
    kind: str, removed: str, told: list[str]
) -> None:
    timeline = slow_revocation(kind)
    of_slow = [
        happening
        for happening in timeline.happenings
        if happening.member == "slow" and happening.at >= AT
    ]
    (gone,) = (item.at for item in of_slow if item.what == removed)
    (back,) = (item.at for item in of_slow if item.what == "member_added")
    assert gone - AT == pytest.approx(5_000, abs=1_200)
    assert back > gone + 2_000
    calls = [item.what for item in of_slow if item.what in ("assigned", "revoked", "lost")]
    assert calls[: len(told)] == told
    assert timeline.stable
    assert loads(timeline) == dict.fromkeys(("slow", "quick", "new"), 4)


@pytest.mark.parametrize("kind", ["eager", "cooperative"])
def test_members_with_a_pattern_notice_a_new_topic_by_themselves(kind: str) -> None:
    client = settings(kind)
    steps: list[Step] = [Start(0, name, (), client, pattern="or.*") for name in ("a", "b")]
    steps.append(Grow(AT, "orders-new", 4))
    scenario = Scenario(Group({"orders": 4, "refunds": 4}, []), steps, broker=BROKER, end=100_000)
    timeline = simulate(scenario)
    owned = {timeline.partitions[part] for parts in timeline.final.values() for part in parts}
    assert {topic for topic, _ in owned} == {"orders", "orders-new"}
    assert cost(timeline) in (1, 2)  # one each, unless both look before the same rebalance
    assert timeline.stable


def test_two_that_start_together_wait_twice_the_initial_delay() -> None:
    started = [play("eager", "abcde"[:count], []).generations[0].at for count in (1, 2, 5)]
    assert started == pytest.approx([1_030, 2_030, 2_030], abs=5)


def test_static_members_change_the_protocol_without_waiting_for_their_session() -> None:
    """GroupMetadataManager refuses an instance id of the new protocol alone."""
    steps: list[Step] = []
    for at, name in enumerate("abc"):
        steps += [Close(AT + at * 9_000, name)]
        steps += [Start(AT + at * 9_000 + 2_000, name, client=settings("consumer"))]
    timeline = play("eager", "abc", steps, static=True)
    reports = [happening.what for happening in timeline.happenings]
    assert reports.count("converted_to_consumer") == 1
    assert not {"error", "static_refused", "session_expired"} & {*reports}
    assert timeline.stable
    assert loads(timeline) == dict.fromkeys("abc", 4)
