"""Kafka's StickyAssignor and CooperativeStickyAssignor."""

import numpy as np
from numpy.typing import NDArray

from optimizer.model import NOBODY, Answer, IntArray, Problem, classes_of, settled
from optimizer.strategies.kafka import all_same_for_sticky, filled, hash_map_order, racks_of
from optimizer.strategies.sticky.constrained import Constrained, assign_constrained
from optimizer.strategies.sticky.general import assign_general
from optimizer.strategies.sticky.previous import previous_of


def assign_sticky(problem: Problem) -> Answer:
    """The answer of org.apache.kafka.clients.consumer.StickyAssignor (KIP-54, KIP-341).

    A member's claims and its generation are what its user data says. Raises StrategyError where
    Kafka throws.
    """
    return settled(_assign(problem).target)


def assign_cooperative_sticky(problem: Problem) -> Answer:
    """The answer of CooperativeStickyAssignor (KIP-429), and what it holds back at first.

    Partitions that somebody still has to give up are in the target and not in the first round.
    """
    target, transferring = _assign(problem)
    return Answer(target, np.where(transferring, NOBODY, target))


def _assign(problem: Problem) -> Constrained:
    count = problem.partition_count
    if not len(classes_of(problem)):  # nobody reads anything
        return Constrained(np.full(count, NOBODY), np.zeros(count, bool))
    order = hash_map_order(problem)
    previous = previous_of(problem, order)
    racks = racks_of(problem)
    if all_same_for_sticky(problem, order):
        return assign_constrained(problem, filled(problem, order), previous, racks)
    target = assign_general(problem, order, previous, racks)
    return Constrained(target, _transferring(problem, target))


def _transferring(problem: Problem, target: IntArray) -> NDArray[np.bool_]:
    """Partitions that one member claims, by any generation, and another one gets."""
    member, partition = problem.claims
    transferring = np.zeros(len(target), bool)
    transferring[partition] = True
    transferring[partition[target[partition] == member]] = False
    return transferring
