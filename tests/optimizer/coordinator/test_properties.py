"""What holds in every scenario."""

from __future__ import annotations

from dataclasses import replace

import pytest

from optimizer.coordinator import Close, Start, Timeline, figures_of, simulate
from tests.optimizer.coordinator.random_scenarios import at_rest, random_scenario

SCENARIOS = 400
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_random_scenarios(part: int) -> None:
    for number in range(part, SCENARIOS, PARTS):
        scenario = random_scenario(number)
        timeline = simulate(scenario, number)
        assert timeline.stable, number
        assert owned_twice(timeline) == [], number
        assert unread(timeline) == [], number
        assert time_goes_on(timeline), number
        if number % 5 == 0:
            assert simulate(scenario, number) == timeline, number


def test_figures_need_no_details() -> None:
    """They are sums that are kept anyway: the same as of the details, which aren't there then."""
    for number in range(0, SCENARIOS, 4):
        scenario = random_scenario(number)
        timeline = simulate(scenario, number)
        figures = simulate(scenario, number, details=False)
        assert figures_of(figures) == figures_of(timeline), number
        assert figures.final == timeline.final, number
        pauses = [(pause.end - pause.start) / 1000 for pause in timeline.pauses]
        needless = [
            pause for pause in timeline.pauses if pause.in_rebalance and pause.before == pause.after
        ]
        assert timeline.longest_pause_before_end == max(pauses, default=0), number
        assert sum(timeline.unread_before_end.values()) == pytest.approx(sum(pauses)), number
        assert timeline.stopped_needlessly == len(needless), number
        assert timeline.moved == len(timeline.moves), number
        assert timeline.taken_over == len(timeline.takeovers), number
        assert timeline.rebalances == len(timeline.generations) + len(timeline.targets), number
        kept = (figures.pauses, figures.readings, figures.generations, figures.member_states)
        assert not any(kept), number


def owned_twice(timeline: Timeline) -> list[int]:
    """Partitions that the coordinator's account gives to two members."""
    result = []
    for generation in timeline.generations:
        inputs = [part for parts in (generation.assignment or {}).values() for part in parts]
        if len(inputs) > len({*inputs}):
            result.append(generation.number)
    for target in timeline.targets:
        inputs = [part for parts in target.assignment.values() for part in parts]
        if len(inputs) > len({*inputs}):
            result.append(target.epoch)
    inputs = [part for parts in timeline.final.values() for part in parts]
    return [*result, *([-1] if len(inputs) > len({*inputs}) else [])]


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


def test_a_zombie_is_told() -> None:
    """Two read a partition at a time where a static id is used twice; the older one is fenced."""
    seen = 0
    for number in range(0, SCENARIOS, 3):
        timeline = simulate(random_scenario(number), number)
        fenced = {
            happening.member
            for happening in timeline.happenings
            if happening.why == "FENCED_INSTANCE_ID"
        }
        for _, _, before, _ in timeline.overlaps:
            assert timeline.lives[before] in fenced, number
            seen += 1
    assert seen > 0


def test_without_events_nothing_rebalances() -> None:
    for number in range(300):
        timeline = simulate(at_rest(number), number)
        assert (timeline.rebalances, timeline.unread_seconds) == (0, 0), number


def test_another_seed_is_another_life() -> None:
    scenario = replace(at_rest(3), steps=[Close(10_000, "m0"), Start(50_000, "m0")], end=None)
    lives = {
        tuple(round(happening.at) for happening in simulate(scenario, seed).happenings)
        for seed in range(5)
    }
    assert len(lives) > 1
