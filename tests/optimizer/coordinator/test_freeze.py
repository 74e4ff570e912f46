"""A member that stands still: within its session nothing happens, after it the group goes on."""

from dataclasses import replace

import pytest

from optimizer.coordinator import (
    ClientSettings,
    Freeze,
    Kill,
    MoveCoordinator,
    Scenario,
    Start,
    Step,
    Subscribe,
    Timeline,
    simulate,
)
from tests.optimizer.coordinator.played import happened
from tests.optimizer.coordinator.test_known_answers import group_of

KINDS = {
    "range": ClientSettings(assignors=("range",)),
    "cooperative-sticky": ClientSettings(assignors=("cooperative-sticky",)),
    "uniform": ClientSettings(protocol="consumer", remote_assignor="uniform"),
}


def frozen(kind: str, seconds: float, *more: Step, static: bool = False, **client: int) -> Timeline:
    group = group_of(3, 12, kind, static=static)
    steps = [Freeze(10_000, "m001", seconds * 1000), *more]
    return simulate(Scenario(group, steps, client=replace(KINDS[kind], **client)), seed=1)


@pytest.mark.parametrize("kind", KINDS)
def test_within_its_session_only_its_own_partitions_wait(kind: str) -> None:
    timeline = frozen(kind, 30)
    assert timeline.rebalances == 0
    assert [*timeline.unread.values()] == pytest.approx([30] * 4, abs=0.2)
    assert timeline.stable


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("static", [False, True])
def test_after_its_session_the_others_take_over_and_it_comes_back(kind: str, static: bool) -> None:
    timeline = frozen(kind, 60, static=static)
    assert happened(timeline, "session_expired") == ["m001"]
    assert happened(timeline, "lost") == ["m001"]
    assert timeline.taken_over >= 4
    assert 40 < timeline.longest_pause < 55
    assert sorted(map(len, timeline.final.values())) == [4, 4, 4]
    assert timeline.stable
    assert not happened(timeline, "error")
    names = [item.member for item in timeline.happenings if item.what.endswith("_added")]
    assert names == ["m001"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_member_that_died_meanwhile_does_not_go_on(kind: str) -> None:
    timeline = frozen(kind, 60, Kill(20_000, "m001"))
    assert not happened(timeline, "freeze_end")
    assert sorted(timeline.final) == ["m000", "m002"]


@pytest.mark.parametrize("kind", KINDS)
def test_its_instance_id_is_taken_meanwhile(kind: str) -> None:
    """The replaced process learns of it when it goes on; KIP-848 refuses the newcomer instead."""
    timeline = frozen(kind, 30, Start(20_000, "m001"), static=True)
    (error,) = [item for item in timeline.happenings if item.what == "error"]
    if kind == "uniform":
        assert (error.why, error.at < 30_000) == ("UNRELEASED_INSTANCE_ID", True)
    else:
        assert (error.why, error.at >= 40_000) == ("FENCED_INSTANCE_ID", True)


def test_what_it_subscribes_to_meanwhile_is_told_when_it_joins_again() -> None:
    """Its group doesn't know it any more: it wants no other rebalance than that."""
    timeline = frozen("range", 60, Subscribe(65_000, "m001", ("orders", "more")))
    what = [item.what for item in timeline.happenings if item.member == "m001"]
    assert what[what.index("freeze_end") :][1:4] == ["block_end", "lost", "member_added"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_rebalance_waits_for_it(kind: str) -> None:
    joins = Start(15_000, "new", ("orders",))
    timeline = frozen(kind, 30, joins)
    begins = 15_000 if kind == "uniform" else 40_000
    settled = max(item.at for item in timeline.happenings if item.what == "assigned")
    assert settled >= begins
    assert sorted(map(len, timeline.final.values())) == [3, 3, 3, 3]
    assert timeline.stable
    # eager members stand still meanwhile
    if kind == "range":
        assert timeline.unread_seconds > 12 * 22


@pytest.mark.parametrize("kind", KINDS)
def test_a_goodbye_follows_where_poll_comes_too_late(kind: str) -> None:
    timeline = frozen(kind, 30, session_ms=45_000, max_poll_ms=20_000)
    assert happened(timeline, "poll_timeout") == ["m001"]
    assert not happened(timeline, "session_expired")
    assert sorted(map(len, timeline.final.values())) == [4, 4, 4]


@pytest.mark.parametrize("kind", KINDS)
def test_another_coordinator_gives_it_a_session_anew(kind: str) -> None:
    timeline = frozen(kind, 60, MoveCoordinator(40_000))
    assert timeline.rebalances == 0
