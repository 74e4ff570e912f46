"""What rows of partitions that were read without Spark tell of the topics that a group reads."""

import re
from base64 import b64decode
from collections.abc import Sequence
from typing import Any

import numpy as np

from optimizer.model import IntArray
from spark.fleet import FleetFiles, Rows
from spark.groups.encode import GAPS, NEGATIVE, NO_ID, SHARED_ID, TWICE, TWO_IDS
from spark.groups.rows import ABSENT, Lists
from spark.groups.weights import COLUMN
from spark.store import ValueFilter

_BASE64 = re.compile(r"[A-Za-z0-9_-]{22}")
_HEX = re.compile(r"[0-9A-F]{32}")


class TopicsRead:
    """Topics of a cluster; `columns` of partitions are read beside the usual ones."""

    def __init__(
        self, fleet: FleetFiles, cluster: str, topics: Sequence[bytes], columns: Sequence[str]
    ) -> None:
        self.fleet, self.cluster, self.topics = fleet, cluster, topics
        wanted = ValueFilter(frozenset(topics))
        self.rows: Rows = fleet.rows(
            "partitions", ("topic", "partition", "topic_id", *columns), cluster, topic=wanted
        )
        rows_of: dict[bytes, list[int]] = {topic: [] for topic in topics}
        for row, topic in enumerate(self.rows["topic"].to_pylist()):
            rows_of[topic].append(row)
        self.of_topic = {topic: np.array(rows, np.int64) for topic, rows in rows_of.items()}

    def sizes(self) -> dict[str, Any]:
        """Partitions of each topic, or what is wrong with it; and its id."""
        texts = self.rows["topic_id"].to_pylist()
        ids = [
            {_in_hex(text) for text in {texts[row] for row in rows.tolist()} if text is not None}
            for rows in self.of_topic.values()
        ]
        shared = _shared(self.fleet, self.cluster, {item for of in ids for item in of if item})
        sizes = [
            _size(self.rows["partition"][rows], of, shared)
            for rows, of in zip(self.of_topic.values(), ids, strict=True)
        ]
        least = [min(filter(None, of), default=None) for of in ids]
        return {"topic": self.topics, "topic_sizes": np.array(sizes, np.int64), "topic_ids": least}

    def rack_sets(self) -> dict[str, Any]:
        """The partitions of each topic with the same racks: of leader and replicas."""
        leaders, replicas = self.rows["leader_rack"].to_pylist(), self.rows["replica_racks"]
        alike: dict[Any, list[int]] = {}
        for topic, rows in self.of_topic.items():
            for row in rows.tolist():
                if leaders[row] is not None or replicas[row] is not None:
                    racks = sorted(rack for rack in replicas[row] or () if rack is not None)
                    numbers = alike.setdefault((topic, leaders[row], *racks), [])
                    numbers.append(int(self.rows["partition"][row]))
        return {
            "topic": [topic for topic, *_ in alike],
            "place_partitions": Lists.of(alike.values()).as_numbers(),
            "place_racks": Lists.of(racks for _, *racks in alike),
        }

    def weights(self) -> dict[str, Any]:
        """The partitions of each topic that have a weight, and the weight of each."""
        weights = np.array(self.rows["weight"], np.float64)
        of_topic = [rows[~np.isnan(weights[rows])] for rows in self.of_topic.values()]
        rows = Lists.of(of_topic).as_numbers()
        numbers = self.rows["partition"][rows.values]
        return {
            "topic": self.topics,
            f"{COLUMN}_partitions": rows._replace(values=numbers),
            f"{COLUMN}_values": rows._replace(values=weights[rows.values]),
        }


def _size(numbers: IntArray, ids: set[bytes | None], shared: set[bytes]) -> int:
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


def _in_hex(text: bytes) -> bytes | None:
    """A topic id in 32 hex digits; None if it is neither that nor Kafka's 22 characters."""
    values = text.decode("utf-8", "replace")
    if _BASE64.fullmatch(values):
        return b64decode(f"{values}==", "-_").hex().upper().encode()
    digits = values.replace("-", "").upper()
    return digits.encode() if _HEX.fullmatch(digits) else None


def _shared(fleet: FleetFiles, cluster: str, ids: set[bytes]) -> set[bytes]:
    """Those of these ids that several topics of the cluster have."""
    if not ids:
        return set()
    alike = ValueFilter(frozenset(), lambda text: _in_hex(text) in ids)
    rows = fleet.rows("partitions", ("topic", "topic_id"), cluster, topic_id=alike)
    users: dict[bytes | None, set[bytes]] = {}
    for topic, text in {*zip(*(rows[name].to_pylist() for name in rows), strict=True)}:
        users.setdefault(_in_hex(text), set()).add(topic)
    return {item for item, topics in users.items() if item and len(topics) > 1}
