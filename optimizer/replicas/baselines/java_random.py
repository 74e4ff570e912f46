"""java.util.Random, as its documentation defines it, and Collections.shuffle."""

from typing import Any

MULTIPLIER, MASK = 0x5DEECE66D, (1 << 48) - 1


class JavaRandom:
    """The same numbers as a java.util.Random with that seed."""

    def __init__(self, seed: int) -> None:
        self._state = (seed ^ MULTIPLIER) & MASK

    def next_int(self, bound: int) -> int:
        """A number from 0 up to a bound, which it never is."""
        if bound & (bound - 1) == 0:
            return bound * self._next() >> 31
        while True:
            bits = self._next()
            value = bits % bound
            if bits - value + bound - 1 < 1 << 31:
                return value

    def _next(self) -> int:
        """31 bits."""
        self._state = (self._state * MULTIPLIER + 0xB) & MASK
        return self._state >> 17

    def shuffle(self, values: list[Any]) -> None:
        """Collections.shuffle of a list that can be indexed."""
        for size in range(len(values), 1, -1):
            other = self.next_int(size)
            values[size - 1], values[other] = values[other], values[size - 1]
