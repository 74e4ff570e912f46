"""What holds in every scenario."""

from collections import Counter
from dataclasses import replace

import pytest

from optimizer.coordinator import Close, Start, Timeline, figures_of, simulate
from tests.optimizer.coordinator.random_scenarios import at_rest, random_scenario
from tests.support.tiers import tiered


@pytest.mark.parametrize("number", tiered(range(400), 60))
def test_random_scenarios(number: int) -> None:
    scenario = random_scenario(number)
    timeline = simulate(scenario, number)
    assert timeline.stable
    assert owned_twice(timeline) == []
    assert unread(timeline) == []
    assert time_goes_on(timeline)
    # two read a partition at a time where a static id is used twice; the older one is fenced
    assert {timeline.lives[before] for _, _, before, _ in timeline.overlaps} <= fenced(timeline)
    if number % 5 == 0:
        assert simulate(scenario, number) == timeline
    if number % 4 == 0:
        figures_need_no_details(timeline, simulate(scenario, number, details=False))


def test_a_zombie_is_told() -> None:
    timelines = (simulate(random_scenario(number), number) for number in range(0, 400, 3))
    assert any(timeline.overlaps for timeline in timelines)


def figures_need_no_details(timeline: Timeline, figures: Timeline) -> None:
    """They are sums that are kept anyway: the same as of the details, which aren't there then."""
    assert figures_of(figures) == figures_of(timeline)
    assert figures.final == timeline.final
    pauses = [(pause.end - pause.start) / 1000 for pause in timeline.pauses]
    needless = [
        pause for pause in timeline.pauses if pause.in_rebalance and pause.before == pause.after
    ]
    assert timeline.longest_pause_before_end == max(pauses, default=0)
    assert sum(timeline.unread_before_end.values()) == pytest.approx(sum(pauses))
    assert timeline.stopped_needlessly == len(needless)
    assert timeline.moved == len(timeline.moves)
    assert timeline.taken_over == len(timeline.takeovers)
    assert timeline.rebalances == len(timeline.generations) + len(timeline.targets)
    kept = (figures.pauses, figures.readings, figures.generations, figures.member_states)
    assert not any(kept)


def owned_twice(timeline: Timeline) -> list[int]:
    """Partitions that the coordinator's account gives to two members, of any assignment."""
    assignments = [
        *(generation.assignment or {} for generation in timeline.generations),
        *(target.assignment for target in timeline.targets),
        timeline.final,
    ]
    counts = (Counter(p for parts in by.values() for p in parts) for by in assignments)
    return [partition for count in counts for partition, times in count.items() if times > 1]


def unread(timeline: Timeline) -> list[str]:
    """Partitions that somebody subscribes to and nobody reads in the end, if anybody is left.

    But those that came while a static leader was away: when it is back nobody assigns anew, and it
    takes what it finds for what it has assigned (KIP-814), so that they wait for a rebalance.
    """
    if not timeline.final:
        return []
    returns = [
        happening.at for happening in timeline.happenings if happening.what == "static_no_rebalance"
    ]
    rebalances = [generation.at for generation in timeline.generations]
    return [
        str(timeline.partitions[item])
        for item, since in timeline.unread_at_end.items()
        if max(returns, default=-1) < since or max(rebalances, default=-1) > since
    ]


def time_goes_on(timeline: Timeline) -> bool:
    times = [happening.at for happening in timeline.happenings]
    spans = [*timeline.pauses, *timeline.readings]
    return times == sorted(times) and all(span.start <= span.end for span in spans)


def fenced(timeline: Timeline) -> set[str | None]:
    return {item.member for item in timeline.happenings if item.why == "FENCED_INSTANCE_ID"}


@pytest.mark.parametrize("number", tiered(range(300), 30))
def test_without_events_nothing_rebalances(number: int) -> None:
    timeline = simulate(at_rest(number), number)
    assert (timeline.rebalances, timeline.unread_seconds, timeline.stable) == (0, 0, True)


def test_another_seed_is_another_life() -> None:
    scenario = replace(at_rest(3), steps=[Close(10_000, "m0"), Start(50_000, "m0")], end=None)
    lives = {
        tuple(round(happening.at) for happening in simulate(scenario, seed).happenings)
        for seed in range(5)
    }
    assert len(lives) > 1
