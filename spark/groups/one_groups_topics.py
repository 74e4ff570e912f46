"""Columns about the topics of one group, from rows that were read without Spark."""

import re
from base64 import b64decode
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from optimizer.model import IntArray
from spark.fleet import FleetFiles, Rows, spelled
from spark.groups.encode import ABSENT, GAPS, NEGATIVE, NO_ID, SHARED_ID, TWICE, TWO_IDS
from spark.store import ValueFilter, coded

COLUMNS = ("topic", "partition", "topic_id")
RACK_COLUMNS = ("leader_rack", "replica_racks")
WEIGHT_COLUMNS = ("weight",)

_BASE64 = re.compile(r"[A-Za-z0-9_-]{22}")
_HEX = re.compile(r"[0-9A-F]{32}")


def topics_of(
    fleet: FleetFiles, cluster: str, topics: Sequence[bytes], racks: bool, weights: bool
) -> dict[str, Any]:
    """The columns `topic_sizes` and `topic_ids` of an encoded row.

    With `racks` its places, and with `weights` those of the partitions' own column.
    """
    columns = (*COLUMNS, *RACK_COLUMNS * racks, *WEIGHT_COLUMNS * weights)
    wanted = ValueFilter(frozenset(topics))
    rows = fleet.rows("partitions", columns, cluster, topic=wanted)
    of_topic = _by_topic(rows, topics)
    numbers = [rows["partition"][items] for items in of_topic]
    ids = _ids(rows, of_topic)
    shared = _shared(fleet, cluster, {item for of_one in ids for item in of_one if item})
    sizes = [_size(number, result, shared) for number, result in zip(numbers, ids, strict=True)]
    topic_columns = {
        "topic_sizes": np.array(sizes, np.int32),
        "topic_ids": objects(min(filter(None, result), default=None) for result in ids),
    }
    topic_columns |= _rack_columns(rows, of_topic) if racks else {}
    return topic_columns | (_weight_columns(rows, of_topic) if weights else {})


def _by_topic(rows: Rows, topics: Sequence[bytes]) -> list[IntArray]:
    """The indexes of each topic's rows."""
    codes, names = coded(rows["topic"])
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(names)))
    result = dict(zip(names, np.split(order, ends[:-1]), strict=False))
    return [result.get(topic, np.empty(0, np.int64)) for topic in topics]


def _size(numbers: IntArray, ids: set[str | None], shared: set[str]) -> int:
    """Partitions of a topic, or what is wrong with it: see `spark.groups.encode`."""
    if not len(numbers):
        return ABSENT
    faults = {
        NEGATIVE: numbers.min() < 0,
        TWICE: len(np.unique(numbers)) < len(numbers),
        GAPS: numbers.max() >= len(numbers),
        NO_ID: None in ids,
        TWO_IDS: len(ids) > 1,
        SHARED_ID: bool(ids & shared),
    }
    return next((fault for fault, is_there in faults.items() if is_there), len(numbers))


def _ids(rows: Rows, of_topic: Sequence[IntArray]) -> list[set[str | None]]:
    """The ids of each topic, None for one that is none."""
    codes, texts = coded(rows["topic_id"])
    settings = [None if text is None else _in_hex(text) for text in texts]
    is_stated = np.array([text is not None for text in texts], np.bool_)
    result = (np.unique(codes[numbers]) for numbers in of_topic)
    return [{settings[code] for code in items[is_stated[items]].tolist()} for items in result]


def _in_hex(text: bytes) -> str | None:
    """A topic id in 32 hex digits; None if it is neither that nor Kafka's 22 characters."""
    values = text.decode("utf-8", "replace")
    if _BASE64.fullmatch(values):
        return b64decode(f"{values}==", "-_").hex().upper()
    digits = values.replace("-", "").upper()
    return digits if _HEX.fullmatch(digits) else None


def _shared(fleet: FleetFiles, cluster: str, ids: set[str]) -> set[str]:
    """Those of these ids that several topics of the cluster have."""
    if not ids:
        return set()
    alike = ValueFilter(frozenset(), lambda text: _in_hex(text) in ids)
    rows = fleet.rows("partitions", ("topic", "topic_id"), cluster, topic_id=alike)
    (topics, _), (codes, texts) = coded(rows["topic"]), coded(rows["topic_id"])
    pairs = np.unique(np.stack((topics, codes)), axis=1)
    users: dict[str | None, set[int]] = {}
    for topic, code in pairs.T.tolist():
        users.setdefault(_in_hex(texts[code]), set()).add(topic)
    return {item for item, topics in users.items() if item and len(topics) > 1}


def _weight_columns(rows: Rows, of_topic: Sequence[IntArray]) -> dict[str, Any]:
    """The weights of each topic's partitions that have one."""
    weights = np.array(rows["weight"], np.float64)
    rows_with_one = [numbers[~np.isnan(weights[numbers])] for numbers in of_topic]
    order = np.concatenate([np.empty(0, np.int64), *rows_with_one])
    return {
        "column_counts": np.array([len(numbers) for numbers in rows_with_one], np.int32),
        "column_partitions": rows["partition"][order].astype(np.int32),
        "column_values": weights[order],
    }


def _rack_columns(rows: Rows, of_topic: Sequence[IntArray]) -> dict[str, Any]:
    """The racks of each topic's partitions, those that have the same ones together."""
    codes, leaders = coded(rows["leader_rack"])
    replicas = rows["replica_racks"]
    counts: list[int] = []
    rack_sets: list[tuple[bytes | None, tuple[bytes, ...] | None]] = []
    partitions: list[list[int]] = []
    for numbers in of_topic:
        result: dict[Any, list[int]] = {}
        for row in numbers.tolist():
            racks = replicas[row]
            if leaders[codes[row]] is None and racks is None:
                continue
            alike = tuple(sorted(rack for rack in racks or () if rack is not None))
            key = (leaders[codes[row]], None if racks is None else alike)
            result.setdefault(key, []).append(int(rows["partition"][row]))
        counts.append(len(result))
        partitions += result.values()
        rack_sets += result
    return {
        "place_counts": np.array(counts, np.int32),
        "place_leaders": objects(None if item is None else spelled(item) for item, _ in rack_sets),
        "place_replicas": [[*map(spelled, few or ())] for _, few in rack_sets],
        "place_sizes": np.array([len(partition) for partition in partitions], np.int32),
        "place_partitions": np.array(
            [item for partition in partitions for item in partition], np.int32
        ),
    }


def objects(values: Iterable[Any]) -> Any:
    """An array of objects, texts for example."""
    listed = list(values)
    array = np.empty(len(listed), object)
    array[:] = listed
    return array
