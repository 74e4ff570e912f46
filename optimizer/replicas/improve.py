"""Carries out cycles of exchanges, each of which makes a choice better."""

from itertools import combinations
from typing import NamedTuple

from optimizer.replicas.arrays import IntArray
from optimizer.replicas.exchanges import can_exchange, exchange
from optimizer.replicas.placement import Placement
from optimizer.replicas.residual import BETWEEN, Searched


class Step(NamedTuple):
    """One arc of a cycle: what it costs, and the exchange that it stands for, if any."""

    cost: int
    partition: int
    giver: int
    taker: int


def carry_out(placement: Placement, indices: IntArray, searched: Searched) -> None:
    """Change the choice in place along every cycle that no other has got in the way of."""
    touched: set[int] = set()
    for cycle in searched.cycles:
        steps = _steps(placement, searched, cycle)
        partitions = {step.partition for step in steps} - {BETWEEN}
        if touched & partitions:
            continue
        touched |= partitions
        for step in _untangled(placement, indices, steps):
            if step.partition != BETWEEN:
                exchange(indices, step.partition, step.giver, step.taker)


def _steps(placement: Placement, searched: Searched, cycle: list[int]) -> list[Step]:
    arcs = searched.arcs
    return [
        Step(
            int(arcs.cost[at]),
            int(arcs.partition[at]),
            int(arcs.tail[at]) % placement.brokers,
            int(arcs.head[at]) % placement.brokers,
        )
        for at in cycle
    ]


def _untangled(placement: Placement, indices: IntArray, steps: list[Step]) -> list[Step]:
    """The cycle, or a part of it that makes the choice better and can be carried out.

    Two exchanges a → b and c → d of one partition are in each other's way if they would use the
    same room of a rack. Then a → d and c → b are possible too, each closes a cycle of its own, and
    these two cost together what the one did.
    """
    swaps = [at for at, step in enumerate(steps) if step.partition != BETWEEN]
    for item, other in combinations(swaps, 2):
        first, second = steps[item], steps[other]
        if first.partition != second.partition:
            continue
        across = _step(placement, first.partition, first.giver, second.taker)
        back = _step(placement, first.partition, second.giver, first.taker)
        if all(can_exchange(placement, indices, *step[1:]) for step in (across, back)):
            outer = [*steps[:item], across, *steps[other + 1 :]]
            inner = [*steps[item + 1 : other], back]
            better = outer if sum(step.cost for step in outer) < 0 else inner
            return _untangled(placement, indices, better)
    return steps


def _step(placement: Placement, partition: int, giver: int, taker: int) -> Step:
    cost = placement.cost_of(partition, taker) - placement.cost_of(partition, giver)
    return Step(cost, partition, giver, taker)
