"""What a league comes to, in a sentence."""

from typing import Any

from pyspark.sql import Row

from spark.replay.text import best_replayed, sentence_of


def row(strategy: str, excess: float, first_moves: int, **more: Any) -> dict[str, Any]:
    return {
        **{"kind": "consumer", "strategy": strategy, "groups": 9, "not_evaluated": 0},
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


def test_all_that_are_as_good_are_named_with_what_the_change_to_them_moves() -> None:
    assert best_replayed(LEAGUE) == (
        "3 of 9 groups changed; uniform, optimal and cooperative-sticky did equally well in all: "
        "no overload (actual: 7.5 partition-hours of overload), 5 moves (actual: 5), "
        "5 interruptions (actual: 40 in 7 of 9 groups). Switching moves partitions: "
        "388 (uniform), 390 (optimal), 518 (cooperative-sticky)."
    )
    overall = [row | {"best_or_equal": 2} for row in LEAGUE]
    assert " did equally well: no overload" in best_replayed(overall)


def test_what_only_the_optimum_reaches_stands_beside_the_best_of_kafkas() -> None:
    best, kafka = row("optimal", 0.0, 9, alone=3), row("range", 2.5, 1_388, stopped=2_000)
    assert best_replayed([best, kafka]) == (
        "3 of 9 groups changed; optimal did best in all: no overload, 5 moves, 5 interruptions. "
        "Switching to it moves 9 partitions. Kafka's best: range, 2.5 partition-hours of "
        "overload, 5 moves, 2,000 interruptions."
    )


def test_without_the_actual_assignments_a_strategy_stands_alone() -> None:
    text = best_replayed([row("range", 2.5, 1_388, stopped=2_000, stopped_groups=7)])
    assert text.endswith(
        "range did best in all: 2.5 partition-hours of overload, 5 moves, 2,000 interruptions in "
        "7 of 9 groups. Switching to it moves 1,388 partitions."
    )


def test_a_history_in_which_nothing_happened_tells_no_strategy_apart() -> None:
    assert best_replayed([row("current", 0.0, 0, unchanged=9, best_or_equal=0)]) == (
        "0 of 9 groups changed; no strategy does better than the actual assignments: no overload, "
        "5 moves, 5 interruptions."
    )


def of_group(strategy: str = "optimal", **more: Any) -> Row:
    """The best row of a group, equal to the current one but for what is given."""
    figures = {"excess_hours": 2.0, "moves": 5, "stopped": 5, "mean_over_bound": None}
    current = {f"current_{name}": value for name, value in figures.items()}
    names = {"cluster": "c", "group": "g", "strategy": strategy, "equals": [strategy]}
    return Row(**names | {"is_best": True} | figures | current | more)


def test_a_group_is_told_what_its_best_strategy_saves() -> None:
    saves: dict[str, Any] = {"excess_hours": 0.04, "moves": 1, "current_moves": 1_234, "stopped": 0}
    assert sentence_of(of_group(**saves)) == (
        "g of c: best with optimal: 0.0 partition-hours of overload instead of 2.0, "
        "1 move instead of 1,234, 0 interruptions instead of 5."
    )
    by_weight: dict[str, Any] = {"mean_over_bound": 1.0, "current_mean_over_bound": 5 / 3}
    assert sentence_of(of_group(**by_weight)) == (
        "g of c: best with optimal: its worst member by weight at 1.00 times the bound instead of "
        "1.67."
    )
    assert sentence_of(of_group(stopped=1, current_stopped=None)) == (
        "g of c: best with optimal: 1 interruption."
    )


def test_figures_that_are_equal_as_they_are_printed_are_left_out() -> None:
    best = "g of c: best with optimal"
    assert sentence_of(of_group(excess_hours=2.04)) == f"{best}."
    assert sentence_of(of_group(current_moves=None)) == f"{best}."
    assert sentence_of(of_group(equals=["optimal", "range"])) == f"{best} (as good: range)."
    assert sentence_of(of_group("current")) == "g of c: no change does better."
    assert sentence_of(of_group(is_best=False)) is None
