"""Members that a group needs: one row."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from pyspark.sql import types as t

from optimizer.figures import figure, plural
from optimizer.sizes import Needed, Sizes
from spark.groups import Flag, Int, Long, Outcome, Real, Text, struct_of

SIZE = {"members": t.IntegerType(), "max_load": t.LongType(), "even": t.BooleanType()}

NearSizes = Annotated[list[Any] | None, t.ArrayType(struct_of(**SIZE))]


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
    second; the lag of `behind` partitions grows; `needed` members have no more to do than the
    headroom's share of the peak. `assumed` says which assumptions the numbers rest on, `sentence`
    what they come to. `proven` is false where a search for the fewest was cut short.

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
    behind: Int = None
    needed: Int = None
    proven: Flag = None
    assumed: Text = None
    sentence: Text = None
    per_host: Int = None


BY_COUNT = "partitions count the same"

KINDS = "new members read what most members read, and those stay that can carry the most"

RATES = (
    "every partition peaks (p95) at once and load splits freely, and no member reads faster than "
    "the fastest seen"
)


def assumed_of(sizes: Sizes, needed: Needed | None) -> str:
    """The assumptions that the numbers rest on."""
    assumed = [RATES] if needed else []
    assumed.append(BY_COUNT)
    if sizes.kinds > 1:
        assumed.append(KINDS)
    return "; ".join(assumed)


def removable(row: Mapping[str, Any]) -> int:
    """Members that a group can lose: the others carry no more, and are enough for its rates."""
    if row["spare"] is None or (row["peak_rate"] is not None and row["needed"] is None):
        return 0
    return max(int(row["members"] - max(row["fewest_optimal"], row["needed"] or 0)), 0)


def lacking(row: Mapping[str, Any]) -> int:
    """Members that a group needs beyond those that it has, because it falls behind.

    One that keeps up never shows how fast its members can read: they read what comes in.
    """
    return max(int(row["needed"] - row["members"]), 0) if row["behind"] and row["needed"] else 0


def verdict_of(rows: Sequence[Mapping[str, Any]], headroom: float) -> str:
    """Groups that lack members, those that have some to spare, and how many members that is."""
    sized = [row for row in rows if row["sentence"]]
    short = [count for count in map(lacking, sized) if count]
    spare = [count for count in map(removable, sized) if count]
    of = f"of {plural(len(sized), 'group')}"
    needs = (
        f"{len(short):,} {of} fall{'s' * (len(short) == 1)} behind and need"
        f"{'s' * (len(short) == 1)} {plural(sum(short), 'more member')}, each at "
        f"{100 * headroom:g} % of the fastest seen"
    )
    idle = f"{len(spare):,} have {sum(spare):,} to spare"
    if short:
        return f"{needs}; {idle if spare else 'none has any to spare'}."
    if spare:
        return f"{len(spare):,} {of} have {plural(sum(spare), 'spare member')}."
    return f"None {of} lacks members or has any to spare."


def summary_of(row: Mapping[str, Any], load: float | None, top: float | None) -> str:
    """Sentences on what to do about a group's size, and why.

    `load` is what each member is to have at most, `top` what the busiest partition has.
    """
    rates = _of_rates(row, load, top or 0) if load else ()
    return " ".join([*rates, *_of_now(row), *_of_others(row)])


def _of_rates(row: Mapping[str, Any], load: float, top: float) -> Iterator[str]:
    """A sentence such as: Add 31 members (23 → 54): 9,500 records/s need 54 with 180 each."""
    rate = f"{figure(row['rate'])} records/s"
    most = min(row["needed"] or 0, row["partitions"])
    if not row["behind"] and (row["needed"] is None or row["needed"] > row["members"]):
        yield f"Keeps up with {rate}."
        return
    if row["needed"] is None:
        yield f"No number of members is enough for {rate} with {figure(load)} each."
    elif row["needed"] <= row["members"]:
        yield f"{plural(row['needed'], 'member')} of {row['members']:,} can do {rate}."
    elif most > row["members"]:
        yield (
            f"Add {plural(most - row['members'], 'member')} ({row['members']:,} → {most:,}): "
            f"{rate} need {row['needed']:,} with {figure(load)} each."
        )
    else:
        yield f"{rate} need {row['needed']:,} members with {figure(load)} each."
    if top > load and row["behind"]:
        yield f"One partition alone has {figure(top)}: spread its keys, members can't help."
    elif row["needed"] and row["needed"] > row["partitions"]:
        yield f"There are only {plural(row['partitions'], 'partition')} to share."


def _of_now(row: Mapping[str, Any]) -> Iterator[str]:
    """Texts such as: Up to 2 per member (51 partitions, 50 members). 24 are spare."""
    hosts = f" on {row['members'] // row['per_host']} hosts" if row["per_host"] > 1 else ""
    now = f", now {row['current_max']:,}" if row["current_max"] > row["optimal_max"] else ""
    most = f"{'' if row['even'] else 'up to '}{row['optimal_max']:,} per member{now}"
    sizes = f"{plural(row['partitions'], 'partition')}, {plural(row['members'], 'member')}{hosts}"
    yield f"{most[0].upper()}{most[1:]} ({sizes})."
    if spare := removable(row):
        least = "" if row["proven"] else "At least "
        are = "is" if spare == 1 else "are"
        yield f"{least}{spare:,} {are} spare: {row['members'] - spare:,} carry no more."


def _of_others(row: Mapping[str, Any]) -> Iterator[str]:
    if row["next_better"]:
        on = f" ({row['next_better'] // row['per_host']} hosts)" if row["per_host"] > 1 else ""
        yield f"Fewer needs {row['next_better']:,} members{on}."
    elif row["optimal_max"] > 1:
        yield "More members don't lower that."
    if not row["even"]:
        even = [f"{size:,}" for size in (row["even_below"], row["even_above"]) if size and size > 1]
        if even:
            yield f"{' or '.join(even)} divide{'s' * (len(even) == 1)} evenly."
