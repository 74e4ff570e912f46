"""How many members a group needs: one row."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from pyspark.sql import types as t

from optimizer.figures import counted, figure
from optimizer.sizes import Needed, Sizes
from spark.groups import Flag, Int, Long, Outcome, Real, Text


def struct_of(columns: Mapping[str, t.DataType]) -> t.StructType:
    """The type of a cell with these columns."""
    return t.StructType([t.StructField(name, of) for name, of in columns.items()])


SIZE = {"members": t.IntegerType(), "max_load": t.LongType(), "even": t.BooleanType()}

NearSizes = Annotated[list[Any] | None, t.ArrayType(struct_of(SIZE))]


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


GOES_BY_COUNT = "partitions count alike"

KINDS = (
    "new members get the most common subscription, and those members stay that can carry the most"
)

RATES = (
    "all partitions are at their quantile at the same time, load can be divided finely, and no "
    "member can do more than the highest observed rate"
)


def assumed_of(sizes: Sizes, needed: Needed | None) -> str:
    """What the numbers go by."""
    assumed = [GOES_BY_COUNT]
    if sizes.kinds > 1:
        assumed.append(KINDS)
    if needed:
        assumed.append(RATES)
    return "; ".join(assumed)


def summary_of(
    sizes: Sizes, needed: Needed | None, peak_rate: float | None, top: float | None
) -> str:
    """Sentences on the size of a group, and where there are rates on what it needs for them."""
    text = [_of_now(sizes), *_of_others(sizes)]
    if needed and peak_rate:
        text += _of_rates(sizes, needed, peak_rate, top or 0)
    return " ".join(text)


def _of_now(sizes: Sizes) -> str:
    """Such as: 51 partitions over 50 members: 2 at most, as over 26, so 24 are spare."""
    hosts = ""
    if sizes.per_host > 1:
        hosts = f" on {sizes.members // sizes.per_host} hosts of {sizes.per_host}"
    spread = (
        f"{counted(sizes.partitions, 'partition')} over {counted(sizes.members, 'member')}{hosts}: "
        f"{sizes.optimal_max} {'each' if sizes.even else 'at most'}"
    )
    worse = sizes.current_max - sizes.optimal_max
    if worse > 0:
        spread += f" (now {sizes.current_max})"
    if not sizes.spare:
        fewer = "no fewer" if sizes.per_host == 1 else "no fewer hosts"
        return f"{spread}, and {fewer} would do."
    least = "" if sizes.proven else "some "
    are = "is" if sizes.spare == 1 else "are"
    return f"{spread}, as over {sizes.fewest_optimal}, so {least}{sizes.spare} {are} spare."


def _of_others(sizes: Sizes) -> Iterator[str]:
    if sizes.fewest_found < sizes.fewest_optimal:
        yield f"For the {sizes.current_max} of now {sizes.fewest_found} would do."
    if sizes.next_better:
        yield f"It takes {sizes.next_better} members to have fewer."
    elif sizes.optimal_max > 1:
        yield "More members don't lower that."
    if not sizes.even:
        even = [str(item) for item in (sizes.even_below, sizes.even_above) if item and item > 1]
        if even:
            yield f"{' or '.join(even)} would have the same number each."


def _of_rates(sizes: Sizes, needed: Needed, peak_rate: float, top: float) -> Iterator[str]:
    rates = (
        f"{figure(needed.rate)} records a second, at {figure(needed.load)} for each member "
        f"(highest observed rate: {figure(peak_rate)})"
    )
    if needed.members is None:
        yield f"No number of members with the most common subscription is enough for {rates}."
    else:
        are = "is" if needed.members == 1 else "are"
        yield f"{counted(needed.members, 'member')} {are} needed for {rates}."
    if top > needed.load:
        yield f"One partition alone has {figure(top)}: more members don't help there."
    elif needed.members and needed.members > sizes.partitions:
        yield f"There are only {counted(sizes.partitions, 'partition')} to share."
