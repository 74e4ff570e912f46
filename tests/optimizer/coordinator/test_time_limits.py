"""What happens by Kafka's rules, and when, in milliseconds: by hand, where no run was recorded."""

from dataclasses import replace

import pytest

from optimizer import Group
from optimizer.coordinator import (
    Block,
    BrokerSettings,
    Close,
    Delays,
    Grow,
    Kill,
    MoveCoordinator,
    Scenario,
    Start,
    Step,
    Subscribe,
    simulate,
)
from optimizer.coordinator.ledger import Ledger
from tests.optimizer.coordinator.played import (
    AT,
    BROKER,
    TOPICS,
    happened,
    loads,
    play,
    settings,
    when,
)

FULL = BrokerSettings(initial_delay_ms=1_000, max_size=2)
NEAR = 60
"""What requests and a process's start take, in milliseconds."""


def start(at: float, name: str) -> Start:
    return Start(at, name, ("orders",))


def test_a_trickle_of_newcomers_holds_the_first_join_phase_up_for_the_rebalance_timeout() -> None:
    """Looks at 1000, 2000, 3000, and at 3500, what is left of it (InitialDelayedJoin)."""
    trickle: list[Step] = [start(at, f"m{at}") for at in range(500, 8_000, 500)]
    assert play("eager", "ab", trickle, max_poll_ms=3_500).generations[0].at == pytest.approx(
        3_530, abs=5
    )


def test_a_silent_static_leader_holds_a_join_phase_up_for_the_rebalance_timeout() -> None:
    """Not for its session; another one leads then (maybeElectNewJoinedLeader)."""
    steps: list[Step] = [Kill(AT, "a"), start(AT, "c")]
    timeline = play("eager", "ab", steps, static=True, max_poll_ms=5_000, session_ms=20_000)
    ended = timeline.generations[1]
    assert ended.at == pytest.approx(AT + 5_000, abs=NEAR)
    assert ended.leader in ("b", "c")
    assert ended.assignment is not None


def test_an_id_that_was_handed_out_holds_a_join_phase_up() -> None:
    """Of three members, c has only its id when the last other joins (hasAllMembersJoined)."""
    steps: list[Step] = [Block(AT - 100, "a", 3_100), start(AT, "n"), start(AT + 3_300, "c")]
    timeline = play("eager", "ab", steps, delays=Delays(round_trip=500))
    assert [
        len(generation.members) for generation in timeline.generations if generation.at > AT
    ] == [4]


def test_a_full_group_refuses_newcomers_and_is_not_disturbed() -> None:
    timeline = play("eager", "ab", [start(AT, "c")], broker=FULL)
    assert happened(timeline, "error") == ["c"]
    assert len(timeline.generations) == 1
    assert len(play("eager", "ab", [], broker=FULL).final) == 2


def test_the_last_to_rejoin_a_full_group_is_pushed_out() -> None:
    """In a join phase those count that have joined: a and the newcomer are the two that fit."""
    steps: list[Step] = [Block(AT - 100, "b", 3_100), Subscribe(AT, "a", ("orders", "more"))]
    timeline = play("eager", "ab", [*steps, start(AT + 500, "c")], broker=FULL)
    assert happened(timeline, "error") == ["b"]
    assert sorted(timeline.final) == ["a", "c"]


def test_a_full_group_refuses_a_static_member_that_returns_without_its_id() -> None:
    back = Start(AT + 1_000, "a", ("orders",), instance_id="a")
    timeline = play("eager", "ab", [Kill(AT, "a"), back], broker=FULL, static=True)
    assert happened(timeline, "error") == ["a"]


@pytest.mark.parametrize("silent", [False, True])
def test_a_newcomer_waits_five_minutes_for_the_first_join_phase(silent: bool) -> None:
    """Not for the ten that the phase takes: it joins again, unless it is gone by then (isNew)."""
    steps: list[Step] = [Block(AT, "b", 900_000), start(AT + 1_000, "c")]
    if silent:
        steps.append(Kill(AT + 2_000, "c"))
    timeline = play("eager", "ab", steps, max_poll_ms=600_000, end=1_200_000)
    assert happened(timeline, "session_expired") == ["c"]
    assert when(timeline, "session_expired")[0] == pytest.approx(AT + 1_000 + 300_000, abs=NEAR)
    ended = next(generation for generation in timeline.generations if generation.at > AT)
    assert ended.at == pytest.approx(AT + 1_000 + 600_000, abs=2_000)
    assert ("c" in ended.members) != silent


