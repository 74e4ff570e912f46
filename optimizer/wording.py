"""What the check found, in words, for `verify` alone."""

import numpy as np

from optimizer.arrays import IntArray
from optimizer.books import Books
from optimizer.problem import Problem
from optimizer.steps import Offence

BETTER = {
    "balance": "more balanced",
    "moves": "fewer moves",
    "racks": "fewer reads across racks",
}

DOUBT = {
    "balance": "that nothing is more balanced",
    "moves": "that it takes so many moves",
    "racks": "that it takes so many reads across racks",
}


class Wording:
    """Sentences about an assignment."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._problem = books.problem

    def cycle(self, level: str, nodes: list[int]) -> str:
        """The nodes of a cycle: each kind on it passes a partition from member to member."""
        kinds = self._books.readers.kind_count
        around = zip(nodes[-1:] + nodes, nodes, nodes[1:] + nodes[:1], strict=False)
        transfers = ", ".join(
            self._transfer(kind, giver - kinds, taker - kinds)
            for giver, kind, taker in around
            if kind < kinds
        )
        return f"{BETTER[level]}: {transfers}"

    def swap(self) -> str | None:
        """A member that gave up a partition and got another of the same kind, if there is one."""
        books, problem, target = self._books, self._problem, self._books.target
        given_up = np.flatnonzero(books.kept < np.minimum(books.owned, books.held))
        if not len(given_up):
            return None
        pair = int(given_up[0])
        of_kind = books.readers.kind_of == books.readers.kind_at(pair)
        member = books.readers.member[pair]
        lost = int(np.argmax(of_kind & (problem.owner == member) & (target != member)))
        instead = int(np.argmax(of_kind & (problem.owner != member) & (target == member)))
        names = problem.member_ids
        return (
            f"{BETTER['moves']}: {names[member]} owns {partition_name(problem, lost)} and is given "
            f"{partition_name(problem, instead)}; {names[target[lost]]} could have that one"
        )

    def offence(self, level: str, offence: Offence) -> str:
        """What a certificate doesn't prove, and where."""
        names, books = self._problem.member_ids, self._books
        doubt = f"the certificate doesn't prove {DOUBT[level]}"
        if offence.giver is None:
            return f"{doubt}: its number for {names[offence.taker]} doesn't fit the load"
        giver, taker = (books.readers.member[pair] for pair in (offence.giver, offence.taker))
        partition = self._held(books.readers.kind_at(offence.taker), int(giver))[0]
        name = partition_name(self._problem, int(partition))
        return f"{doubt}: by its numbers {name} should go from {names[giver]} to {names[taker]}"

    def _transfer(self, kind: int, giver: int, taker: int) -> str:
        """Best names one that the taker owns, or that the giver does not; any of it will do."""
        problem = self._problem
        partitions = self._held(kind, giver)
        owner = problem.owner[partitions]
        best = partitions[np.argmax(2 * (owner == taker) + (owner != giver))]
        names = problem.member_ids
        return f"{partition_name(problem, int(best))} from {names[giver]} to {names[taker]}"

    def _held(self, kind: int, member: int) -> IntArray:
        readers = self._books.readers
        return np.flatnonzero((readers.kind_of == kind) & (self._books.target == member))


def partition_name(problem: Problem, partition: int) -> str:
    """Topic and number, as Kafka's tools write it."""
    topic = int(problem.topic_of[partition])
    return f"{problem.topics[topic]}-{partition - int(problem.topic_offsets[topic])}"
