"""What a strategy answers, and when it can't."""

from typing import NamedTuple

from optimizer.model.arrays import IntArray


class Answer(NamedTuple):
    """Two assignments: member index of each partition, or NOBODY.

    `first_round` is what the first rebalance hands out; it differs from `target` for strategies of
    the cooperative protocols (KIP-429, KIP-415), which leave what changes hands out of it.
    `reason` says why the optimum isn't proposed, if it isn't. `rival` is an assignment that shows
    why the largest load can't be lower within the moves that the goals allow: one with the lowest
    load below it, or if there is none the balanced one. From it the check makes its own proof.
    `certificate` shows how good a plan by weight is (`optimizer.checker.weighted`).
    """

    target: IntArray
    first_round: IntArray
    reason: str | None = None
    rival: IntArray | None = None
    certificate: bytes | None = None


class StrategyError(ValueError):
    """Kafka's own code throws on this group, or isn't for such a group; the message says why."""


class LimitsError(StrategyError):
    """A group's limits can't be met together; the message names the smallest set that clashes."""


class TimeLimitError(Exception):
    """A strategy used up its time for a group: raised inside of it, between two steps of Python.

    A solver that has a plan at hand returns that, within a second.
    """


def settled(target: IntArray, reason: str | None = None, rival: IntArray | None = None) -> Answer:
    """The answer of a strategy that reaches its target in one rebalance."""
    return Answer(target, target, reason, rival)


class CostOverflowError(OverflowError):
    """The costs of a group don't fit 64 bits: there is no plan rather than a wrong one."""
