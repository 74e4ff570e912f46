"""The encoded row: what Spark hands a worker of one group, and what everything here reads."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""Of whole numbers; hashes are 64 bits wide, all others 32."""

Names = NDArray[np.object_]
"""Texts; None where one is null."""


class EncodedRow(Protocol):
    """One group: `encode` makes it of DataFrames, `row_of_group` of files without Spark.

    Columns of one kind are aligned. Names are sorted; claims, which refer to topics and members by
    the hash of the name, are in no order. A column that wasn't asked for isn't there.
    """

    cluster: str
    group: str
    invalid_utf8: Any
    """Names that aren't valid UTF-8; null if there are none (`spark.groups.invalid_utf8`)."""

    # the group as a whole; None where no table says it
    listed: int
    state: str | None
    group_strategy: str | None
    inferred: bool
    type: str | None
    cluster_has_claims: bool
    """Whether any group of the cluster claims anything; not there in a row of a history."""
    hidden: Names | None
    """Topics that it names and who collected may not describe."""

    # its members
    member_ids: Names
    member_hashes: Numbers
    instance_ids: Names
    racks: Names
    client_ids: Names
    hosts: Names
    generations: Numbers
    capacities: NDArray[np.float64]
    """Only with weights; NaN where it isn't known."""

    # the topics that somebody subscribes to; `subscriber_counts` of the `subscribers` are of each
    topics: Names
    topic_hashes: Numbers
    topic_sizes: Numbers
    """Partitions, or a sign of what is wrong (`spark.groups.encode`)."""
    topic_ids: Names
    """In 32 hex digits."""
    subscriber_counts: Numbers
    subscribers: Numbers

    # only with racks: a place is partitions of a topic whose leaders and replicas are in the same
    # racks; `place_counts` of the places are of each topic, `place_sizes` of the
    # `place_partitions` in each place
    place_counts: Numbers
    place_leaders: Names
    place_replicas: Any
    place_sizes: Numbers
    place_partitions: Numbers

    # what each partition weighs by lag, only with such weights; topics stand as hashes
    lag_topics: Numbers

    # what members own; -1: a claim of no generation
    claim_topics: Numbers
    claim_partitions: Numbers
    claim_members: Numbers
    claim_generations: Numbers
    claimed_topics: Names
    claimed_topic_hashes: Numbers
    claimants: Names
    claimant_hashes: Numbers

    def _replace(self, **columns: Any) -> Any:
        """The row with other values in these columns."""
