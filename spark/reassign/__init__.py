"""Where a cluster's replicas and leaders go, for Kafka's own tools, and how far they are."""

from __future__ import annotations

from spark.reassign.compared import Compared, compared
from spark.reassign.consumers import Consumers, Effects, consumers_of, effects
from spark.reassign.execution import LiveCluster, Pace, StoppedError, differences, execute
from spark.reassign.facts import ClusterFacts, facts_of
from spark.reassign.files import (
    mark_done,
    mark_handed_over,
    read_move,
    sizes_in,
    write_batches,
)
from spark.reassign.fleet import reassign_fleet, write_fleet
from spark.reassign.reassignment import Reassignment, reassign_cluster
from spark.reassign.verify import PartitionState, verify_move
from spark.reassign.wanted import Wanted

__all__ = [
    "ClusterFacts",
    "Compared",
    "Consumers",
    "Effects",
    "LiveCluster",
    "Pace",
    "PartitionState",
    "Reassignment",
    "StoppedError",
    "Wanted",
    "compared",
    "consumers_of",
    "differences",
    "effects",
    "execute",
    "facts_of",
    "mark_done",
    "mark_handed_over",
    "read_move",
    "reassign_cluster",
    "reassign_fleet",
    "sizes_in",
    "verify_move",
    "write_batches",
    "write_fleet",
]
