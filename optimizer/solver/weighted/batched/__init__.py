"""Plans by weight of many groups at once, in each of which everybody reads everything.

Each step is made in all groups before the next one, so that a few operations on long arrays do for
hundreds of groups. The steps are those of `optimizer.solver.weighted`, which finds the same plans;
what few groups need is done by it, and groups that need more are left to it.
"""

from optimizer.solver.weighted.batched.solve import BatchResult, solve_many_by_weight
