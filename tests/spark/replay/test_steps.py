"""What is made of one group's rows in order of time, where random histories don't show it."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from optimizer.strategies import STRATEGIES, Strategy, strategy_named
from spark.history import Timeline
from spark.replay import steps
from spark.replay.steps import Replay, StepRow, rows_of
from spark.settings import DEFAULT_FLEET_GOALS
from spark.solve import TimeLimit
from tests.support.fleets import Fleet
from tests.support.histories import HOURS
from tests.support.rows import rows_of as encoded

READERS = {"a": ["t"], "b": ["t"]}


def look(
    at: int,
    members: Mapping[str, Sequence[str]] = READERS,
    owners: str = "aabb",
    partitions: int = 4,
    end: int | None = None,
    instances: Mapping[str, str] | None = None,
    **facts: Any,
) -> Any:
    """A group in the snapshots from `at` to `end`; `owners` has those of t-0, t-1 and so on."""
    fleet = Fleet().topic("t", partitions)
    fleet.group("g", members, [("t", p, owner) for p, owner in enumerate(owners)], **facts)
    for row in fleet.rows["members"]:
        row["instance_id"] = (instances or {}).get(row["member_id"])
    row = encoded(fleet)
    row.snapshot, row.start, row.end = HOURS[at], at, at if end is None else end
    return row


def replayed(rows: Sequence[Any], *strategies: str, hours: int = 9) -> dict[str, list[StepRow]]:
    """The steps of each strategy; snapshots are an hour apart."""
    replay = Replay(Timeline({"c": HOURS[:hours]}), strategies, DEFAULT_FLEET_GOALS, 60)
    with TimeLimit(60) as limit:
        made = list(rows_of(iter(rows), replay, limit))
    return {name: [row for row in made if row.strategy == name] for name in strategies}


@pytest.mark.parametrize(
    ("facts", "stopped"),
    [
        ({"strategy": "range"}, 4),
        ({"strategy": "cooperative-sticky"}, 2),
        ({"strategy": "range", "type": "consumer"}, 2),
        ({"strategy": "of.our.own.Assignor"}, None),
        ({}, None),
        ({"type": "connect", "strategy": "default"}, 4),
        ({"type": "connect", "strategy": "sessioned"}, 2),
    ],
)
def test_the_groups_own_protocol_says_what_stops_under_current(
    facts: dict[str, str], stopped: int | None
) -> None:
    made = replayed([look(0, **facts), look(1, owners="abab", **facts)], "current")
    assert made["current"][1].stopped == stopped


def test_what_cannot_be_judged_is_passed_over() -> None:
    rows = [look(0), look(1, state="PreparingRebalance"), look(2), look(3, {"b": ["t"]}, "bbbb")]
    made = replayed(rows, "optimal")["optimal"]
    assert [row.status for row in made] == ["ok", "rebalancing", "ok", "ok"]
    assert [row.rebalanced for row in made] == [True, False, False, True]
    assert (made[1].max_load, made[1].seconds) == (None, 3600)
    assert (made[3].moves, made[3].takeovers) == (0, 2)


def test_without_an_answer_everything_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    """It fails where c is there, and then goes on from what it had before."""

    def named(name: str) -> Strategy:
        def answer(problem: Any, *goals: Any) -> Any:
            if "c" in problem.member_ids:
                raise ValueError("not with c")
            return STRATEGIES[name].answer(problem, *goals)

        return Strategy(answer, has_goals=strategy_named(name).has_goals)

    monkeypatch.setattr(steps, "strategy_named", named)
    came = {**READERS, "c": ["t"]}
    rows = [look(0), look(1, came), look(2, came, "abca"), look(3, {"b": ["t"]}, "bbbb")]
    made = replayed(rows, "uniform")["uniform"]
    assert [row.status for row in made] == ["ok", "failed", "failed", "ok"]
    assert [row.rebalanced for row in made] == [True, True, False, True]
    assert made[1].reason == "ValueError: not with c"
    assert (made[3].moves, made[3].takeovers, made[3].max_load) == (0, 2, 4)


def test_a_group_that_changes_its_type_has_steps_of_its_kind() -> None:
    """What a strategy of the other kind had is forgotten."""
    rows = [look(0), look(1, type="connect"), look(2, {"b": ["t"]}, "bbbb")]
    made = replayed(rows, "range", "connect-eager", "optimal")
    assert [row.start for row in made["range"]] == [0, 2]
    assert [(row.start, row.kind) for row in made["connect-eager"]] == [(1, "connect")]
    assert [row.start for row in made["optimal"]] == [0, 1, 2]
    assert (made["range"][1].moves, made["range"][1].takeovers) == (0, 0)
