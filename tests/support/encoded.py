"""Encoded rows without Spark: what `spark.groups.encode` makes of a fleet."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from types import SimpleNamespace
from typing import Any

import numpy as np

from optimizer.strategies.kafka.java import parse_uuid
from spark.groups.encode import ABSENT, GAPS, NEGATIVE, NO_ID, SHARED_ID, TWICE, TWO_IDS
from tests.support.fleets import Fleet, Row


def hash_of(name: str) -> int:
    """Any 64-bit hash will do: a row carries the names and their hashes."""
    return int.from_bytes(blake2b(name.encode(), digest_size=8).digest(), signed=True)


def encoded_group(fleet: Fleet, group: str = "g", cluster: str = "c") -> SimpleNamespace:
    """The row of one group, as the worker sees it."""

    def of_group(table: str) -> list[Row]:
        return [r for r in fleet.rows[table] if (r["cluster"], r["group"]) == (cluster, group)]

    listed = of_group("groups")
    members = sorted(of_group("members"), key=lambda row: row["member_id"])
    claims = [row for row in of_group("assignments") if row["member_id"] is not None]
    subscriptions = of_group("subscriptions")
    topics = sorted({row["topic"] for row in subscriptions})
    readers = [[row["member_id"] for row in subscriptions if row["topic"] == t] for t in topics]
    claimed_topics = sorted({row["topic"] for row in claims})
    claimants = sorted({row["member_id"] for row in claims})
    return SimpleNamespace(
        cluster=cluster,
        group=group,
        invalid_utf8=None,
        listed=max(len(listed), 1),
        state=next((row.get("state") for row in listed), None),
        group_strategy=next((row.get("strategy") for row in listed), None),
        type=next((row.get("type") for row in listed), None),
        inferred=any(row.get("subscriptions_inferred") for row in listed),
        member_ids=_names(row["member_id"] for row in members),
        member_hashes=_hashes(row["member_id"] for row in members),
        instance_ids=_names(row.get("instance_id") for row in members),
        racks=_names(row.get("rack") for row in members),
        client_ids=_names(row.get("client_id") for row in members),
        hosts=_names(row.get("host") for row in members),
        generations=_numbers((_or_absent(row.get("generation")) for row in members), np.int32),
        topics=_names(topics),
        topic_hashes=_hashes(topics),
        topic_sizes=_numbers((_size(fleet, cluster, topic) for topic in topics), np.int32),
        topic_ids=_names(next(iter(_ids(fleet, cluster, topic)), None) for topic in topics),
        subscriber_counts=_numbers(map(len, readers), np.int32),
        subscribers=_hashes(reader for items in readers for reader in items),
        claim_topics=_hashes(row["topic"] for row in claims),
        claim_partitions=_numbers((row["partition"] for row in claims), np.int32),
        claim_members=_hashes(row["member_id"] for row in claims),
        claim_generations=_numbers((_or_absent(row.get("generation")) for row in claims), np.int32),
        claimed_topics=_names(claimed_topics),
        claimants=_names(claimants),
        claimed_topic_hashes=_hashes(claimed_topics),
        claimant_hashes=_hashes(claimants),
    )


def _size(fleet: Fleet, cluster: str, topic: str) -> int:
    of_topic = [r for r in fleet.rows["partitions"] if r["cluster"] == cluster]
    numbers = [row["partition"] for row in of_topic if row["topic"] == topic]
    if not numbers:
        return ABSENT
    if min(numbers) < 0:
        return NEGATIVE
    if len(set(numbers)) < len(numbers):
        return TWICE
    if max(numbers) >= len(numbers):
        return GAPS
    others = {row["topic"] for row in of_topic} - {topic}
    taken = {_parsed(text) for other in others for text in _ids(fleet, cluster, other)}
    return _fault_of_ids({*map(_parsed, _ids(fleet, cluster, topic))}, taken) or len(numbers)


def _fault_of_ids(ids: set[object], taken: set[object]) -> int | None:
    if None in ids:
        return NO_ID
    if len(ids) > 1:
        return TWO_IDS
    return SHARED_ID if ids & taken else None


def _ids(fleet: Fleet, cluster: str, topic: str) -> list[str]:
    """All that is stated, as it is spelt."""
    rows = fleet.rows["partitions"]
    of_topic = [r for r in rows if (r["cluster"], r["topic"]) == (cluster, topic)]
    return sorted({row["topic_id"] for row in of_topic if row.get("topic_id") is not None})


def _parsed(text: str) -> object:
    try:
        return parse_uuid(text)
    except ValueError:
        return None


def _or_absent(number: int | None) -> int:
    return ABSENT if number is None else number


def _names(names: Any) -> Any:
    return np.array(list(names), object)


def _hashes(names: Any) -> Any:
    return _numbers(map(hash_of, names), np.int64)


def _numbers(numbers: Any, kind: type) -> Any:
    return np.array(list(numbers), kind)


def rename_hash(row: SimpleNamespace, name: str, like: str) -> None:
    """Forge a collision: wherever `name` is hashed, its hash is that of `like`."""
    for column, cells in vars(row).items():
        if isinstance(cells, np.ndarray) and cells.dtype == np.int64:
            cells[cells == hash_of(name)] = hash_of(like)
            setattr(row, column, cells)


def names_of(row: Any, hashes: Sequence[int]) -> list[str]:
    """The names behind hashes, by what the row says of its names."""
    entries: dict[int, str] = {}
    for names, codes in (
        (row.member_ids, row.member_hashes),
        (row.topics, row.topic_hashes),
        (row.claimed_topics, row.claimed_topic_hashes),
        (row.claimants, row.claimant_hashes),
    ):
        entries |= dict(zip(codes, names, strict=True))
    return [entries.get(code, "?") for code in hashes]
