"""Kafka's UniformAssignor, which the coordinator runs (KIP-848)."""

import numpy as np

from optimizer.model import NOBODY, Answer, Problem, settled
from optimizer.strategies.kafka import all_same, hash_map_order
from optimizer.strategies.uniform.heterogeneous import assign_heterogeneous
from optimizer.strategies.uniform.homogeneous import assign_homogeneous


def assign_uniform(problem: Problem) -> Answer:
    """The answer of Kafka 4.1 to 4.3.1 (org.apache.kafka…group.assignor.UniformAssignor).

    The current target is what each member owns by `problem.owner`. Racks aren't examined.
    """
    return _assign(problem, extras_to_owners=True)


def assign_uniform_4_0(problem: Problem) -> Answer:
    """The answer of Kafka up to 4.0, which moves more than it has to (KAFKA-18688)."""
    return _assign(problem, extras_to_owners=False)


def _assign(problem: Problem, *, extras_to_owners: bool) -> Answer:
    if not len(problem.member_ids):
        return settled(np.full(problem.partition_count, NOBODY))
    order = hash_map_order(problem)
    if all_same(problem):
        return settled(assign_homogeneous(problem, order, extras_to_owners=extras_to_owners))
    return settled(assign_heterogeneous(problem, order))
