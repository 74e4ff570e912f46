"""Plans where a cluster's replicas and leaders go, exactly, with its proof."""

from __future__ import annotations

from optimizer.replicas.batches import Batches as Batches, Step as Step, batches_of as batches_of
from optimizer.replicas.bytes_balance import most_bytes_bound as most_bytes_bound
from optimizer.replicas.check import check_replicas as check_replicas
from optimizer.replicas.cluster import (
    Broker as Broker,
    Cluster as Cluster,
    InvalidClusterError as InvalidClusterError,
    Partition as Partition,
)
from optimizer.replicas.goals import (
    BALANCE as BALANCE,
    BYTES as BYTES,
    COPIES as COPIES,
    TOPICS as TOPICS,
    ReplicaGoals as ReplicaGoals,
    ReplicaGoalsError as ReplicaGoalsError,
)
from optimizer.replicas.numbering import (
    LeftOut as LeftOut,
    NumberedCluster as NumberedCluster,
    describe_reasons as describe_reasons,
)
from optimizer.replicas.plan import (
    BOUNDED as BOUNDED,
    NOT_PROVEN as NOT_PROVEN,
    OPTIMAL as OPTIMAL,
    OPTIMAL_FOR_SETS as OPTIMAL_FOR_SETS,
    Change as Change,
    Limit as Limit,
    ReplicaPlan as ReplicaPlan,
    plan_replicas as plan_replicas,
)
