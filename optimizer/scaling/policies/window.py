"""The highest or the lowest recommendation of the last minutes."""

from collections.abc import Callable
from operator import le, lt

from optimizer.model import IntArray

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

    def add(self, now: float, values: IntArray) -> None:
        """Remember these, which must not be changed afterwards."""
        self._new.append((now, values))
        self._of_new = values if self._of_new is None else self._extreme(self._of_new, values)

    def of(self, now: float, values: IntArray) -> IntArray:
        """The extreme of these and of those in the window."""
        after = now - self._seconds
        while self._old and self._is_over(self._old[-1][0], after):
            self._old.pop()
        if not self._old and self._new and self._is_over(self._new[0][0], after):
            self._turn(after)
        for others in (self._old[-1][1] if self._old else None, self._of_new):
            if others is not None:
                values = self._extreme(values, others)
        return values

    def _turn(self, after: float) -> None:
        while self._new and not self._is_over(self._new[-1][0], after):
            at, values = self._new.pop()
            newer = self._old[-1][1] if self._old else values
            self._old.append((at, self._extreme(values, newer)))
        self._new, self._of_new = [], None
