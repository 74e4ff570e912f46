"""The coordinator's uniform assignment of members who subscribe to different topics."""

from __future__ import annotations

import numpy as np

from optimizer.model import NOBODY, IntArray, Problem, classes_of
from optimizer.strategies.uniform.levels import Levels
from optimizer.strategies.uniform.topic_ids import topic_ids

_CYCLES = 16
"""MAX_ITERATION_COUNT of Kafka's class."""


def assign_heterogeneous(problem: Problem, order: IntArray) -> IntArray:
    """Keep all, fill up, then even out (UniformHeterogeneousAssignmentBuilder, KAFKA-17710).

    `order` is that of the HashMap of members; in here, a member's number is its place in it.
    """
    state = _State(problem, order)
    topics = _topic_order(problem)
    for topic in topics:
        state.fill(topic)
    _even_out(state, [topic for topic in topics if len(state.readers(topic)) > 1])
    target = np.full(problem.partition_count, NOBODY)
    owned = state.owner != NOBODY
    target[owned] = order[state.owner[owned]]
    return target


def _topic_order(problem: Problem) -> list[int]:
    """Topics that are read: many partitions a reader first, then few readers, then by topic id."""
    ids = topic_ids(problem)
    classes = classes_of(problem)
    topics = np.flatnonzero(classes.of_topic >= 0)
    readers = np.diff(classes.offsets)[classes.of_topic[topics]]
    per_reader = np.diff(problem.topic_offsets)[topics] / readers
    rows = zip((-per_reader).tolist(), readers.tolist(), topics.tolist(), strict=True)
    return [t for *_, t in sorted(rows, key=lambda row: (row[0], row[1], ids[row[2]]))]


def _even_out(state: _State, topics: list[int]) -> None:
    """Go round the topics until a whole round changes nothing, 16 times at most."""
    last_changed = NOBODY
    for _ in range(_CYCLES):
        for place, topic in enumerate(topics):
            if place == last_changed:
                return
            if state.even_out(topic) or last_changed == NOBODY:
                last_changed = place


class _State:
    """Who owns what, and how much, on the way."""

    def __init__(self, problem: Problem, order: IntArray) -> None:
        self._problem = problem
        self._classes = classes_of(problem)
        self._place = np.argsort(order)
        self._readers: dict[int, IntArray] = {}
        self.owner = np.full(problem.partition_count, NOBODY)
        kept = self._classes.keepable
        self.owner[kept] = self._place[problem.owner[kept]]
        self._loads = np.bincount(self.owner[kept], minlength=len(order))

    def readers(self, topic: int) -> IntArray:
        """Numbers of a topic's readers, ascending."""
        c = int(self._classes.of_topic[topic])
        if c not in self._readers:
            self._readers[c] = np.sort(self._place[self._classes.members_of(c)])
        return self._readers[c]

    def fill(self, topic: int) -> None:
        """Give the topic's partitions that nobody has to the readers who have least."""
        start, end = self._problem.topic_offsets[topic : topic + 2].tolist()
        free = start + np.flatnonzero(self.owner[start:end] == NOBODY)
        if len(free):
            levels = Levels(self.readers(topic), self._loads)
            for partition in free.tolist():
                self._give(partition, levels.next_least())

    def even_out(self, topic: int) -> bool:
        """Move the topic's partitions from the fullest of its readers to the emptiest.

        Returns whether any moved. A member gives its highest partition first; those who have
        none are passed over.
        """
        readers = self.readers(topic)
        loads = self._loads[readers]
        if loads.max() - loads.min() <= 1:
            return False
        levels = Levels(readers, self._loads)
        owned = self._owned(topic)
        moved = False
        while (giver := levels.next_most(owned)) != NOBODY:
            taker = levels.next_least()
            if levels.even():
                break
            self._loads[giver] -= 1
            self._give(owned[giver].pop(), taker)
            moved = True
        return moved

    def _owned(self, topic: int) -> dict[int, list[int]]:
        start, end = self._problem.topic_offsets[topic : topic + 2].tolist()
        owned: dict[int, list[int]] = {}
        for partition, owner in enumerate(self.owner[start:end].tolist(), start):
            owned.setdefault(owner, []).append(partition)
        return owned

    def _give(self, partition: int, member: int) -> None:
        self.owner[partition] = member
        self._loads[member] += 1
