"""Which groups are begun, and why others aren't, in a cluster that goes by a script."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from optimizer.assignor.plan_file import GroupPlan
from spark.enforce import enforce_groups as module
from spark.enforce.enforce_groups import NOT_TAKEN, Enforced, GroupOutcome, enforce_groups
from spark.enforce.evaluate_group import Evaluation, Status
from spark.sources.live.cluster import Cluster
from spark.terminal.live import say_continue, show_outcomes
from spark.terminal.printing import Format, Printing, printing_as
from tests.support.terminal import tables_of

IN_FORCE = Evaluation(Status.IN_FORCE, None, 0, is_at_rest=True)
READY = Evaluation(Status.NOT_IN_FORCE, None, 1, is_at_rest=True)
UNKNOWN = Evaluation(Status.UNKNOWN, "broker 2 did not answer", 0, is_at_rest=False)
MOVING = Evaluation(Status.NOT_IN_FORCE, "it is PreparingRebalance", 1, is_at_rest=False)

Enforce = Callable[..., Enforced]


class Groups:
    """Stands for a GroupWatcher: all but the `deaf` take their plans; `early` has first looks."""

    def __init__(self, deaf: str, early: dict[str, list[Evaluation]]) -> None:
        self.deaf, self.early, self.begun = deaf, early, list[str]()

    def __enter__(self) -> Groups:
        return self

    def __exit__(self, *_: object) -> None: ...

    def look(self, names: frozenset[str]) -> dict[str, Evaluation]:
        return {name: self._verdict(name) for name in sorted(names)}

    def make_rebalance(self, name: str) -> None:
        self.begun.append(name)

    def _verdict(self, name: str) -> Evaluation:
        if self.early.get(name):
            return self.early[name].pop(0)
        return IN_FORCE if name in self.begun and name not in self.deaf else READY


@pytest.fixture
def enforce(monkeypatch: pytest.MonkeyPatch) -> Enforce:
    """Enforce plans of groups with names of one letter, none of them coupled."""
    monkeypatch.setattr(module, "SETTLED", 0.0)
    monkeypatch.setattr(module, "LOOK_EVERY", 0.0)

    def enforced(names: str, at_once: int, deaf: str = "", **early: list[Evaluation]) -> Enforced:
        monkeypatch.setattr(module, "GroupWatcher", lambda *_: Groups(deaf, early))
        plans = {name: GroupPlan("c", name, "s", {}) for name in names}
        return enforce_groups(Cluster("c", ("b:1",)), plans, {}, at_once, timeout=9)

    return enforced


def told(enforced: Enforced) -> dict[str, str | None]:
    return {outcome.group: outcome.reason for outcome in enforced.outcomes}


def begun(enforced: Enforced) -> str:
    return "".join(outcome.group for outcome in enforced.outcomes if outcome.rebalanced)


def test_a_wave_that_takes_nothing_is_the_last(enforce: Enforce) -> None:
    first = enforce("abcd", 2, deaf="abcd")
    assert first.stopped == "2 groups (a, b) did not take the plan"
    why = f"it was not started: {first.stopped}"
    assert told(first) == {"a": NOT_TAKEN, "b": NOT_TAKEN, "c": why, "d": why}
    assert begun(first) == "ab"
    assert begun(enforce("abcdef", 2, deaf="cdef")) == "abcd"


def test_one_deaf_group_stops_no_others(enforce: Enforce) -> None:
    """Neither beside one that takes its plan nor alone in its wave after such a one."""
    beside, alone = enforce("abcd", 2, deaf="a"), enforce("abc", 1, deaf="b")
    assert (begun(beside), beside.stopped) == ("abcd", None)
    assert (begun(alone), alone.stopped) == ("abc", None)
    assert begun(enforce("abc", 1, deaf="a")) == "a"


def test_groups_that_could_not_be_asked_at_first(enforce: Enforce) -> None:
    """They have a turn after the last wave, and a reason where they come too late for it."""
    late = enforce("abc", 5, b=[UNKNOWN], c=[MOVING])
    assert (begun(late), told(late)) == ("abc", {"a": None, "b": None, "c": None})
    later = enforce("ab", 5, b=[UNKNOWN] * 3)
    assert (begun(later), told(later)["b"]) == ("a", "broker 2 did not answer")


def test_a_group_that_was_kept_from_its_turn_says_why(enforce: Enforce) -> None:
    kept = enforce("a", 5, a=[READY, MOVING, READY, READY, MOVING, READY])
    assert told(kept) == {"a": "it was not started: it is PreparingRebalance"}


def test_a_group_that_moves_at_the_end_comes_to_rest_first(enforce: Enforce) -> None:
    """As after a crash of its coordinator: it owns its plan, and joins another broker."""
    ready, moved = [READY, READY, IN_FORCE], [MOVING, MOVING]
    crashed = enforce("ab", 5, a=[*ready, *moved])
    assert (begun(crashed), told(crashed)) == ("ab", {"a": None, "b": None})


def test_groups_that_one_reason_keeps_out_share_a_row(capsys: pytest.CaptureFixture[str]) -> None:
    why = "its members use range"
    items = [GroupOutcome(name, Status.NOT_IN_FORCE, why, members=2) for name in "abc"]
    ready = [GroupOutcome(name, Status.NOT_IN_FORCE, None, members=1) for name in "de"]
    show_outcomes({"c": [*items, *ready]})
    report = capsys.readouterr()
    assert report.out.count(why) == 1
    assert "3 groups (a, b, c)" in report.out
    assert "5 plans: 0 in force, 5 not in force, 0 unknown." in report.err
    with printing_as(Printing(Format.JSON)):
        show_outcomes({"c": items})
    assert [group["group"] for group in tables_of(capsys.readouterr())["groups"]] == list("abc")


@pytest.mark.parametrize(
    ("is_final", "sentence"),
    [
        ([True, True], "No further run helps: 2 groups can't take a plan as they are."),
        ([True, False], "Next: evenfleet enforce"),
    ],
)
def test_a_run_is_continued_only_where_that_helps(
    capsys: pytest.CaptureFixture[str], is_final: list[bool], sentence: str
) -> None:
    done = GroupOutcome("done", Status.IN_FORCE, None, members=0)
    left = [GroupOutcome("g", Status.NOT_IN_FORCE, "why", 1, is_final=item) for item in is_final]
    say_continue({"c": [done, *left]}, "evenfleet enforce")
    assert capsys.readouterr().err == f"{sentence}\n"


def test_what_can_not_take_a_plan_is_final(enforce: Enforce) -> None:
    never = Evaluation(Status.NOT_IN_FORCE, "its members use range", 1, True, is_final=True)
    result = enforce("ab", 5, a=[never] * 5)
    assert [(item.group, item.is_final) for item in result.outcomes] == [("a", True), ("b", False)]
