"""The encoded row: what Spark hands a worker of one group, and what everything here reads."""

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[Any]
"""Of whole numbers, mostly."""

Names = NDArray[np.object_]
"""Texts; None where one is null."""


class Trouble(NamedTuple):
    """Why nothing can be made of a group: the status that it has, and a sentence."""

    status: str
    sentence: str


class EncodedRow(Protocol):
    """One group, cut of a table of rows (`spark.groups.cut`).

    Columns of one kind are aligned. Names are sorted, and stand in other columns as their places
    among all of the kind; claims are in no order. A part that wasn't asked for has no columns.
    """

    cluster: str
    group: str
    is_there: bool
    """Whether one of the fleet's own tables names it, and not only a further part."""
    trouble: Trouble | None

    # the group as a whole; None where no table says it
    listed: int
    state: str | None
    group_strategy: str | None
    inferred: bool
    type: str | None
    cluster_has_claims: bool
    """Whether any group of the cluster claims anything."""
    coordinator: int | None
    """The broker that the source named."""
    hidden: Names | None
    """Topics that it names and who collected may not describe."""

    # its members; behind them in `all_members` are all others that any row names
    member_ids: Names
    all_members: Names
    instance_ids: Names
    racks: Names
    client_ids: Names
    hosts: Names
    generations: Numbers
    capacities: Numbers
    """NaN: not known."""

    # the topics that somebody subscribes to; behind them in `all_topics` are all others
    topics: Names
    all_topics: Names
    topic_sizes: Numbers
    """Partitions, or a sign of what is wrong (`spark.groups.encode`)."""
    topic_ids: Names
    """In 32 hex digits."""
    subscriber_counts: Numbers
    subscription_topics: Numbers
    subscription_members: Numbers

    # only with racks: a row for each topic, rack of leaders and set of racks of replicas
    place_topics: Numbers
    place_partitions: Numbers
    """`place_partitions_counts` of them are of each row."""
    place_partitions_counts: Numbers
    place_racks: Names
    """The leader's, then those of replicas; `place_racks_counts` are of each row."""
    place_racks_counts: Numbers

    # what members own; -1: a claim of no generation
    claim_topics: Numbers
    claim_partitions: Numbers
    claim_members: Numbers
    claim_generations: Numbers

    def _replace(self, **columns: Any) -> Any:
        """The row with other values in these columns."""
