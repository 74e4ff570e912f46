"""What findings need of a group beside what solving needs: further parts of its encoded row."""

from collections.abc import Set
from typing import Any, Protocol

import numpy as np
from pyspark.sql import Column, DataFrame, functions as F

from spark.fleet import LAG, FleetSnapshot
from spark.groups import GROUP_KEYS, EncodedRow, Names, Numbers, claims_of

_ODD = np.int64(0x1E3779B97F4A7C15)

LEAST = "bigint(-9223372036854775808)"
"""Stands for an end that isn't known: no other one lies before it."""

CLAIMS = (
    *("claim_topics", "claim_partitions", "claim_members", "claim_generations"),
    *("claimed_topics", "claimants", "claimed_topic_hashes", "claimant_hashes"),
)
"""The columns of `spark.groups.claims_of`; those of the snapshot before begin with `before_`."""


class AuditRow(EncodedRow, Protocol):
    """A group with the parts of `parts_for`; of each part all columns, or none, are there."""

    member_racks: Numbers
    """A number for each member's rack; 0: not known."""
    column_values: Numbers
    reported: Numbers
    """One number, the coordinator that the source named, if it did."""

    # what the group reads or claims: `led_counts` of the partitions are of each topic, in order
    led_topics: Numbers
    led_counts: Numbers
    leaders: Numbers
    """-1: not known."""
    leader_racks: Numbers
    """0: not known; none at all where members' racks aren't known either."""

    # known lags
    late_topics: Numbers
    late_partitions: Numbers
    lags: Numbers
    lag_committed: Numbers
    lag_ends: Numbers
    """`LEAST` if offset or end isn't known."""

    # offsets beyond the end, with numbers as text, or null, and the bytes of topics' names
    beyond_topics: Numbers
    beyond_partitions: Numbers
    beyond_records: Numbers
    beyond_committed: Names
    beyond_bounds: Names
    beyond_names: Any

    # the same of offsets before the start
    deleted_topics: Numbers
    deleted_partitions: Numbers
    deleted_records: Numbers
    deleted_committed: Names
    deleted_bounds: Names
    deleted_names: Any

    # the snapshot before: all claims, dynamic members, offsets and ends that are known
    before_claim_topics: Numbers
    before_claim_members: Numbers
    before_claimants: Names
    members_before: Numbers
    before_topics: Numbers
    before_partitions: Numbers
    before_committed: Numbers
    before_ends: Numbers


def parts_for(
    snapshot: FleetSnapshot, previous: FleetSnapshot | None, available: Set[str]
) -> dict[str, DataFrame]:
    """The parts that can be made of what is `available`, by name (`spark.groups.encode`).

    Their columns are those of `AuditRow`.
    """
    tables = snapshot.tables
    parts: dict[str, DataFrame] = {}
    if "groups.coordinator" in available:
        parts["reported"] = _reported(tables["groups"])
    racks = available >= {"members.rack", "partitions.leader_rack"}
    if racks or "partitions.leader" in available:
        reads = [
            tables[name].select(*GROUP_KEYS, "topic") for name in ("subscriptions", "assignments")
        ]
        parts["led"] = _led(reads[0].unionAll(reads[1]).distinct(), tables["partitions"], racks)
    if "lag" in available:
        parts["offsets"] = _offsets(tables["offsets"])
    if previous:
        parts["claims_before"] = _claims_before(previous.tables["assignments"])
        parts["members_before"] = _members_before(previous.tables["members"])
    if previous and available >= {"lag", "previous.offsets"}:
        parts["offsets_before"] = _offsets_before(previous.tables["offsets"])
    return parts


def rack_number(rack: str) -> str:
    """SQL text: a number for a rack, of a name of any bytes; 0 for none."""
    return f"if({rack} != '', xxhash64({rack}), 0L)"


def _reported(groups: DataFrame) -> DataFrame:
    entries = groups.where("coordinator >= 0").groupBy(*GROUP_KEYS)
    return entries.agg(F.expr("array(min(coordinator)) as reported"))


def _led(reads: DataFrame, partitions: DataFrame, racks: bool) -> DataFrame:
    """Of topics that somebody in the group subscribes to, or claims something of.

    Without `racks` there are none of them.
    """
    partition = (
        f"struct(partition, ifnull(leader, -1) as leader, {rack_number('leader_rack')} as rack)"
    )
    of_topic = partitions.groupBy("cluster", "topic").agg(
        F.expr(f"sort_array(collect_list({partition})) as led")
    )
    topic = "struct(xxhash64(topic) as topic, led.leader as leader, led.rack as rack)"
    return (
        reads.join(of_topic, ["cluster", "topic"])
        .groupBy(*GROUP_KEYS)
        .agg(F.expr(f"collect_list({topic}) as topics"))
        .selectExpr(
            *("cluster", "`group`", "topics.topic as led_topics"),
            "transform(topics, one -> size(one.leader)) as led_counts",
            "flatten(topics.leader) as leaders",
            f"{'flatten(topics.rack)' if racks else 'cast(array() as array<bigint>)'} "
            "as leader_racks",
        )
    )


