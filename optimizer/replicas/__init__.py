"""Plans where a cluster's replicas and leaders go, exactly, with its proof."""

from __future__ import annotations

from optimizer.replicas.batches import Batches, Step, batches_of
from optimizer.replicas.bytes_balance import most_bytes_bound
from optimizer.replicas.check import check_replicas
from optimizer.replicas.cluster import Broker, Cluster, InvalidClusterError, Partition
from optimizer.replicas.goals import BALANCE, BYTES, COPIES, TOPICS, ReplicaGoals, ReplicaGoalsError
from optimizer.replicas.numbering import LeftOut, NumberedCluster, reasons_told
from optimizer.replicas.plan import (
    BOUNDED,
    NOT_PROVEN,
    OPTIMAL,
    OPTIMAL_FOR_SETS,
    Change,
    Limit,
    ReplicaPlan,
    plan_replicas,
)

__all__ = [
    "BALANCE",
    "BOUNDED",
    "BYTES",
    "COPIES",
    "NOT_PROVEN",
    "OPTIMAL",
    "OPTIMAL_FOR_SETS",
    "TOPICS",
    "Batches",
    "Broker",
    "Change",
    "Cluster",
    "InvalidClusterError",
    "LeftOut",
    "Limit",
    "NumberedCluster",
    "Partition",
    "ReplicaGoals",
    "ReplicaGoalsError",
    "ReplicaPlan",
    "Step",
    "batches_of",
    "check_replicas",
    "most_bytes_bound",
    "plan_replicas",
    "reasons_told",
]
