"""How many members a group needs: one row."""

from dataclasses import dataclass
from typing import Annotated, Any

from pyspark.sql import types as t

from spark.groups import Flag, Int, Long, Outcome, Real, Text

SIZE = t.StructType(
    [
        t.StructField("members", t.IntegerType()),
        t.StructField("max_load", t.LongType()),
        t.StructField("even", t.BooleanType()),
    ]
)

NearSizes = Annotated[list[Any] | None, t.ArrayType(SIZE)]


@dataclass(slots=True, kw_only=True)
class MembersRow(Outcome):
    """A group's members, and how many it needs; null is what isn't known.

    `current_max` and `optimal_max` are the most partitions that a member has, now and in the
    optimum; `fewest_found` and `fewest_optimal` members would do for these, so that `spare` could
    go without raising the optimum's. `next_better` members have a lower one. `even`: the optimum
    gives all the same number; `even_below` and `even_above` are the nearest sizes of which that
    holds. `sizes` are those near the current one (`members`, `max_load`, `even`).

    With rates: `rate` records a second come in (the quantile of each partition, summed up), of
    `rated` of the partitions; `peak_rate` is the most that one member has been seen to read a
    second; `needed` members have no more to do than the headroom's share of that. `assumed` says
    what the numbers go by, `sentence` what they come to. `proven` is false where a search for the
    fewest was cut short.

    `per_host` is how many members each host has, if several have the same number, otherwise 1; all
    sizes are multiples of it.
    """

    members: Int = None
    partitions: Int = None
    current_max: Long = None
    optimal_max: Long = None
    fewest_found: Int = None
    fewest_optimal: Int = None
    spare: Int = None
    next_better: Int = None
    even: Flag = None
    even_below: Int = None
    even_above: Int = None
    sizes: NearSizes = None
    rate: Real = None
    rated: Int = None
    peak_rate: Real = None
    needed: Int = None
    proven: Flag = None
    assumed: Text = None
    sentence: Text = None
    per_host: Int = None
