"""Kafka Connect's assignment of tasks to workers: eager, and incremental cooperative since 2.3.

A group of Connect workers is a problem like any other: its topics are connectors, partition n of a
connector is its task n, and its members are the workers. The connectors' own instances, which
Connect places as well, are in no table: each strategy says what it takes for granted of them.
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from optimizer.model import GONE, NOBODY, Answer, IntArray, Problem, StrategyError, at_once
from optimizer.strategies.kafka import all_same, hash_map_order, partitions_of, string_ranks


def configured_tasks(problem: Problem) -> IntArray:
    """Tasks by connector, then by number (ConnectorTaskId.compareTo).

    A task that is run and whose connector nobody subscribes to is taken for deleted. Raises
    StrategyError where workers subscribe to different connectors, which Connect doesn't know.
    """
    if not all_same(problem):
        raise StrategyError(
            "the members subscribe to different topics: a Connect worker runs tasks of any "
            "connector, and its assignor serves Connect alone"
        )
    if not len(problem.member_ids):
        return np.empty(0, np.int64)
    connectors = problem.subscriptions[0]
    ranks = string_ranks(problem.topics)
    return partitions_of(problem, connectors[np.argsort(ranks[connectors])])


def configured_connectors(problem: Problem) -> int:
    """The number of connectors, those without any task included."""
    vanished = problem.kafka.vanished or [()]
    return len(problem.subscriptions[0]) + len(set(vanished[0]))


_Running = dict[int, list[int]]
"""The tasks of each worker in the order in which it runs them; workers as Kafka's HashMap has them.
"""


def assign_connect_cooperative(problem: Problem) -> Answer:
    """The answer of …connect.runtime.distributed.IncrementalCooperativeAssignor (KIP-415).

    As one snapshot tells it: what is owned is the previous assignment, what nobody owned is new,
    the leader hasn't revoked anything just before, and scheduled.rebalance.max.delay.ms is over for
    tasks whose worker is gone (until then nobody runs them). `first_round` is what that rebalance
    hands out; what it revokes for the sake of balance, or because two workers run it, goes out in
    the next one. Connectors' own instances are counted apart from tasks, so that they don't show,
    but for one thing: a worker that runs no task is taken to run no connector either.
    """
    tasks = configured_tasks(problem).tolist()
    if not tasks:
        return at_once(np.full(problem.partition_count, NOBODY))
    active, running = _running(problem, tasks)
    lost = [task for task in tasks if problem.owner[task] == GONE and task not in active]
    others = [task for task in tasks if problem.owner[task] != GONE or task in active]
    created = [task for task in others if task not in active]
    newcomers = _newcomers(problem, running)
    for turn, task in enumerate(lost if newcomers else ()):
        running[newcomers[turn % len(newcomers)]].append(task)
    _revoke_surplus(running, len(tasks))
    _deal_out(problem, running, created if newcomers else created + lost)
    first_round = _assignment(problem, running)
    # a newcomer's surplus still counts as lost, and what is lost is always dealt out last
    held_back = [task for task in (*others, *lost) if first_round[task] == NOBODY]
    if not held_back:
        return at_once(first_round)
    _deal_out(problem, running, held_back)
    return Answer(_assignment(problem, running), first_round)


def _running(problem: Problem, tasks: Sequence[int]) -> tuple[set[int], _Running]:
    """All that some worker runs, and what each goes on running.

    A task that two workers run is revoked from both, in any generations.
    """
    member, partition = problem.claims
    claims = dict.fromkeys(zip(member.tolist(), partition.tolist(), strict=True))
    workers = Counter(task for _, task in claims)
    configured = set(tasks)
    running: _Running = {worker: [] for worker in hash_map_order(problem).tolist()}
    for worker, task in claims:
        if workers[task] == 1 and task in configured:
            running[worker].append(task)
    return set(workers), running


def _newcomers(problem: Problem, running: _Running) -> list[int]:
    """Workers that run nothing, in the order of a HashSet: what was lost is dealt to them alone.

    They came, or came back, during the delay (candidateWorkersForReassignment).
    """
    idle = [worker for worker, tasks in running.items() if not tasks]
    return hash_map_order(problem, np.array(idle)).tolist() if idle else []


def _revoke_surplus(running: _Running, tasks: int) -> None:
    """Nobody keeps more than its share, and the first ones that have one more keep that.

    A worker gives up first what it ran first (loadBalancingRevocations).
    """
    share, extras = divmod(tasks, len(running))
    for has in running.values():
        surplus = len(has) - share
        if surplus > 0 and extras:
            surplus, extras = surplus - 1, extras - 1
        del has[: max(surplus, 0)]


def _deal_out(problem: Problem, running: _Running, tasks: Sequence[int]) -> None:
    """One task each to all who have least, again and again (assignTasks)."""
    ranks = string_ranks(problem.member_ids).tolist()
    circle = sorted(running, key=lambda worker: (len(running[worker]), ranks[worker]))
    loads = [len(running[worker]) for worker in circle]
    at = 0
    while at < len(tasks):
        up_to = next((n for n, load in enumerate(loads) if load > loads[0]), len(loads))
        for n, task in enumerate(tasks[at : at + up_to]):
            running[circle[n]].append(task)
            loads[n] += 1
        at += up_to


def _assignment(problem: Problem, running: _Running) -> IntArray:
    target = np.full(problem.partition_count, NOBODY)
    for worker, tasks in running.items():
        target[tasks] = worker
    return target


def assign_connect_eager(problem: Problem) -> Answer:
    """The answer of org.apache.kafka.connect.runtime.distributed.EagerAssignor.

    Workers stand in a circle by their ids. First each connector's own instance goes round, one a
    topic, and where that ends the tasks go on, whoever ran them before.
    """
    target = np.full(problem.partition_count, NOBODY)
    tasks = configured_tasks(problem)
    if len(tasks):
        circle = np.argsort(string_ranks(problem.member_ids))
        turns = configured_connectors(problem) + np.arange(len(tasks))
        target[tasks] = circle[turns % len(circle)]
    return at_once(target)
