"""Which goals count for which group, and prices of a move."""

from pathlib import Path
from typing import Any

import pytest

from optimizer.model.goals import BY_COUNT, DEFAULT_GOALS, Goals, GoalsError
from spark import InputError
from spark.settings import costs_of, move_price, read_settings
from spark.settings.config_file import ConfigFile
from spark.settings.goals import (
    FleetGoals,
    GroupGoals,
    goal_of,
    goals_from_text,
    goals_to_text,
    read_goals,
)

LEADER, ANY = Goals(rack="leader"), Goals(rack="any", levels=("moves", "racks"), min_gain=0.5)


def test_the_first_rule_that_fits_counts_and_the_default_where_none_does() -> None:
    in_eu = GroupGoals("*", ANY, cluster="eu")
    rules = (GroupGoals("pay-*", LEADER), GroupGoals("pay-b?", ANY), in_eu)
    goals = FleetGoals(DEFAULT_GOALS, rules)
    assert goals.of("us", "pay-b1") == LEADER
    assert goals.of("eu", "orders") == ANY
    assert goals.of("us", "orders") == DEFAULT_GOALS


def goals_of(**tables: Any) -> FleetGoals:
    file = ConfigFile.model_validate(tables)
    return read_goals(file.goals, file.group)


def test_a_rule_leaves_the_other_goals_as_they_are_for_all_and_may_turn_racks_off() -> None:
    read = goals_of(goals={"rack": "any"}, group=[{"match": "g", "min_gain": 2}])
    assert read.of("c", "g") == Goals(rack="any", min_gain=2)
    read = goals_of(goals={"rack": "any"}, group=[{"match": "g", "rack": "none"}])
    assert read.of("c", "g") == DEFAULT_GOALS
    assert read.need_racks


def test_options_override_the_default_and_the_rules() -> None:
    goals = FleetGoals(DEFAULT_GOALS, (GroupGoals("g", ANY),)).overridden(rack="leader")
    assert goals.of("c", "other") == LEADER
    assert goals.of("c", "g") == Goals(rack="leader", levels=("moves", "racks"), min_gain=0.5)
    assert goals.overridden(rack="none").of("c", "other") == DEFAULT_GOALS
    with pytest.raises(GoalsError, match="min_gain is -1"):
        goals.overridden(min_gain=-1)


def test_an_effort_that_ended_is_read_as_the_default(tmp_path: Path) -> None:
    """In files of settings with a note, and in plans of versions before."""
    file = tmp_path / "old.toml"
    file.write_text('[[group]]\nmatch = "g"\nbalance = "weight"\neffort = "thorough"\n')
    settings = read_settings(file)
    assert settings.goals.of("c", "g") == Goals(balance="weight")
    assert settings.notes == ("effort 'thorough' ended and counts as 'standard'.",)
    assert read_settings(None).notes == ()
    assert goals_from_text('{"effort": "thorough"}') == DEFAULT_GOALS


@pytest.mark.parametrize("goals", [BY_COUNT, LEADER, ANY])
def test_a_plan_tells_its_goals(goals: Goals) -> None:
    assert goals_from_text(goals_to_text(goals)) == goals


@pytest.mark.parametrize("text", ["{", "[]", '{"rack": "near"}', '{"other": 1}'])
def test_goals_that_nobody_wrote(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        goals_from_text(text)


@pytest.mark.parametrize(
    ("text", "goal"),
    [
        ("rack=any", ("rack", "any")),
        (" rack = 'any' ", ("rack", "any")),
        ("levels=moves,racks", ("levels", ["moves", "racks"])),
        ('levels=["moves", "racks"]', ("levels", ["moves", "racks"])),
        ('copartition="orders, payments"', ("copartition", ["orders, payments"])),
        ("copartition=orders,payments", ("copartition", ["orders,payments"])),
        ("min_gain=0.5", ("min_gain", 0.5)),
        ("min_gain=much", ("min_gain", "much")),
    ],
)
def test_a_goal_is_read_from_a_text(text: str, goal: tuple[str, object]) -> None:
    assert goal_of(text) == goal


def test_the_nearest_goal_is_proposed() -> None:
    with pytest.raises(InputError, match=r"; did you mean min_gain\?$"):
        goal_of("mingain=3")


@pytest.mark.parametrize("text", ["rack", "racks=any", "=any", ""])
def test_a_text_that_states_no_goal(text: str) -> None:
    with pytest.raises(InputError, match=r"with a key of rack|'racks'; did you mean rack"):
        goal_of(text)


@pytest.mark.parametrize(
    ("text", "moves", "cost"),
    [("30s", 3, "90 s"), ("2m", 1, "120 s"), ("2GB", 3, "6.00 GB"), ("0s", 5, "0 s")],
)
def test_a_price_times_moves(text: str, moves: int, cost: str) -> None:
    assert move_price(text).text(moves) == cost


@pytest.mark.parametrize("text", ["", "30", "2 GB", "-1s", "x"])
def test_anything_else_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is no price of a move"):
        move_price(text)


def test_prices_of_strategies_the_cheapest_first_and_of_rows() -> None:
    moves = {"range": 20, "optimal": 3, "uniform": None}
    rows = [{"strategy": name, "moves": count} for name, count in moves.items()]
    assert (
        costs_of(move_price("30s"), rows)
        == "At 30 s for each partition that moves: optimal 90 s, range 600 s."
    )
    assert costs_of(move_price("2GB"), []) == "At 2.00 GB for each partition that moves: no moves."
    costs = [row["move_seconds"] for row in move_price("30s").with_costs(rows)]
    assert costs == [600, 90, None]
    assert move_price("2GB").with_costs(rows)[0] == rows[0] | {"move_bytes": 40 * 10**9}
