"""Price of a partition that moves, as users write it: `30s` of state to rebuild, or `2GB`."""

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from optimizer.figures import data_size, figure
from spark.errors import InputError
from spark.toml.toml_file import duration

BYTES = {"kB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12}


MOVE_COSTS = "move_seconds", "move_bytes"
"""Columns of what moves cost; rows have one of them."""


class MovePrice(NamedTuple):
    """Seconds, or bytes, for each partition that moves."""

    amount: float
    is_bytes: bool

    def text(self, moves: int) -> str:
        """The price of `moves` moves: `1,200 s`, `3.4 GB`."""
        cost = self.amount * moves
        return data_size(cost) if self.is_bytes else f"{figure(cost)} s"

    def with_costs(self, rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The rows with what their `moves` cost, in a column of `MOVE_COSTS`; null as these."""
        column = MOVE_COSTS[self.is_bytes]
        return [
            {**row, column: None if row["moves"] is None else self.amount * row["moves"]}
            for row in rows
        ]


def move_price(text: str) -> MovePrice:
    """The price that a text says; InputError for anything else."""
    size = re.fullmatch(r"(\d{1,6})(kB|MB|GB|TB)", text, re.ASCII)
    if size:
        return MovePrice(int(size[1]) * BYTES[size[2]], is_bytes=True)
    try:
        return MovePrice(duration(text).total_seconds(), is_bytes=False)
    except ValueError:
        raise InputError(
            f"{text!r} is no price of a move: give a time (30s) or bytes (2GB)"
        ) from None


def costs_of(each: MovePrice, rows: Iterable[Mapping[str, Any]]) -> str:
    """Costs of the moves of each strategy, the cheapest first, of rows with both."""
    moves = sorted((row["moves"], row["strategy"]) for row in rows if row["moves"] is not None)
    costs = [f"{strategy} {each.text(count)}" for count, strategy in moves]
    return f"At {each.text(1)} for each partition that moves: {', '.join(costs) or 'no moves'}."