def _offsets(offsets: DataFrame) -> DataFrame:
    """Lags are those stated, or what is left to the end.

    A negative offset isn't known. Beyond the end is no lag: where the group goes on is for its
    auto.offset.reset to say.
    """
    entries = {"committed": "committed_offset", "end": "end_offset", "start": "start_offset"}
    offsets = offsets.withColumns(
        {name: F.when(F.col(column) >= 0, F.col(column)) for name, column in entries.items()}
    )
    beyond = "coalesce(try_subtract(committed, end), try_subtract(0L, lag))"
    rows = offsets.selectExpr(
        *("cluster", "`group`", "xxhash64(topic) as topic", "partition"),
        "cast(topic as binary) as name",
        *("committed", "end", f"{beyond} as beyond"),
        *("start", "try_subtract(start, committed) as deleted"),
        f"if({beyond} > 0 or {LAG} < 0, null, {LAG}) as lag",
    )
    late = (
        "struct(topic, partition, lag, ifnull(committed, 0L) as committed, "
        f"if(committed is null, {LEAST}, ifnull(end, {LEAST})) as end)"
    )
    grouped = rows.groupBy(*GROUP_KEYS).agg(
        F.expr(f"collect_list({late}) filter (where lag is not null) as late"),
        _outside("beyond", "end"),
        _outside("deleted", "start"),
    )
    return grouped.selectExpr(
        *("cluster", "`group`", "late.topic as late_topics", "late.partition as late_partitions"),
        *("late.lag as lags", "late.committed as lag_committed", "late.end as lag_ends"),
        *(f"{side}.{of} as {side}_{of}" for side in ("beyond", "deleted") for of in OUTSIDE),
    )


OUTSIDE = ("topics", "names", "partitions", "records", "committed", "bounds")
"""What is known of offsets outside of their logs, in the columns of a row."""


def _outside(side: str, bound: str) -> Column:
    """Offsets that lie on that side of their log, whose `bound` there is known."""
    columns = ("topic", "name", "partition", side, "string(committed)", f"string({bound})")
    entry = ", ".join(f"{column} as {of}" for column, of in zip(columns, OUTSIDE, strict=True))
    return F.expr(f"collect_list(struct({entry})) filter (where {side} > 0) as {side}")


def _claims_before(assignments: DataFrame) -> DataFrame:
    """Without names where one isn't valid UTF-8: Arrow would end the job for it."""
    names = ("claimed_topics", "claimants")
    valid = f"is_valid_utf8(concat_ws(',', {', '.join(names)}))"
    entries = {name: f"if({valid}, {name}, array())" if name in names else name for name in CLAIMS}
    columns = [f"{column} as before_{name}" for name, column in entries.items()]
    return claims_of(assignments).selectExpr("cluster", "`group`", *columns)


def _members_before(members: DataFrame) -> DataFrame:
    dynamic = members.where("instance_id is null").groupBy(*GROUP_KEYS)
    return dynamic.agg(F.expr("collect_list(xxhash64(member_id)) as members_before"))


def _offsets_before(offsets: DataFrame) -> DataFrame:
    entry = "struct(xxhash64(topic) as topic, partition, committed_offset, end_offset)"
    entries = offsets.where("committed_offset >= 0 and end_offset >= 0")
    grouped = entries.groupBy(*GROUP_KEYS).agg(F.expr(f"collect_list({entry}) as entries"))
    return grouped.selectExpr(
        *("cluster", "`group`", "entries.topic as before_topics"),
        "entries.partition as before_partitions",
        "entries.committed_offset as before_committed",
        "entries.end_offset as before_ends",
    )


def claims_changed(row: AuditRow) -> bool:
    """Whether others are claimed, or by others, than before; generations don't matter.

    Of a group without claims, now or then, nothing has changed hands.
    """
    now, before = len(row.claim_topics), len(row.before_claim_topics)
    if not now or not before or not len(row.before_claimants):
        return False
    return now != before or _fingerprint(row, "") != _fingerprint(row, "before_")


def _fingerprint(row: AuditRow, when: str) -> int:
    """A number that tells who claims what, in any order."""
    topic, partition, member = (getattr(row, f"{when}{name}") for name in CLAIMS[:3])
    place = topic ^ (partition * _ODD)
    place ^= place >> 29
    place *= _ODD
    place ^= place >> 32
    return int((place * (member | 1)).sum())


def as_before(row: AuditRow) -> AuditRow:
    """The row with the claims of the snapshot before."""
    before: AuditRow = row._replace(**{name: getattr(row, f"before_{name}") for name in CLAIMS})
    return before
