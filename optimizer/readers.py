"""Who may read what, taken from a problem's bare facts for `verify` alone.

The solver has its own way to the same (`Problem.classes`): a fault in one of them must not hide in
the other.
"""

from dataclasses import dataclass

import numpy as np

from optimizer.arrays import IntArray
from optimizer.problem import Problem


@dataclass(frozen=True)
class Readers:
    """Topics that the same subscriptions hold are of one kind; a kind and a reader are a pair.

    `kind_of` has the kind of each partition, or -1 when no member subscribes to it. `kind` and
    `member` have those of each pair, ordered by both.
    """

    kind_of: IntArray
    kind: IntArray
    member: IntArray
    member_count: int

    @property
    def kind_count(self) -> int:
        return int(self.kind.max(initial=-1)) + 1

    def pair_of(self, member: IntArray) -> IntArray:
        """The pair of each partition's kind and the member given for it; -1 if there is none."""
        nobody = (member < 0) | (self.kind_of < 0)
        wanted = np.where(nobody, -1, self.kind_of * self.member_count + member)
        if len(self.kind) == self.kind_count * self.member_count:
            return wanted  # everybody reads everything: pairs are numbered just so
        known = np.append(self.kind * self.member_count + self.member, -2)
        at = np.searchsorted(known[:-1], wanted)
        return np.where(known[at] == wanted, at, -1)


def readers_of(problem: Problem) -> Readers:
    of_topic = _kinds(problem)
    kinds_in = [np.unique(of_topic[topics]) for topics in problem.subscriptions]
    kinds = [kinds_in[s] for s in problem.member_subscription.tolist()]
    member = np.repeat(np.arange(len(kinds)), [len(some) for some in kinds])
    kind = np.concatenate([*kinds, np.empty(0, np.int64)])
    order = np.lexsort((member, kind))
    return Readers(of_topic[problem.topic_of], kind[order], member[order], len(kinds))


def _kinds(problem: Problem) -> IntArray:
    """The kind of each topic: those of one kind are in the same subscriptions."""
    holders: dict[int, list[int]] = {}
    for s in sorted(set(problem.member_subscription.tolist())):
        for topic in problem.subscriptions[s].tolist():
            holders.setdefault(topic, []).append(s)
    number: dict[tuple[int, ...], int] = {}
    of_topic = np.full(len(problem.topics), -1)
    for topic, some in holders.items():
        of_topic[topic] = number.setdefault(tuple(some), len(number))
    return of_topic
