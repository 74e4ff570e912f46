"""What a strategy starts from, what it answers, and how that differs."""

from dataclasses import dataclass, field, replace
from enum import Enum
from functools import cached_property
from typing import NamedTuple

import numpy as np

from optimizer.model import (
    NOBODY,
    Goals,
    IntArray,
    Problem,
    RackTable,
    Reads,
    member_loads,
    rack_table_of,
)
from spark.groups import FleetGroup
from spark.replay.group_state import GroupState, MemberMapping
from spark.solve import max_weight


class Start(Enum):
    """What is owned before the first answer: what was found, or nothing."""

    AS_FOUND = 1
    NOTHING = 2


class Answer(NamedTuple):
    """An answer, and the scene that it was given to."""

    state: GroupState
    target: IntArray


class Changes(NamedTuple):
    """What an answer changes of what was owned.

    `keepable` partitions were owned by somebody who is there and still reads them; `lost` are those
    of them that aren't that member's any more. See `StepRow` for the others.
    """

    moves: int = 0
    takeovers: int = 0
    keepable: int = 0
    lost: int = 0


class Outcome(NamedTuple):
    """An answer in numbers."""

    max_load: int
    min_load: int
    sum_squares: int
    reads: Reads | None


@dataclass(slots=True)
class StrategyState:
    """One strategy in one group: what its members own, by its last answer, and that in numbers.

    `outcome` is a failed group where the strategy has no answer, and None where it wasn't asked.
    """

    owned: Answer | Start
    outcome: Outcome | FleetGroup | None = None

    @property
    def is_first(self) -> bool:
        return self.owned is Start.AS_FOUND


@dataclass(frozen=True, eq=False)
class Transition:
    """A scene, and the ways that lead to it from those before."""

    state: GroupState
    goals: Goals
    _ways: dict[GroupState, MemberMapping] = field(default_factory=dict)

    def owner(self, owned: Answer | Start) -> IntArray:
        """Who of its members, if anybody, owns each of its partitions."""
        if owned is Start.AS_FOUND:
            return self.state.problem.owner
        if owned is Start.NOTHING:
            return self.state.unowned.owner
        assert isinstance(owned, Answer)
        if owned.state not in self._ways:
            self._ways[owned.state] = MemberMapping.of(owned.state, self.state)
        return self._ways[owned.state].carry(owned.target)

    def problem(self, owned: Answer | Start, owner: IntArray) -> Problem:
        """What a strategy is asked; now with all that members claim."""
        if owned is Start.AS_FOUND:
            return self.state.problem
        return replace(self.state.unowned, owner=owner)

    def changes(self, owner: IntArray, target: IntArray) -> Changes:
        """What `target` changes of what `owner` says."""
        keepable = self.state.keepable(owner)
        changed = target != owner
        lost = changed & keepable
        mask = changed & (target != NOBODY)
        moves = int(np.count_nonzero(mask & keepable))
        return Changes(
            moves=moves,
            takeovers=int(np.count_nonzero(mask & (owner != NOBODY))) - moves,
            keepable=int(np.count_nonzero(keepable)),
            lost=int(np.count_nonzero(lost)),
        )

    def outcome(self, target: IntArray) -> Outcome:
        loads = member_loads(self.state.problem, target)
        return Outcome(
            max_load=int(loads.max()),
            min_load=int(loads.min()),
            sum_squares=int(loads @ loads),
            reads=self._racks.reads(target) if self._racks else None,
        )

    def max_weight(self, owned: Answer | Start) -> float | None:
        """The largest load by what partitions weigh now; None where they only count."""
        problem = self.state.problem
        return max_weight(problem, self.owner(owned)) if problem.weights is not None else None

    @cached_property
    def _racks(self) -> RackTable | None:
        return rack_table_of(self.state.problem, self.goals.rack)
