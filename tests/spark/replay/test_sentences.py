"""What a league comes to, in a sentence."""

from __future__ import annotations

from typing import Any

from spark.replay.sentences import best_replayed


def row(strategy: str, excess: float, first_moves: int, **more: Any) -> dict[str, Any]:
    return {
        **{"kind": "consumer", "strategy": strategy, "groups": 9, "without_answer": 0},
        **{"excess_hours": excess, "mean_over_bound": None, "moves": 5, "stopped": 5},
        **{"stopped_groups": 9, "first_moves": first_moves, "remote_read_hours": None},
        **{"unchanged": 6, "best_or_equal": 3, "alone": 0},
        **more,
    }


LEAGUE = [
    row("uniform", 0.0, 388),
    row("optimal", 0.1 + 0.2 - 0.3, 390),  # 0 but for what comes of adding up
    row("cooperative-sticky", 0.0, 518),
    row("current", 7.5, 0, stopped=40, stopped_groups=7),
]


def test_all_that_are_as_good_are_named_and_the_cheapest_to_change_to_is_first() -> None:
    said = best_replayed(LEAGUE)
    assert said.startswith(
        "Best off with uniform: 0.0 partition-hours of excess load, 5 moves, 5 partitions stopped, "
        "388 moves to change to it; "
    )
    assert "; equally good: optimal (390 moves to change to it), cooperative-sticky (518" in said
    assert (
        "Nothing happened in 6 of 9 groups; uniform is the best, or as good, in 3 of the " in said
    )
    assert said.endswith(" other 3, and alone in 0.")


def test_it_says_of_how_many_groups_what_stopped_is_a_sum() -> None:
    assert (
        "as it was: 7.5 partition-hours of excess load, 5 moves, 40 partitions stopped in 7 of 9 "
        in (best_replayed(LEAGUE))
    )


def test_a_history_in_which_nothing_happened_tells_no_strategy_apart() -> None:
    said = best_replayed([row("current", 0.0, 0, unchanged=9, best_or_equal=0)])
    assert said.endswith(" Nothing happened in 9 of 9 groups.")
