"""Courses of one group as rows."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict

import numpy as np

from optimizer.scaling import Course
from spark.groups import EncodedRow, FleetGroup
from spark.scale.advice import advice_of
from spark.scale.group_process import GroupProcess
from spark.scale.policies_file import ScaleSettings
from spark.scale.scale_row import COURSE, CourseRow
from spark.scale.text import NOTES


def unscaled_rows(
    row: EncodedRow, group: FleetGroup, settings: ScaleSettings
) -> Iterator[CourseRow]:
    """A row for each policy, with the reason why the group can't be replayed."""
    for policy in settings.policies:
        yield CourseRow(
            cluster=row.cluster,
            group=row.group,
            policy=policy.name,
            status=group.status,
            reason=group.reason,
        )


def course_rows(
    row: EncodedRow, group: GroupProcess, courses: Sequence[Course], settings: ScaleSettings
) -> Iterator[CourseRow]:
    """A row for each policy and its course."""
    process, hot = group.process, group.process.hot
    totals = [course.totals(settings.prices) for course in courses]
    advice = advice_of(row.group, group, settings, totals)
    for at, (policy, item) in enumerate(zip(settings.policies, totals, strict=True)):
        is_recommended = at == advice.recommended
        course = vars(courses[at]) | {"at": group.instants[:-1], "arrivals": process.total}
        yield CourseRow(
            cluster=row.cluster,
            group=row.group,
            policy=policy.name,
            status="ok",
            reason=NOTES.join(group.notes) or None,
            hours=process.hours(),
            resolution_seconds=int(np.median(np.diff(process.edges))),
            partitions=process.partitions,
            peak_rate=process.peak_rate,
            **asdict(item),
            **{f"course_{name}": course[name].astype(kind) for name, kind in COURSE.items()},
            recommended=is_recommended,
            sentence=advice.sentence if is_recommended else None,
            setting=advice.setting if is_recommended else None,
            hot_partition=process.assignments.partition_name(int(hot[0])) if len(hot) else None,
        )
