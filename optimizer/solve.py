"""The optimum: coverage, then balance, then the fewest moves."""

from optimizer.balance import best_shares
from optimizer.hand_out import hand_out
from optimizer.problem import Problem
from optimizer.shares import demand_of
from optimizer.strategies.answer import Answer, settled


def solve(problem: Problem) -> Answer:
    """The best assignment of a group, exactly.

    Every partition that somebody may read is assigned; of all such assignments Σ load² is least
    (and with it the maximum, the variance and every symmetric convex cost: Harvey, Ladner, Lovász
    and Tamir, J. Algorithms 59, 2006); of all those, the fewest partitions change an owner who is
    present and still subscribed. The facts alone decide, not the order that they came in.
    """
    demand = demand_of(problem)
    return settled(hand_out(problem, demand, best_shares(demand)))
