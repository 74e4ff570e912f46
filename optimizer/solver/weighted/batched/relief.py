"""From the owners to a level by few moves, in many groups at once."""

import numpy as np

from optimizer.model import NOBODY, Flags, IntArray
from optimizer.solver.weighted.batched.tables import Assignments, Tables, packed
from optimizer.solver.weighted.moves.make_room import make_room
from optimizer.solver.weighted.moves.release import TooFull, to_release
from optimizer.solver.weighted.moves.relieve import ROUNDS


def relieved(tables: Tables, level: IntArray) -> tuple[IntArray, Flags]:
    """What `moves.relieve` finds in each group, and where it finds anything.

    Further rounds are spared where a plan moves as few as members above the level have to give up:
    they only count if they move less.
    """
    best, result = tables.owner.copy(), np.zeros(len(tables), np.bool_)
    moves, saving = np.full(len(tables), tables.weight.size + 1), np.zeros(len(tables), np.int64)
    least = np.zeros(len(tables), np.int64)
    rows = np.arange(len(tables))
    for number in range(ROUNDS):
        items = tables.of_rows(rows)
        released = _to_release(items, level[rows], saving[rows])
        if not number:
            least = np.count_nonzero(released, axis=1)
        relief = _Relief(items, level[rows], released)
        left, count = relief.place_all()
        is_whole = relief.repair(left, count)
        of_plan = items.moves_of(relief.target)
        better = is_whole & (of_plan < moves[rows])
        best[rows[better]], moves[rows[better]] = relief.target[better], of_plan[better]
        result[rows[better]] = True
        at = np.arange(left.shape[1]) < count[:, None]
        saving[rows] += np.where(at, np.take_along_axis(items.weight, left, 1), 0).sum(axis=1)
        rows = rows[(count > 0) & (moves[rows] > least[rows])]
        if not len(rows):
            break
    return best, result


def _to_release(tables: Tables, level: IntArray, saving: IntArray) -> Flags:
    """Which partitions members who have too much are to give up, group by group."""
    loads = Assignments(tables, tables.owner).loads
    group, member = (loads > level[:, None]).nonzero()
    own, count = packed(tables.owner[group] == member[:, None], tables.heaviest[group])
    weight = np.take_along_axis(tables.weight[group], own, 1).tolist()
    excess = (loads[group, member] - level[group]).tolist()
    full: dict[int, list[TooFull]] = {}
    for at, owned, weights, most, end in zip(
        group.tolist(), own.tolist(), weight, excess, count.tolist(), strict=True
    ):
        full.setdefault(at, []).append(TooFull(owned[:end], weights[:end], most))
    released = np.zeros(tables.weight.shape, np.bool_)
    for row, members in full.items():
        released[row, to_release(members, int(saving[row]))] = True
    return released


class _Relief(Assignments):
    """Assignments from the owners, without what is given up."""

    def __init__(self, tables: Tables, level: IntArray, mask: Flags) -> None:
        super().__init__(tables, np.where(mask, NOBODY, tables.owner))
        self.level = level

    def place_all(self) -> tuple[IntArray, IntArray]:
        """Place what has no owner, the heaviest first; returns what has no room, by group."""
        unplaced, count = packed(self.target == NOBODY, self.tables.heaviest)
        left = np.zeros(unplaced.shape, np.bool_)
        for at in range(unplaced.shape[1]):
            rows = (count > at).nonzero()[0]
            left[rows, at] = ~self.place(rows, unplaced[rows, at], self.level[rows])
        column, count = packed(left)
        return np.take_along_axis(unplaced, column, 1), count

    def repair(self, left: IntArray, count: IntArray) -> Flags:
        """Place what there was no room for; the groups in which everything is placed and fits."""
        owner = np.take_along_axis(self.tables.owner, left, 1)
        for at in range(left.shape[1]):
            rows = ((count > at) & (owner[:, at] != NOBODY)).nonzero()[0]
            self.give(rows, left[rows, at], owner[rows, at])
        is_whole = self._relieve_all(np.flatnonzero(count))
        homeless = np.zeros(left.shape, np.bool_)
        for at in range(left.shape[1]):
            rows = ((count > at) & (owner[:, at] == NOBODY)).nonzero()[0]
            homeless[rows, at] = ~self.place(rows, left[rows, at], self.level[rows])
        for row in np.flatnonzero(~is_whole | homeless.any(axis=1)).tolist():
            is_whole[row] = self._make_room(row, left[row, homeless[row]])
        return is_whole

    def _make_room(self, row: int, homeless: IntArray) -> bool:
        partitions = int(self.tables.partitions[row])
        target = self.target[row, :partitions].copy()
        indices = make_room(
            self.tables.weighted_problem_of(row), target, int(self.level[row]), homeless.tolist()
        )
        if indices is None:
            return False
        self.target[row, :partitions] = indices
        return True

    def _relieve_all(self, rows: IntArray) -> Flags:
        """Let members who have too much give up one partition after the other until they fit.

        The members of a group in their order; whether all of them fit then.
        """
        is_relieved = np.ones(len(self.tables), np.bool_)
        member, count = packed(self.loads[rows] > self.level[rows, None])
        for at in range(member.shape[1]):
            items = (count > at).nonzero()[0]
            is_relieved[rows[items]] &= self._relieve(rows[items], member[items, at])
        return is_relieved

    def _relieve(self, rows: IntArray, member: IntArray) -> Flags:
        """The same for one member of each row."""
        own, count = packed(self.target[rows] == member[:, None], self.tables.lightest[rows])
        is_own = np.arange(own.shape[1]) < count[:, None]
        weight = self.tables.weight[rows[:, None], own]
        is_relieved = np.ones(len(rows), np.bool_)
        todo = np.arange(len(rows))
        while len(todo):
            excess = self.loads[rows[todo], member[todo]] - self.level[rows[todo]]
            todo, excess = todo[excess > 0], excess[excess > 0]
            fits, taker = self._fitting(rows[todo], member[todo], weight[todo])
            turn = _turn(weight[todo], excess)
            turn[~(fits & is_own[todo])] = np.iinfo(np.int64).max
            best = turn.argmin(axis=1)
            mask = turn[np.arange(len(todo)), best] < np.iinfo(np.int64).max
            is_relieved[todo[~mask]] = False
            todo, best, taker = todo[mask], best[mask], taker[mask]
            partition = own[todo, best]
            self.take(rows[todo], partition)
            self.give(rows[todo], partition, taker[np.arange(len(todo)), best])
            is_own[todo, best] = False
        return is_relieved

    def _fitting(
        self, rows: IntArray, member: IntArray, weight: IntArray
    ) -> tuple[Flags, IntArray]:
        """For each of a member's partitions, whether the least full member takes it in, and who."""
        repeated, flat = rows.repeat(weight.shape[1]), weight.reshape(-1)
        load, taker = self.least_full(repeated, flat)
        fits = (load <= self.level[repeated]) & (taker != member.repeat(weight.shape[1]))
        return fits.reshape(weight.shape), taker.reshape(weight.shape)


def _turn(weight: IntArray, excess: IntArray) -> IntArray:
    """When each is tried: from the lightest that is enough on; then from the heaviest that isn't.

    Columns are ascending.
    """
    width = weight.shape[1]
    column = np.arange(width)
    return np.where(weight >= excess[:, None], column, 2 * width - column)
