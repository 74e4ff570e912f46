"""A team's own strategy: a function from `Group` to an assignment, of which nothing is trusted."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any

import numpy as np

from optimizer.model import NOBODY, Answer, Problem, StrategyError, at_once, classes_of, group_of
from optimizer.strategies.strategy import Strategy

ENTRY_POINTS = "evenfleet.strategies"
"""The group of entry points under whose names installed packages offer strategies."""

NAMED = 5
"""Faults of an assignment that a message lists, at most."""


def installed_strategies() -> dict[str, EntryPoint]:
    """The entry points of strategies, by name."""
    return {point.name: point for point in entry_points(group=ENTRY_POINTS)}


def is_own(name: str) -> bool:
    """Whether it may be a team's own: `package:function`, or the name of an entry point."""
    return ":" in name or name in installed_strategies()


@cache
def own_strategy(name: str) -> Strategy:
    """The strategy of that name; ValueError if it can't be loaded, or isn't a function.

    It is asked with a `Group` of names and returns, like `Plan.assignment`, a mapping from members
    to (topic, partition) pairs; members without any may be left out. An attribute `eager` of the
    function tells that its consumers give up all that they own at each rebalance.
    """
    function = _load(name)
    if not callable(function):
        raise ValueError(f"strategy {name!r} is not a function")

    def answer(problem: Problem) -> Answer:
        return _answer_of(problem, name, function(group_of(problem)))

    return Strategy(answer, rack_aware=True, eager=bool(getattr(function, "eager", False)))


def _load(name: str) -> Any:
    points = installed_strategies()
    try:
        if name in points:
            return points[name].load()
        package, _, path = name.partition(":")
        function = import_module(package)
        for part in path.split("."):
            function = getattr(function, part)
    except Exception as error:
        raise ValueError(
            f"strategy {name!r} can't be loaded ({type(error).__name__}: {error}): it must be "
            "package:function, and Python must find the package (PYTHONPATH)"
        ) from None
    return function


def _answer_of(problem: Problem, name: str, inputs: Any) -> Answer:
    """The assignment in indexes; StrategyError tells what is wrong with it."""
    target = np.full(problem.partition_count, NOBODY)
    faults = [*_faults(problem, inputs, target)]
    if faults:
        more = f", and {len(faults) - NAMED} more" if len(faults) > NAMED else ""
        sentences = "; ".join(faults[:NAMED])
        raise StrategyError(
            f"strategy {name} returns no valid assignment of this group: {sentences}{more}"
        )
    return at_once(target)


def _faults(problem: Problem, inputs: Any, target: np.ndarray) -> Iterator[str]:
    """Faults of an assignment, as it is written into `target`."""
    if not isinstance(inputs, Mapping):
        yield f"it returns {type(inputs).__name__}, and not a mapping of members"
        return
    members = {member: m for m, member in enumerate(problem.member_ids)}
    topics = {topic: t for t, topic in enumerate(problem.topics)}
    sizes, offsets = problem.topic_sizes.tolist(), problem.topic_offsets.tolist()
    reads = [set(topics_of.tolist()) for topics_of in problem.subscriptions]
    for member, pairs in inputs.items():
        if member not in members:
            yield f"{member!r} isn't a member"
            continue
        subscribed = reads[int(problem.member_subscription[members[member]])]
        for pair in pairs:
            place = _place(pair, topics, sizes)
            if place is None:
                yield f"{pair!r}, given to {member}, is not a partition"
                continue
            topic, number = place
            partition = offsets[topic] + number
            if topic not in subscribed:
                yield f"{problem.partition_name(partition)} goes to {member}, which doesn't read it"
            if target[partition] != NOBODY:
                yield f"{problem.partition_name(partition)} is given twice"
            target[partition] = members[member]
    for partition in ((target == NOBODY) & (classes_of(problem).of_partition >= 0)).nonzero()[0]:
        yield f"{problem.partition_name(int(partition))} goes to no member"


def _place(pair: Any, topics: Mapping[str, int], sizes: list[int]) -> tuple[int, int] | None:
    """The index of the topic and the number of a (topic, partition) pair."""
    try:
        name, number = pair
        topic = topics.get(name)
    except (TypeError, ValueError):
        return None
    whole = isinstance(number, int | np.integer) and not isinstance(number, bool)
    if topic is None or not whole or not 0 <= number < sizes[topic]:
        return None
    return topic, int(number)
