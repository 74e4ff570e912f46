"""Flows in networks, and linear programmes: the one file that knows OR-Tools."""

import os
import signal
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from optimizer.model import CostOverflowError, IntArray
from optimizer.process_copy import start_copy

NONE, SOME, FAILED = b"0", b"1", b"2"
"""First bytes of an answer."""


def interruptible(call: Callable[[], IntArray | None]) -> IntArray | None:
    """The answer of `call`; where a timer for processor time is running, it ends the call as well.

    Python tells of a signal between two of its own steps, and not while a library computes. So the
    call is made in a copy of this process, which the timer ends at once; what is left of the time
    counts there, and what the copy needed is taken off here. A timer that ends the copy rings here.
    Without a timer, beside the main thread, and on Windows it is a plain call.
    """
    left = signal.getitimer(signal.ITIMER_PROF)[0] if hasattr(signal, "setitimer") else 0
    if not left or threading.current_thread() is not threading.main_thread():
        return call()
    child, pipe = start_copy(lambda pipe: pipe.write(_answer(call, left)))
    ended = False
    try:
        with pipe:
            text, answer = pipe.read(1), pipe.read()
        status, used = _end_of(child)
        ended = True
    finally:
        if not ended:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGPROF:
        signal.raise_signal(signal.SIGPROF)
    _take_off(used)
    if text == FAILED:
        raise RuntimeError(answer.decode())
    if text not in (NONE, SOME):
        raise RuntimeError(f"the process that planned this group ended with status {status}")
    return np.frombuffer(answer, np.int64).copy() if text == SOME else None


def _answer(call: Callable[[], IntArray | None], seconds: float) -> bytes:
    """The copy's answer, unless the timer rings before."""
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        flows = call()
        return NONE if flows is None else SOME + flows.astype(np.int64).tobytes()
    except Exception as error:
        return FAILED + f"{type(error).__name__}: {error}".encode()


def _end_of(child: int) -> tuple[int, float]:
    """How it ended, and the processor time that it took."""
    _, status, usage = os.wait4(child, 0)
    return status, usage.ru_utime + usage.ru_stime


def _take_off(seconds: float) -> None:
    """Let the timer ring so much earlier."""
    left, again = signal.getitimer(signal.ITIMER_PROF)
    if left:
        signal.setitimer(signal.ITIMER_PROF, max(left - seconds, 1e-6), again)


MAX_NUMBER = 2**62
"""No number that the flow computes may get larger than that."""

LONG = 2 * 10**7
"""Nodes times arcs of a network that may take a tenth of a second."""


class Arcs(NamedTuple):
    """Arcs of a network: where each leads from and to, what it holds, and what a unit costs."""

    tail: IntArray
    head: IntArray
    capacity: IntArray
    cost: IntArray


def cheapest_flow(parts: Sequence[Arcs], supply: IntArray) -> IntArray | None:
    """The flow along each arc in a flow of least cost; None if nothing meets the supplies.

    `supply` is that of each node; the arcs of the parts come one after the other. Where 64 bits
    couldn't hold what comes of it, raises `CostOverflowError`.
    """
    arcs = Arcs(*map(np.concatenate, zip(*parts, strict=True)))
    _check_range(arcs.cost, supply)
    if len(supply) * len(arcs.tail) < LONG:
        return _cheapest_flow(arcs, supply)
    return interruptible(lambda: _cheapest_flow(arcs, supply))


def _cheapest_flow(arcs: Arcs, supply: IntArray) -> IntArray | None:
    solver = _graph().min_cost_flow.SimpleMinCostFlow()
    numbers = solver.add_arcs_with_capacity_and_unit_cost(*arcs)
    solver.set_nodes_supplies(np.arange(len(supply)), supply)
    status = solver.solve()
    if status == solver.INFEASIBLE:
        return None
    if status != solver.OPTIMAL:
        raise RuntimeError(f"OR-Tools' min-cost flow ended with {status.name}")
    flows: IntArray = solver.flows(numbers)
    return flows


def _check_range(cost: IntArray, supply: IntArray) -> None:
    """Bound what OR-Tools computes: total cost, and prices of its nodes.

    It multiplies costs by the number of nodes plus one and scales from there; a price falls by no
    more than three times the nodes times the dearest scaled cost (Goldberg 1997).
    """
    nodes, dearest = len(supply), int(cost.max(initial=0))
    units = float(np.maximum(supply, 0).sum(dtype=np.float64))
    if max(units, 3 * nodes * (nodes + 1)) * dearest > MAX_NUMBER:
        raise CostOverflowError(
            f"the costs of {units:,.0f} partitions and {nodes:,} nodes exceed 64 bits: split the "
            "group by topics, or plan it without racks"
        )


class LargestFlow:
    """The most that flows from the first nodes, which have supplies, into a sink.

    `source` is a node of no arc. Costs of arcs don't matter.
    """

    def __init__(self, parts: Sequence[Arcs], supply: IntArray, sink: int, source: int) -> None:
        network, givers = _graph().max_flow.SimpleMaxFlow(), len(supply)
        network.add_arcs_with_capacity(np.full(givers, source), np.arange(givers), supply)
        self._numbers = [
            network.add_arcs_with_capacity(arcs.tail, arcs.head, arcs.capacity) for arcs in parts
        ]
        status = network.solve(source, sink)
        if status != network.OPTIMAL:
            raise RuntimeError(f"OR-Tools' max flow ended with {status.name}")
        self._network, self._nodes = network, max(sink, source) + 1
        self.amount = int(network.optimal_flow())
        self.is_whole = self.amount == int(supply.sum())

    @property
    def side(self) -> NDArray[np.bool_]:
        """Nodes that the cut nearest to the source separates from the sink."""
        side = np.zeros(self._nodes, np.bool_)
        side[self._network.get_source_side_min_cut()] = True
        return side

    def along(self, part: int) -> IntArray:
        """The flow along each arc of a part."""
        flows: IntArray = self._network.flows(self._numbers[part])
        return flows


