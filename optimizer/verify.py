"""Checks an assignment from the bare facts, with nothing of the solver."""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from optimizer.arrays import IntArray
from optimizer.books import Books
from optimizer.measures import Measures
from optimizer.problem import NOBODY, Problem
from optimizer.readers import Readers, readers_of

FAULTS_NAMED = 5
"""So many partitions of each sort of fault are named; the rest are counted."""


class Verdict(NamedTuple):
    """What an assignment is worth.

    `faults` say why it isn't an assignment of the group at all; with any, the rest says nothing.
    `balance_optimal`: no assignment has a lower Σ load². `moves_optimal`: none of those with the
    least Σ load² moves fewer partitions; None when the balance isn't optimal. `witness` tells
    a change that improves what isn't optimal.
    """

    faults: list[str]
    measures: Measures | None
    balance_optimal: bool
    moves_optimal: bool | None
    witness: str | None


def check_assignment(problem: Problem, target: IntArray) -> Verdict:
    """Judge an assignment; `target` has a member index or NOBODY for each partition.

    It can be improved if and only if its residual network has a cycle of negative cost (Klein,
    Management Science 14, 1967). For the balance alone, such a cycle is a cost-reducing path of
    Harvey, Ladner, Lovász and Tamir (J. Algorithms 59, 2006).
    """
    faults = list(_malformed(problem, target))
    if faults:
        return Verdict(faults, None, False, None, None)
    readers = readers_of(problem)
    faults = list(_misplaced(problem, readers, target))
    if faults:
        return Verdict(faults, None, False, None, None)
    books = Books(problem, readers, target)
    better_balance = _better_balance(books)
    if better_balance:
        return Verdict([], books.measures, False, None, better_balance)
    fewer_moves = _fewer_moves(books)
    return Verdict([], books.measures, True, fewer_moves is None, fewer_moves)


def _malformed(problem: Problem, target: IntArray) -> Iterator[str]:
    if len(target) != problem.partition_count:
        yield f"{len(target)} partitions are assigned, and the group has {problem.partition_count}"
    elif len(target) and not NOBODY <= target.min() <= target.max() < len(problem.member_ids):
        yield f"an index is not one of the {len(problem.member_ids)} members'"


def _misplaced(problem: Problem, readers: Readers, target: IntArray) -> Iterator[str]:
    left_out = (target == NOBODY) & (readers.kind_of >= 0)
    yield from _named(problem, left_out, "has subscribers and is assigned to nobody")
    unread = (target != NOBODY) & (readers.pair_of(target) < 0)
    yield from _named(problem, unread, "is assigned to a member that doesn't subscribe to it")


def _named(problem: Problem, faulty: IntArray, fault: str) -> Iterator[str]:
    partitions = np.flatnonzero(faulty).tolist()
    for partition in partitions[:FAULTS_NAMED]:
        yield f"{_name(problem, partition)} {fault}"
    if len(partitions) > FAULTS_NAMED:
        yield f"{len(partitions) - FAULTS_NAMED} more partitions: each {fault}"


def _better_balance(books: Books) -> str | None:
    """A chain of transfers from a member to another with two partitions less, or None."""
    of_readers = books.loads[books.readers.member]
    if not len(of_readers) or of_readers.max() - of_readers.min() <= 1:
        return None
    cycle = books.residual(count_moves=False).improving_cycle()
    return None if cycle is None else f"more balanced: {_transfers(books, cycle)}"


def _fewer_moves(books: Books) -> str | None:
    """A way to keep one more partition where it is at the same balance, or None."""
    if not books.measures.moves or _keeps_all_it_can(books):
        return None
    given_up = np.flatnonzero(books.kept < np.minimum(books.owned, books.held))
    if len(given_up):
        return f"fewer moves: {_swap(books, int(given_up[0]))}"
    cycle = books.residual(count_moves=True).improving_cycle()
    return None if cycle is None else f"fewer moves: {_transfers(books, cycle)}"


def _keeps_all_it_can(books: Books) -> bool:
    """Whether a balanced group of one kind keeps as much as its quotas let it.

    At most ⌊P/M⌋ of what each member owns can stay, and one more with P mod M of those who own it.
    """
    if books.readers.kind_count != 1:
        return False
    quota, extra = divmod(int(books.held.sum()), len(books.held))
    most = np.minimum(books.owned, quota).sum() + min(extra, np.count_nonzero(books.owned > quota))
    return bool(books.kept.sum() == most)


def _swap(books: Books, pair: int) -> str:
    """The member of `pair` gave up a partition and got another that the same members may read."""
    problem, target = books.problem, books.target
    kind, member = books.readers.kind[pair], books.readers.member[pair]
    of_kind = books.readers.kind_of == kind
    given_up = int(np.argmax(of_kind & (problem.owner == member) & (target != member)))
    instead = int(np.argmax(of_kind & (problem.owner != member) & (target == member)))
    return (
        f"{problem.member_ids[member]} owns {_name(problem, given_up)} and is given "
        f"{_name(problem, instead)}; {problem.member_ids[target[given_up]]} could have that one"
    )


def _transfers(books: Books, cycle: list[int]) -> str:
    """The nodes of a cycle in words: each kind on it passes a partition from member to member."""
    kinds = books.readers.kind_count
    steps = zip(cycle[-1:] + cycle, cycle, cycle[1:] + cycle[:1], strict=False)
    return ", ".join(
        _transfer(books, kind, giver - kinds, taker - kinds)
        for giver, kind, taker in steps
        if kind < kinds
    )


def _transfer(books: Books, kind: int, giver: int, taker: int) -> str:
    """Best names one that the taker owns, or that the giver does not; any of the kind will do."""
    problem = books.problem
    partitions = np.flatnonzero((books.readers.kind_of == kind) & (books.target == giver))
    owner = problem.owner[partitions]
    best = partitions[np.argmax(2 * (owner == taker) + (owner != giver))]
    names = problem.member_ids
    return f"{_name(problem, int(best))} from {names[giver]} to {names[taker]}"


def _name(problem: Problem, partition: int) -> str:
    topic = int(problem.topic_of[partition])
    return f"{problem.topics[topic]}-{partition - int(problem.topic_offsets[topic])}"
