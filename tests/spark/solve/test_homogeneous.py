"""Planning many groups at once gives what planning each of them gives."""

from typing import Any

import numpy as np
import pytest

from optimizer.model import BY_COUNT, DEFAULT_GOALS, Goals, measures
from spark.groups import columns_of, read_or_failed
from spark.settings import FleetGoals, GroupGoals
from spark.solve.homogeneous import plan_homogeneous
from spark.solve.solve import planned_groups
from spark.solve.solved_row import SolvedRow
from tests.support.fleets import Fleet
from tests.support.odd_groups import odd_groups
from tests.support.rows import planned_alone, rows_of

COLUMNS = columns_of(SolvedRow)


def plain(solved: SolvedRow) -> dict[str, Any]:
    """A row to compare; its seconds are its own."""
    row = dict(zip(COLUMNS, solved.cells(), strict=True))
    del row["seconds"]
    return {
        column: value.tolist() if isinstance(value, np.ndarray) else value
        for column, value in row.items()
    }


def one_at_a_time(
    rows: list[Any], goals: Goals = BY_COUNT
) -> dict[tuple[str, str], dict[str, Any]]:
    alone = [planned_alone(row, "optimal", goals).solved for row in rows]
    return {(solved.cluster, solved.group): plain(solved) for solved in alone}


def all_at_once(rows: list[Any]) -> dict[tuple[str, str], dict[str, Any]]:
    read = {at: (row, read_or_failed(row)) for at, row in enumerate(rows)}
    planned = plan_homogeneous(read, "optimal").values()
    return {(solved.cluster, solved.group): plain(solved) for solved in planned}


def random_fleet(seed: int) -> Fleet:
    """Groups in which everybody reads everything; what weighs how much isn't known of all."""
    random = np.random.default_rng(seed)
    fleet = Fleet()
    for number in range(60):
        topics = {f"{number}-{t}": int(random.integers(1, 7)) for t in range(random.integers(1, 4))}
        members = [f"m{m}" for m in range(random.integers(1, 7))]
        for topic, size in topics.items():
            fleet.topic(topic, size)
        claims = [
            (topic, p, str(random.choice(members)))
            for topic, size in topics.items()
            for p in range(size)
            if random.random() < 0.8
        ]
        fleet.group(f"g{number}", {member: list(topics) for member in members}, claims)
    for row in fleet.rows["partitions"]:
        row["weight"] = None if random.random() < 0.1 else float(random.lognormal())
    for row in fleet.rows["members"]:
        row["capacity"] = {"g1": 2.0, "g2": 0.0, "g3": float(row["member_id"][1:]) + 1}.get(
            row["group"]
        )
        if row["group"] in {f"g{number}" for number in range(0, 60, 2)}:
            row["host"] = random.choice(["/h1", "h1", "h2", "h3", None])
    return fleet


def test_one_pair_of_members_on_a_host() -> None:
    fleet = Fleet().topic("t", 7).group("g", {member: ["t"] for member in "abc"})
    for row, host in zip(fleet.rows["members"], ("/h1", "h1", "h2"), strict=True):
        row["host"] = host
    rows = [rows_of(fleet)]
    assert all_at_once(rows) == one_at_a_time(rows) != {}


@pytest.fixture(scope="module")
def alike() -> list[Any]:
    fleet = random_fleet(1)
    return [rows_of(fleet, f"g{number}", weights=True) for number in range(60)]


def test_same_rows_as_one_at_a_time(alike: list[Any]) -> None:
    """Left out is only what has to be looked at more closely, for the spread of its topics."""
    expected, planned = one_at_a_time(alike), all_at_once(alike)
    assert planned == {key: expected[key] for key in planned}
    assert 30 < len(planned) < len(expected) == 60
    assert sum(row["moves"] for row in planned.values()) > 10
    on_hosts = [row for row in planned.values() if row["hosts_optimal"]]
    assert len(on_hosts) > 8
    assert all(row["max_load"] <= row["max_host_load"] for row in on_hosts)
    assert all(row["current_max_host_load"] is not None for row in on_hosts)


def test_same_rows_as_one_at_a_time_where_spread_is_not_looked_at(
    alike: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(measures, "QUICK", 0)
    expected = one_at_a_time(alike)
    assert all_at_once(alike) == expected
    of_one_topic = sum(row["spread_optimal"] is not None for row in expected.values())
    assert 0 < of_one_topic < len(expected) == 60


def test_groups_of_every_kind() -> None:
    """Those that are planned at once are planned right; many are, and the odd ones are left out."""
    fleet = odd_groups()
    names = [(row["group"], row["cluster"]) for row in fleet.rows["groups"]]
    rows = [rows_of(fleet, *name) for name in dict.fromkeys(names)]
    expected, planned = one_at_a_time(rows), all_at_once(rows)
    assert 5 < len(planned) < len(expected)
    assert planned == {key: expected[key] for key in planned}


def test_each_group_is_planned_by_its_own_goals(alike: list[Any]) -> None:
    by_weight = Goals(balance="weight", tolerance=0.2)
    rules = [
        GroupGoals("g1*", DEFAULT_GOALS),
        GroupGoals("g2*", Goals(balance="weight", max_moves=1)),
    ]
    goals = FleetGoals(by_weight, tuple(rules))
    for item in planned_groups(alike, "optimal", goals):
        alone = planned_alone(item.row, "optimal", goals.of("c", item.row.group))
        assert plain(item.solved) == plain(alone.solved)


def test_a_capacity_of_nothing_makes_a_group_invalid_however_it_is_planned() -> None:
    """Nothing weighs anything here, so that all groups would be planned at once by count."""
    fleet = random_fleet(2)
    for row in fleet.rows["partitions"]:
        row["weight"] = None
    rows = [rows_of(fleet, f"g{number}", weights=True) for number in range(60)]
    planned = [*planned_groups(rows, "optimal")]
    alone = [planned_alone(row).solved for row in rows]
    assert [item.solved.status for item in planned] == [solved.status for solved in alone]
    assert [item.row.group for item in planned if item.solved.status == "invalid"] == ["g2"]
    assert sum(item.answer is None for item in planned) > 30


@pytest.mark.parametrize("levels", [("spread", "moves"), ("hosts", "moves"), ("moves", "spread")])
def test_levels_in_another_order_give_the_rows_of_one_at_a_time(
    alike: list[Any], levels: tuple[str, ...]
) -> None:
    """A group in which nothing needs to move may still spread its topics better."""
    goals = Goals(levels=levels)
    for item in planned_groups(alike, "optimal", FleetGoals(goals)):
        expected = plain(planned_alone(item.row, "optimal", goals).solved)
        assert plain(item.solved) | {"goals": None} == expected | {"goals": None}
