"""A policy: how many members a group should have, decided again and again."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from operator import le, lt
from typing import Protocol

import numpy as np

from optimizer.model import IntArray, Reals
from optimizer.scaling.process import Process


class PolicyError(ValueError):
    """A policy that makes no sense, or contradicts itself."""


@dataclass(frozen=True, slots=True)
class Signals:
    """Facts that policies see of many groups at one time; arrays have an entry for each group.

    `times` are the seconds since the beginning at which the policy decides, on the same lag: the
    end of a step and what is due within it. `interval` is the number of the present interval. `lag`
    are the records that nobody has read, `lags` those of each partition, group after group.
    `rate` are the records a second that came in lately, `members` what was asked for last.
    """

    times: Sequence[float]
    interval: int
    lag: Reals
    lags: Reals
    rate: Reals
    members: IntArray


class Decider(Protocol):
    """Decides for many groups at a time, and remembers what its policy needs to."""

    def decide(self, seen: Signals) -> IntArray:
        """The members that each group should have after the last of these times."""


class Policy(Protocol):
    """A way to scale.

    It decides every `every_seconds`. `first` are the members that each group begins with.
    """

    @property
    def name(self) -> str: ...

    @property
    def every_seconds(self) -> float: ...

    def first(self, processes: Sequence[Process]) -> IntArray:
        """The members with which each group begins."""

    def decider(self, processes: Sequence[Process]) -> Decider | None:
        """The decider for these groups; None: they keep what they begin with."""


LagThreshold = float | str
"""Records, or what one member reads in a time such as "30s" at its `peak_rate`."""


def thresholds(threshold: LagThreshold, processes: Sequence[Process]) -> Reals:
    """A threshold of each group in records, 1 at least."""
    if isinstance(threshold, str):
        seconds = float(threshold.removesuffix("s"))
        peaks = np.array([process.peak_rate for process in processes])
        return np.maximum(np.round(seconds * peaks), 1.0)
    return np.full(len(processes), float(threshold))


def recorded_first(processes: Sequence[Process], least: int, most: int) -> IntArray:
    """Members that each group had at the beginning, within limits."""
    first = np.array([process.recorded[0] for process in processes], np.int64)
    return np.asarray(first.clip(least, most))


def check_limits(name: str, least: int, most: int) -> None:
    """PolicyError where the fewest members are more than the most."""
    if least < 0 or most < max(least, 1):
        raise PolicyError(
            f"policy {name!r} asks for {least} members at least and {most} at most: "
            "the most must be 1 or more, and not below the fewest"
        )


def check_whole(name: str, least: int, **values: LagThreshold | None) -> None:
    """PolicyError where one isn't a whole number from `least` on, as Kubernetes' objects want.

    Keys are Kubernetes' and KEDA's. Times such as "30s" and None are left alone.
    """
    for key, value in values.items():
        if isinstance(value, int | float) and not (least <= value < inf and value == int(value)):
            raise PolicyError(
                f"policy {name!r}: {key} is {value:g} and must be a whole number from {least} on"
            )


Extreme = Callable[[IntArray, IntArray], IntArray]
"""np.maximum or np.minimum."""


class Window:
    """The extreme of what was recommended less than `seconds` ago; an entry a group.

    What was exactly then counts too if `is_closed`.
    Two stacks: `_old` has with each recommendation the extreme of it and all that are newer there,
    the oldest on top, and `_new` those that came later. So each costs the same, however long the
    window is.
    """

    def __init__(self, seconds: float, extreme: Extreme, is_closed: bool = False) -> None:
        self._seconds, self._extreme = seconds, extreme
        self._is_over = lt if is_closed else le
        self._old: list[tuple[float, IntArray]] = []
        self._new: list[tuple[float, IntArray]] = []
        self._of_new: IntArray | None = None

    def add(self, now: float, sizes: IntArray) -> None:
        """Remember these, which must not be changed afterwards."""
        self._new.append((now, sizes))
        self._of_new = sizes if self._of_new is None else self._extreme(self._of_new, sizes)

    def of(self, now: float, sizes: IntArray) -> IntArray:
        """The extreme of these and of those in the window."""
        after = now - self._seconds
        while self._old and self._is_over(self._old[-1][0], after):
            self._old.pop()
        if not self._old and self._new and self._is_over(self._new[0][0], after):
            self._turn(after)
        for others in (self._old[-1][1] if self._old else None, self._of_new):
            if others is not None:
                sizes = self._extreme(sizes, others)
        return sizes

    def _turn(self, after: float) -> None:
        while self._new and not self._is_over(self._new[-1][0], after):
            at, sizes = self._new.pop()
            newer = self._old[-1][1] if self._old else sizes
            self._old.append((at, self._extreme(sizes, newer)))
        self._new, self._of_new = [], None
