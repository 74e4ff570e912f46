"""Each group from one change of its facts to the next, inside workers."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from pyspark.sql import DataFrame

from optimizer.solver import min_max_load_of
from spark.groups import in_workers
from spark.history.change_row import GONE, ChangeRow
from spark.history.encode import RowInTime, encode_changes
from spark.history.group_spans import GroupSpans
from spark.history.timeline import Timeline
from spark.history.transition import Moment, changes_between, first_seen, last_seen


def change_rows_of(
    group_spans: GroupSpans, tables: Mapping[str, DataFrame], timeline: Timeline
) -> DataFrame:
    """A `ChangeRow` for each group and start of a span, and for each time that a group is gone."""
    encoded = encode_changes(tables, group_spans)
    return in_workers(encoded, ChangeRow, lambda group: rows_of(group, timeline))


def rows_of(group: Iterable[RowInTime], timeline: Timeline) -> Iterator[ChangeRow]:
    """The rows of one group, from its encoded ones in order of time."""
    before: Moment | None = None
    for row in group:
        after = Moment.of(row)
        if before is not None and before.row.end + 1 < row.start:
            yield _gone(before, timeline, row.start - 1)
            before = None
        yield _change_row(before, after, timeline)
        before = after
    if before is not None and before.row.end < timeline.last(before.row.cluster):
        yield _gone(before, timeline, timeline.last(before.row.cluster))


def _change_row(before: Moment | None, after: Moment, timeline: Timeline) -> ChangeRow:
    row, group = after.row, after.group
    result: dict[str, Any] = {}
    if group.problem:
        result |= after.current_loads(min_max_load_of(group.problem))
    snapshots = timeline.snapshots[row.cluster]
    changes: dict[str, Any] = {}
    if row.start:
        changes = changes_between(before, after) if before else first_seen(after)
        changes["from_snapshot"] = snapshots[row.start - 1]
    return ChangeRow(
        cluster=row.cluster,
        group=row.group,
        snapshot=row.snapshot,
        start=row.start,
        end=row.end,
        status=group.status,
        reason=group.reason,
        type=row.type,
        state=row.state,
        members=len(row.member_ids),
        **result,
        **changes,
    )


def _gone(before: Moment, timeline: Timeline, end: int) -> ChangeRow:
    """Of a group that isn't there from after `before` to position `end`."""
    row = before.row
    snapshots = timeline.snapshots[row.cluster]
    return ChangeRow(
        cluster=row.cluster,
        group=row.group,
        snapshot=snapshots[row.end + 1],
        start=row.end + 1,
        end=end,
        status=GONE,
        from_snapshot=snapshots[row.end],
        **last_seen(before),
    )
