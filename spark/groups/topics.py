"""The topics in an encoded row."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from optimizer.model import IntArray
from spark.groups.encoded_row import EncodedRow
from spark.groups.lookup import Lookup

LARGEST = 1_000_000
"""No topic has more partitions: a higher number is a slip, and arrays for it would fill memory."""


@dataclass(frozen=True)
class Topics:
    """A group's topics sorted by name: those it reads, and those it only owns something of.

    `sizes` are partition counts, or negative signs of `spark.groups.encode`; `subscribed` are the
    indexes of the topics that somebody subscribes to. `ids` are None for topics that nobody reads.
    """

    names: list[str]
    sizes: IntArray
    hashes: IntArray
    subscribed: IntArray
    ids: list[str | None]

    @cached_property
    def index(self) -> Lookup:
        return Lookup.of(self.hashes)

    @cached_property
    def offsets(self) -> IntArray:
        """Partition p of topic t has the index offsets[t] + p."""
        offsets = np.zeros(len(self.sizes) + 1, np.int64)
        np.maximum(self.sizes, 0).cumsum(out=offsets[1:])
        return offsets


def read_topics(row: EncodedRow) -> Topics:
    """The topics of a row of `spark.groups.encode`."""
    names: list[str] = row.topics.tolist()
    sizes = row.topic_sizes.astype(np.int64)
    extra = set(row.claimed_topics.tolist()).difference(names)
    if not extra:
        subscribed = np.arange(len(names))
        return Topics(names, sizes, row.topic_hashes, subscribed, row.topic_ids.tolist())
    return _with_unread_topics(row, names, sizes, extra)


def _with_unread_topics(
    row: EncodedRow, names: list[str], sizes: IntArray, extra: set[str]
) -> Topics:
    """Topics that nobody subscribes to any more reach as far as what is owned of them."""
    size_of = dict(zip(names, sizes.tolist(), strict=True))
    hash_of = dict(zip(names, row.topic_hashes.tolist(), strict=True))
    for name, hashed in zip(row.claimed_topics, row.claimed_topic_hashes.tolist(), strict=True):
        if name in extra:
            owned = row.claim_partitions[row.claim_topics == hashed]
            size_of[name], hash_of[name] = min(int(owned.max()) + 1, LARGEST), hashed
    id_of = dict(zip(names, row.topic_ids, strict=True))
    ordered = sorted(size_of)
    return Topics(
        names=ordered,
        sizes=np.array([size_of[name] for name in ordered]),
        hashes=np.array([hash_of[name] for name in ordered]),
        subscribed=np.flatnonzero([name not in extra for name in ordered]),
        ids=[id_of.get(name) for name in ordered],
    )
