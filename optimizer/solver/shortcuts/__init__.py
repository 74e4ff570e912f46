"""Ways to find the shares of a part, the cheapest first; the network, which always can, last."""

from collections.abc import Callable

from optimizer.solver.demand import Demand, Solver
from optimizer.solver.network import by_network
from optimizer.solver.shortcuts.chain import by_chain
from optimizer.solver.shortcuts.nested import by_nest
from optimizer.solver.shortcuts.one_kind import by_even_shares

SHORTCUTS: tuple[Callable[[Demand], Solver | None], ...] = (
    by_even_shares,
    by_chain,
    by_nest,
    by_network,
)
"""Each tells how it finds the shares of a part within one of each other, None where it can't."""
