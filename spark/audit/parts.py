"""Further parts of a group's encoded row, which findings need and solving doesn't."""

from collections.abc import Set
from typing import Protocol

import numpy as np
from pyspark.sql import DataFrame, functions as F

from optimizer.model import IntArray
from spark.fleet import FleetSnapshot
from spark.groups import GROUP_KEYS, EncodedRow, Numbers, claims_of

LEAST = np.iinfo(np.int64).min
"""Stands for a lag that isn't known."""

CLAIMS = ("claim_topics", "claim_partitions", "claim_members", "claim_generations")
"""The claims of an encoded row; those of the snapshot before begin with `before_`."""


class AuditRow(EncodedRow, Protocol):
    """A group with the parts of `parts_for`; of each part all columns, or none, are there."""

    member_racks: Numbers
    """A number for each member's rack; 0: not known."""
    column_values: Numbers

    # what the group reads or claims: `leaders_counts` of the partitions are of each topic
    led_topics: Numbers
    leaders_counts: Numbers
    leaders: Numbers
    """-1: not known."""
    leader_racks: Numbers
    """0: not known; none at all where members' racks aren't known either."""

    # what is stated of offsets; negative: not known
    offset_topics: Numbers
    offset_partitions: Numbers
    offset_committed: Numbers
    offset_ends: Numbers
    offset_starts: Numbers
    offset_lags: Numbers
    """`LEAST`: not stated; other negative ones are how far an offset is beyond the end."""

    # the snapshot before: all claims, dynamic members, offsets and ends that are known
    before_claim_topics: Numbers
    before_claim_members: Numbers
    dynamic_before_members: Numbers
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
    racks = f"{_rack_number('rack')} as member_racks"
    parts = {"rack": tables["members"].selectExpr("cluster", "`group`", "member_id", racks)}
    racks_known = available >= {"members.rack", "partitions.leader_rack"}
    if racks_known or "partitions.leader" in available:
        reads = [
            tables[name].select(*GROUP_KEYS, "topic") for name in ("subscriptions", "assignments")
        ]
        led = _leaders_by_topic(tables["partitions"], racks_known)
        parts["led"] = reads[0].unionAll(reads[1]).distinct().join(led, ["cluster", "topic"])
    if "lag" in available:
        parts["offset"] = _offsets(tables["offsets"])
    if previous:
        members = previous.tables["members"].where("instance_id is null")
        parts["before_claim"] = claims_of(previous.tables["assignments"]).withColumnRenamed(
            "claim_generations", "before_claim_generations"
        )
        parts["dynamic_before"] = members.select(*GROUP_KEYS, "member_id")
    if previous and available >= {"lag", "previous.offsets"}:
        offsets = previous.tables["offsets"].where("committed_offset >= 0 and end_offset >= 0")
        names = ("committed_offset as before_committed", "end_offset as before_ends")
        parts["before"] = offsets.selectExpr("cluster", "`group`", "topic", "partition", *names)
    return parts


def _rack_number(rack: str) -> str:
    """SQL text: a number for a rack, of a name of any bytes; 0 for none."""
    return f"if({rack} != '', xxhash64({rack}), 0L)"


def _leaders_by_topic(partitions: DataFrame, racks: bool) -> DataFrame:
    """Leaders of each partition of a topic, in order; without `racks` there are none of them."""
    rack = _rack_number("leader_rack")
    partition = f"struct(partition, bigint(ifnull(leader, -1)) as leader, {rack} as rack)"
    of_topic = partitions.groupBy("cluster", "topic").agg(
        F.expr(f"sort_array(collect_list({partition})) as led")
    )
    names = ("led.leader as leaders", *["led.rack as leader_racks"] * racks)
    return of_topic.selectExpr("cluster", "topic", *names)


def _offsets(offsets: DataFrame) -> DataFrame:
    names = {name: f"{name}_offset as offset_{name}s" for name in ("end", "start")}
    return offsets.selectExpr(
        *("cluster", "`group`", "topic", "partition", "committed_offset as offset_committed"),
        *(*names.values(), f"ifnull(lag, bigint({LEAST})) as offset_lags"),
    )


def claims_changed(row: AuditRow) -> bool:
    """Whether others are claimed, or by others, than before; generations don't matter.

    Of a group without claims, now or then, nothing has changed hands.
    """
    now, before = len(row.claim_topics), len(row.before_claim_topics)
    if not now or not before:
        return False
    return now != before or not np.array_equal(_in_order(row, ""), _in_order(row, "before_"))


def _in_order(row: AuditRow, when: str) -> IntArray:
    """Claims of members, in one order."""
    columns = np.stack([getattr(row, f"{when}{name}") for name in CLAIMS[:3]])
    return columns[:, np.lexsort(columns)]


def as_before(row: AuditRow) -> AuditRow:
    """The row with the claims of the snapshot before."""
    before: AuditRow = row._replace(**{name: getattr(row, f"before_{name}") for name in CLAIMS})
    return before
