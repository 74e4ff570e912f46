"""Courses of one group as rows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from optimizer.scaling import Course, Process, Totals
from spark.groups import EncodedRow
from spark.scale.advice import advice_of
from spark.scale.group_process import GroupProcess, Unscaled
from spark.scale.policies_file import ScaleSettings
from spark.scale.scale_row import CourseRow
from spark.scale.text import NOTES


@dataclass(frozen=True)
class Replayed:
    """A group's encoded row, its process or why there is none, and its courses."""

    row: EncodedRow
    group: GroupProcess | Unscaled
    courses: Sequence[Course] = ()


def course_rows(of_group: Replayed, settings: ScaleSettings) -> Iterator[CourseRow]:
    """A row for each policy; those of a group that can't be replayed have the reason."""
    row, group = of_group.row, of_group.group
    keys: dict[str, Any] = {"cluster": row.cluster, "group": row.group}
    if isinstance(group, Unscaled):
        for policy in settings.policies:
            yield CourseRow(**keys, policy=policy.name, status=group.status, reason=group.reason)
        return
    process = group.process
    totals = [course.totals(settings.prices) for course in of_group.courses]
    advice = advice_of(row.group, group, settings, totals)
    hot = process.hot
    for at, item in enumerate(totals):
        is_recommended = at == advice.recommended
        yield CourseRow(
            **keys,
            policy=item.policy,
            status="ok",
            reason=NOTES.join(group.notes) or None,
            hours=process.hours(),
            resolution_seconds=_resolution(process),
            partitions=process.partitions,
            peak_rate=process.peak_rate,
            **_figures(item),
            **_course(of_group.courses[at], group),
            recommended=is_recommended,
            sentence=advice.sentence if is_recommended else None,
            setting=advice.setting if is_recommended else None,
            hot_partition=process.assignments.partition_name(int(hot[0])) if len(hot) else None,
        )


def _resolution(process: Process) -> int:
    """Seconds of the usual interval: what comes and goes within one isn't seen."""
    return int(np.median(np.diff(process.edges)))


def _figures(item: Totals) -> dict[str, Any]:
    return {
        "members": item.mean_members,
        "most_members": item.most_members,
        "member_hours": item.member_hours,
        "changes": item.changes,
        "rebalances": item.rebalances,
        "lag": item.mean_lag,
        "worst_lag_seconds": item.worst_lag_seconds,
        "late_partition_hours": item.late_partition_hours,
        "on_time": item.on_time,
        "meets_slo": item.meets_slo,
        "unread_seconds": item.unread_seconds,
        "cost": item.cost,
    }


def _course(course: Course, group: GroupProcess) -> dict[str, Any]:
    return {
        "course_at": group.instants[:-1],
        "course_seconds": course.seconds.tolist(),
        "course_members": course.members,
        "course_arrivals": group.process.total.tolist(),
        "course_lag": course.lag.tolist(),
        "course_lag_seconds": course.lag_seconds.tolist(),
        "course_rebalances": course.rebalances,
    }