def source_side(
    parts: Sequence[Arcs], supply: IntArray, sink: int
) -> tuple[NDArray[np.bool_], int]:
    """The first nodes that have too much to flow into the sink, and how much does."""

    def solve_flow() -> IntArray:
        flow = LargestFlow(parts, supply, sink, sink + 1)
        return np.append(flow.side[: len(supply)].astype(np.int64), flow.amount)

    is_long = sink * len(parts[0].tail) >= LONG
    answer = interruptible(solve_flow) if is_long else solve_flow()
    assert answer is not None
    return answer[:-1].astype(np.bool_), int(answer[-1])


def taken_in(supply: IntArray, limit: IntArray, tail: IntArray, head: IntArray) -> LargestFlow:
    """The largest flow from givers, who have supplies, to takers, who take in up to a limit.

    `tail` and `head` number the nodes of each side from 0; what leads from one to the other, the
    first part, holds everything.
    """
    givers, source = len(supply), len(supply) + len(limit)
    parts = [
        Arcs(tail, head + givers, supply[tail], tail),
        Arcs(np.arange(givers, source), np.full(len(limit), source + 1), limit, limit),
    ]
    return LargestFlow(parts, supply, source + 1, source)


class PriceProgramme:
    """Prices of partitions from 0 to 1 and a budget for each kind of members, above every bundle.

    It looks for prices whose sum exceeds what all members' budgets come to by as much as possible.
    """

    def __init__(self, partitions: int, members_of_kind: IntArray) -> None:
        from ortools.linear_solver import pywraplp  # noqa: PLC0415 - few groups need it

        solver = pywraplp.Solver.CreateSolver("GLOP")
        self._prices = [solver.NumVar(0, 1, "") for _ in range(partitions)]
        self._budgets = [solver.NumVar(0, solver.infinity(), "") for _ in members_of_kind]
        members = members_of_kind.tolist()
        spent = [count * budget for count, budget in zip(members, self._budgets, strict=True)]
        solver.Maximize(solver.Sum(self._prices) - solver.Sum(spent))
        self._solver: Any = solver

    def add(self, kind: int, bundle: list[int]) -> None:
        """No budget of that kind is below the prices of a bundle of partitions."""
        row = self._solver.RowConstraint(-self._solver.infinity(), 0)
        row.SetCoefficient(self._budgets[kind], -1)
        for partition in bundle:
            row.SetCoefficient(self._prices[partition], 1)

    def solve(self) -> tuple[float, NDArray[np.float64]] | None:
        """How far prices exceed budgets, and the prices; None where it can't be told."""
        if self._solver.Solve() != self._solver.OPTIMAL:
            return None
        prices = np.array([price.solution_value() for price in self._prices])
        return float(self._solver.Objective().Value()), prices


NODES = 5_000
"""Parts of a search for the fewest takers, at most."""


class Takers(NamedTuple):
    """The number of each kind; `proven` tells that no fewer would do."""

    counts: IntArray
    proven: bool


def fewest_takers(
    supply: NDArray[Any], reads: NDArray[np.bool_], load: float, least: IntArray, most: IntArray
) -> Takers | None:
    """The fewest takers who take in all supplies, each no more than `load`; None if none do.

    `reads[s, k]` tells whether takers of kind k may take of supply s; of these there are `least[k]`
    to `most[k]`. An integer programme whose only whole numbers are those counts: with them given,
    what flows from supplies to kinds is a flow (a covering problem in general, and so NP-hard).
    """
    from ortools.linear_solver import pywraplp  # noqa: PLC0415 - few groups need it

    solver = pywraplp.Solver.CreateSolver("SCIP")
    solver.SetSolverSpecificParametersAsString(f"limits/nodes = {NODES}")
    counts = [
        solver.IntVar(low, high, "")
        for low, high in zip(least.tolist(), most.tolist(), strict=True)
    ]
    taken: list[list[Any]] = [[] for _ in counts]
    for amount, takers in zip(supply.tolist(), reads, strict=True):
        flows = [solver.NumVar(0, amount, "") for _ in takers.nonzero()[0]]
        solver.Add(solver.Sum(flows) == amount)
        for kind, flow in zip(takers.nonzero()[0].tolist(), flows, strict=True):
            taken[kind].append(flow)
    for count, flows in zip(counts, taken, strict=True):
        solver.Add(solver.Sum(flows) <= load * count)
    solver.Minimize(solver.Sum(counts))
    status = solver.Solve()
    if status not in (solver.OPTIMAL, solver.FEASIBLE):
        return None
    numbers = np.array([round(count.solution_value()) for count in counts], np.int64)
    return Takers(numbers, status == solver.OPTIMAL)


def _graph() -> Any:
    """OR-Tools, loaded when the first group needs a flow, which most groups don't."""
    import ortools.graph.python.max_flow  # noqa: PLC0415
    import ortools.graph.python.min_cost_flow  # noqa: PLC0415

    return ortools.graph.python
