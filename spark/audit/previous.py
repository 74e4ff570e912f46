"""What an earlier snapshot tells about a fleet."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark.fleet import FleetSnapshot
from spark.groups import GROUP_KEYS, encode
from spark.solve import solve_groups

KEYS = list(GROUP_KEYS)


def solve_from_before(snapshot: FleetSnapshot, previous: FleetSnapshot) -> DataFrame:
    """Groups whose claims have changed, solved anew from what was claimed before.

    Members and subscriptions are today's. A group is few rows here: which have changed is known
    before any of them is moved, and the others stay where they are.
    """
    now, before = snapshot.tables, previous.tables["assignments"]
    was = _fingerprints(before).withColumnRenamed("fingerprint", "was")
    claims = _fingerprints(now["assignments"]).join(was, KEYS)
    changed = F.broadcast(claims.where("fingerprint != was").select(*KEYS))
    tables = {
        name: now[name].join(changed, KEYS, "left_semi")
        for name in ("groups", "members", "subscriptions")
        if name in now
    }
    tables["assignments"] = before.join(changed, KEYS, "left_semi")
    tables["partitions"] = now["partitions"]
    solved = solve_groups(encode(FleetSnapshot(snapshot.id, tables)), "optimal")
    return solved.where("max_load is not null")


def _fingerprints(assignments: DataFrame) -> DataFrame:
    """One number a group that tells who claims what."""
    claim = F.xxhash64("topic", "partition", "member_id")
    return assignments.groupBy(*KEYS).agg(F.bit_xor(claim).alias("fingerprint"))


def replaced(snapshot: FleetSnapshot, previous: FleetSnapshot) -> DataFrame:
    """Groups whose dynamic members changed: how many are `gone`, how many `come`.

    `handed` is how many partitions those who are gone had: without any, nothing moved for them.
    """
    key = [*KEYS, "member_id"]
    before, now = (
        one.tables["members"].where("instance_id is null").select(*key)
        for one in (previous, snapshot)
    )
    gone = before.join(now, key, "left_anti")
    handed = (
        previous.tables["assignments"]
        .join(F.broadcast(gone), key, "left_semi")
        .groupBy(*KEYS)
        .agg(F.count("*").alias("handed"))
    )
    come = now.join(before, key, "left_anti").groupBy(*KEYS).agg(F.count("*").alias("come"))
    return gone.groupBy(*KEYS).agg(F.count("*").alias("gone")).join(come, KEYS).join(handed, KEYS)


def stuck(offsets: DataFrame, previous: FleetSnapshot) -> DataFrame:
    """Partitions that lag and are written, of which nothing was committed since the one before.

    Joined by a number first: rows are sorted by it, and names seldom compared.
    """
    key = ["place", *KEYS, "topic", "partition"]
    place = F.xxhash64(*key[1:])
    before = previous.tables["offsets"].selectExpr(
        *("cluster", "`group`", "topic", "partition"),
        "committed_offset as committed_before",
        "end_offset as end_before",
    )
    late = offsets.where("lag > 0").withColumn("place", place)
    return late.join(before.withColumn("place", place), key).where(
        "committed_offset = committed_before and end_offset > end_before"
    )
