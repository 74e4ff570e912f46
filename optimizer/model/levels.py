"""What is examined in a plan, level after level: what each needs, and its sentence."""

from typing import NamedTuple


class Level(NamedTuple):
    """A level of the goals. The solver has costs of its own for it, and so has the checker.

    `better` is how a sentence calls what is better at it, and `doubt` what a certificate may not
    prove. `column` of verdicts tells whether nothing is better; None: certificates alone do. It is
    examined where the goals have a value for `setting`, or always, if that is None.
    """

    better: str
    doubt: str
    column: str | None = None
    setting: str | None = None


BALANCE = Level("more balanced", "that nothing is more balanced", "balance_optimal")

LEVELS = {
    "racks": Level(
        "fewer reads across racks",
        "that it needs this many reads across racks",
        "racks_optimal",
        setting="rack",
    ),
    "moves": Level("fewer moves", "that it needs this many moves", "moves_optimal"),
    "hosts": Level(
        "partitions spread more evenly over hosts",
        "that partitions can't be spread more evenly over hosts",
        "hosts_optimal",
    ),
    "spread": Level(
        "topics spread more evenly", "that topics can't be spread more evenly", "spread_optimal"
    ),
}
"""The levels below coverage and balance, in the order that is usual."""

PROVEN = tuple(level.column for level in (BALANCE, *LEVELS.values()) if level.column)
"""The columns of verdicts, plans and their checks that tell of each level whether it is optimal."""