@pytest.mark.parametrize("kind", ["eager", "consumer"])
def test_sessions_start_anew_where_the_coordinator_moves(kind: str) -> None:
    timeline = play(kind, "ab", [Kill(AT, "a"), MoveCoordinator(AT + 4_000)])
    assert when(timeline, "session_expired") == pytest.approx([AT + 10_000], abs=5)


def test_a_leader_that_does_not_sync_is_removed_after_the_rebalance_timeout() -> None:
    """Gone between its JoinGroup and its SyncGroup (expirePendingSync); its session is longer."""
    steps: list[Step] = [Kill(2_200, "a")]
    timeline = play(
        "eager", "ab", steps, delays=Delays(assign=500), max_poll_ms=5_000, session_ms=20_000
    )
    second = timeline.generations[1]
    assert second.at == pytest.approx(2_030 + 5_000, abs=NEAR)
    assert second.members == ("b",)


def test_who_does_not_give_up_is_fenced_after_its_own_rebalance_timeout() -> None:
    """KIP-848: twice the session here, which its heartbeats keep alive."""
    client = replace(settings("consumer", max_poll_ms=12_000), revoke_ms=20_000)
    steps: list[Step] = [
        Start(0, "a", ("orders",), client),
        Start(AT, "n", ("orders",), settings("consumer")),
    ]
    timeline = simulate(Scenario(Group(TOPICS, []), steps, client, broker=BROKER, end=100_000))
    (gone,) = when(timeline, "rebalance_timeout")
    assert gone == pytest.approx(AT + 12_500, abs=700)


@pytest.mark.parametrize("offset", range(0, 5_000, 1_000))
def test_commits_are_signs_of_life(offset: int) -> None:
    """Heartbeats come each 5 s, commits each second (OffsetMetadataManager.commitOffset)."""
    killed = AT + offset
    timeline = play("eager", "ab", [Kill(killed, "b")], heartbeat_ms=5_000, session_ms=15_000)
    (expired,) = when(timeline, "session_expired")
    assert killed + 14_000 - 5 <= expired <= killed + 15_000


def test_a_blocked_member_reads_only_its_own_reading_again() -> None:
    """It read until 10 s, committed at 8 s, and hears at 30 s that others read since 20 s."""
    ledger = Ledger()
    ledger.start(0, 1, [0])
    ledger.stop(10_000, 1, [0])
    ledger.start(20_000, 2, [0])
    ledger.reread(30_000, 1, [0], 8_000)
    assert ledger.read_twice == {0: 2_000}


def test_each_partition_is_read_again_since_it_was_unread_itself() -> None:
    """No commit came since either was read: 0 was unread since 9 s, 1 since 4 s."""
    ledger = Ledger()
    ledger.appear(4_000, [1])
    ledger.appear(9_000, [0])
    ledger.start(5_000, 1, [1])
    ledger.start(10_000, 1, [0])
    ledger.reread(20_000, 1, [0, 1], 0)
    assert ledger.read_twice == {0: 11_000, 1: 16_000}


def test_commits_of_a_replaced_static_member_do_not_count() -> None:
    """The last that counts was at 35 ms; its heir reads from 430 ms on, the next is refused."""
    other = Start(AT + 300, "c", ("orders",), settings("eager"), instance_id="b")
    timeline = play("eager", "ab", [other], static=True, heartbeat_ms=5_000, session_ms=15_000)
    assert len(when(timeline, "error")) == 1
    assert [*timeline.reread.values()] == pytest.approx([395] * 6, abs=5)


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
    """It takes longer to give partitions up than max.poll.interval.ms allows."""
    client = settings(kind, max_poll_ms=5_000)
    slow = Start(0, "slow", ("orders",), replace(client, revoke_ms=8_000))
    others = (Start(at, name, ("orders",), client) for at, name in ((0, "quick"), (AT, "new")))
    scenario = Scenario(Group(TOPICS, []), [slow, *others], client, broker=BROKER, end=100_000)
    timeline = simulate(scenario)
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
    # one rebalance each, unless both look before the same one
    assert sum(generation.at >= AT for generation in timeline.generations) in (1, 2)
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
