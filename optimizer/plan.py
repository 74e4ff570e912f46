"""Plans: a strategy's answer for the group, by names and in numbers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar, cast

import numpy as np

from optimizer.checker import Verdict, check_assignment
from optimizer.model import (
    DEFAULT_GOALS,
    NOBODY,
    Answer,
    Goals,
    IntArray,
    Problem,
    Reads,
    changes_of,
    classes_of,
    member_loads,
    rack_table_of,
    spread_of,
)
from optimizer.reasons import Explanation, explain, explain_by_weight

T = TypeVar("T")


def lazy(make: Callable[..., T], *arguments: Any) -> T:
    """A stand-in, in fields of `lazy_fields`, for what `make` returns once one of them is read."""
    return cast(T, _Lazy(make, arguments))


def lazy_fields(*fields: str) -> Callable[[type[T]], type[T]]:
    """Let these fields of a dataclass take what `lazy` gives for them.

    Whoever reads a field gets its value, and so do comparisons, `repr` and dataclasses.replace.
    """

    def add_fields(of: type[T]) -> type[T]:
        for name in fields:
            setattr(of, name, _Field(name))
        return of

    return add_fields


class _Lazy:
    """A value that is made once, however many fields it stands in."""

    def __init__(self, make: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
        self._make, self._arguments = make, arguments
        self._made: list[Any] = []

    def value(self) -> Any:
        if not self._made:
            self._made.append(self._make(*self._arguments))
        return self._made[0]


class _Field:
    """Stands in front of an instance's own dictionary, where the value is or will be."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, instance: object | None, owner: type) -> Any:
        if instance is None:
            raise AttributeError(f"{owner.__name__} has {self._name} in its instances alone")
        value = vars(instance)[self._name]
        if isinstance(value, _Lazy):
            value = vars(instance)[self._name] = value.value()
        return value

    def __set__(self, instance: object, value: Any) -> None:
        vars(instance)[self._name] = value


Assignment = dict[str, list[tuple[str, int]]]


@lazy_fields("assignment", "first_round", "loads", "spread")
@dataclass(frozen=True)
class Plan:
    """A group's assignment by names; every member has a key, partitions are sorted.

    `first_round` is what the first rebalance hands out (only `cooperative-sticky` makes it differ
    from `assignment`); `notes` tell what was ignored or settled in the input, and why the optimum
    isn't proposed if it isn't worth its moves. `spread` is the sum over topics and members of
    (partitions that the member has of the topic)². `reads_found` and `reads` count reads within
    racks and across them, now and planned, where the goals and the group have racks.
    A `Group` can't say who left: in a group that owns something, a partition that no member owns
    counts as left behind, so as taken over; in one that owns nothing all is new.

    What has names is made when it is read for the first time: in a large group that takes longer
    than to plan it.
    """

    strategy: str
    assignment: Assignment
    first_round: Assignment
    loads: dict[str, int]
    sum_squares: int
    moves: int
    takeovers: int
    notes: list[str]
    reads_found: Reads | None = None
    reads: Reads | None = None
    spread: int = field(default=0, compare=False)
    problem: Problem | None = field(default=None, repr=False, compare=False)
    target: IntArray | None = field(default=None, repr=False, compare=False)
    goals: Goals = field(default=DEFAULT_GOALS, repr=False, compare=False)
    rival: IntArray | None = field(default=None, repr=False, compare=False)
    certificate: bytes | None = field(default=None, repr=False, compare=False)

    def explain(self) -> Explanation:
        """Why each partition moves that does, and why loads can't be more even."""
        if self.goals.by_weight:
            return explain_by_weight(*self._indexes(), self.goals, self.certificate)
        return explain(*self._indexes(), self.goals)

    def check(self, certificate: bytes | None = None) -> Verdict:
        """Whether it is optimal, proven without the solver, and the certificate of that.

        A plan by weight is judged by the one that came with it, if no other is given.
        """
        shown = certificate or self.certificate
        return check_assignment(*self._indexes(), shown, self.goals, rival=self.rival)

    def _indexes(self) -> tuple[Problem, IntArray]:
        if self.problem is None or self.target is None:
            raise ValueError("only a plan that `assign` made knows its group")
        return self.problem, self.target


def plan_of(
    strategy: str,
    problem: Problem,
    answer: Answer,
    notes: Sequence[str],
    goals: Goals = DEFAULT_GOALS,
) -> Plan:
    """The plan of an answer's indexes, with names for those who read them."""
    target = answer.target
    table = rack_table_of(problem, goals.rack)
    loads = member_loads(problem, target)
    moves, takeovers = changes_of(problem, target)
    unowned = np.count_nonzero((problem.owner == NOBODY) & (target != NOBODY))
    left_behind = int(unowned) if np.any(problem.owner != NOBODY) else 0
    assignment = lazy(_by_member, problem, target)
    is_settled = answer.first_round is target
    return Plan(
        strategy=strategy,
        assignment=assignment,
        first_round=assignment if is_settled else lazy(_by_member, problem, answer.first_round),
        loads=lazy(_loads_by_member, problem, loads),
        sum_squares=int(loads @ loads),
        moves=moves,
        takeovers=takeovers + left_behind,
        spread=lazy(spread_of, problem, target),
        notes=[*notes, *([answer.reason] if answer.reason else [])],
        reads_found=table and table.reads(classes_of(problem).kept),
        reads=table and table.reads(target),
        problem=problem,
        target=target,
        goals=goals,
        rival=answer.rival,
        certificate=answer.certificate,
    )


def _by_member(problem: Problem, target: IntArray) -> Assignment:
    order = np.argsort(target, kind="stable")
    order = order[np.searchsorted(target[order], 0) :]
    topic = problem.topic_of[order]
    names = np.array(problem.topics, object)[topic].tolist()
    numbers = (order - problem.topic_offsets[topic]).tolist()
    pairs = list(zip(names, numbers, strict=True))
    ends = np.cumsum(member_loads(problem, target)).tolist()
    return {
        member: pairs[start:end]
        for member, start, end in zip(problem.member_ids, [0, *ends], ends, strict=False)
    }


def _loads_by_member(problem: Problem, loads: IntArray) -> dict[str, int]:
    return dict(zip(problem.member_ids, loads.tolist(), strict=True))
