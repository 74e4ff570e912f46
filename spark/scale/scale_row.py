"""One group under one policy over time: a row of the table `scale`, and its course."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np
from pyspark.sql import types as t

from optimizer.figures import duration
from optimizer.scaling import Course
from spark.groups import EncodedRow, Flag, FleetGroup, Int, Real, RowOfGroup, Text
from spark.scale.advice import NOTES, advice_of, is_too_short
from spark.scale.group_process import GroupProcess
from spark.scale.policies_file import ScaleSettings


@dataclass(slots=True, kw_only=True)
class ScaleRow(RowOfGroup):
    """A group under a policy; what isn't known is null.

    `hours` are those that count, `resolution_seconds` the usual interval: what comes and goes
    within one isn't seen. `members` are the mean over the hours, `most_members` the most.
    `changes` of size lead to `rebalances`. `lag` is the mean in records, `worst_lag_seconds` that
    of the worst partition. `late_partition_hours` are those above the limit of lag, `on_time` is
    the share of the time in which no partition was, and `meets_slo` says whether that is enough.
    `unread_seconds` are partition-seconds without a reader. `cost` is by the prices.
    `recommended` costs the least of all policies that meet the SLO (of all, where none does), or is
    a fixed number that does as well: it has a `sentence` and, of a day or more, a `setting`'s text.
    `hot_partition` gets more at times than one member can read.
    """

    policy: Text
    status: Text
    reason: Text = None
    hours: Real = None
    resolution_seconds: Int = None
    partitions: Int = None
    peak_rate: Real = None
    members: Real = None
    most_members: Int = None
    member_hours: Real = None
    changes: Int = None
    rebalances: Int = None
    lag: Real = None
    worst_lag_seconds: Real = None
    late_partition_hours: Real = None
    on_time: Real = None
    meets_slo: Flag = None
    unread_seconds: Real = None
    cost: Real = None
    recommended: Flag = None
    hot_partition: Text = None
    sentence: Text = None
    setting: Text = None


Reals = Annotated[Any, t.ArrayType(t.DoubleType())]
Longs = Annotated[Any, t.ArrayType(t.LongType())]

COURSE = {
    **{"at": np.int64, "seconds": float, "members": np.int64, "arrivals": float},
    **{"lag": float, "lag_seconds": float, "rebalances": np.int64},
}
"""Facts of each interval of a course: columns of the table `courses`."""


@dataclass(slots=True, kw_only=True)
class CourseRow(ScaleRow):
    """A `ScaleRow` with its course: lists with an entry for each interval, named as in `COURSE`."""

    course_at: Longs = None
    course_seconds: Reals = None
    course_members: Longs = None
    course_arrivals: Reals = None
    course_lag: Reals = None
    course_lag_seconds: Reals = None
    course_rebalances: Longs = None


def unscaled_rows(
    row: EncodedRow, group: FleetGroup, settings: ScaleSettings
) -> Iterator[CourseRow]:
    """A row for each policy, with the reason why the group can't be replayed."""
    for policy in settings.policies:
        yield CourseRow(**group.outcome(row), policy=policy.name)


def course_rows(
    row: EncodedRow, group: GroupProcess, courses: Sequence[Course], settings: ScaleSettings
) -> Iterator[CourseRow]:
    """A row for each policy and its course."""
    process, hot = group.process, group.process.hot
    totals = [course.totals(settings.prices) for course in courses]
    advice, hours = advice_of(row.group, group, settings, totals), process.hours()
    is_firm = not is_too_short(hours)
    so_far = "" if is_firm else f"So far ({duration(hours * 3600)}): "
    for at, (policy, total) in enumerate(zip(settings.policies, totals, strict=True)):
        is_recommended = at == advice.recommended
        course = vars(courses[at]) | {"at": group.instants[:-1], "arrivals": process.total}
        yield CourseRow(
            cluster=row.cluster,
            group=row.group,
            policy=policy.name,
            status="ok",
            reason=NOTES.join(group.notes) or None,
            hours=hours,
            resolution_seconds=int(np.median(np.diff(process.edges))),
            partitions=process.partitions,
            peak_rate=process.peak_rate,
            **asdict(total),
            **{f"course_{name}": course[name].astype(kind) for name, kind in COURSE.items()},
            recommended=is_recommended,
            sentence=so_far + advice.sentence if is_recommended else None,
            setting=advice.setting if is_recommended and is_firm else None,
            hot_partition=process.assignments.partition_name(int(hot[0])) if len(hot) else None,
        )
