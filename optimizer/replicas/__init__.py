"""Plans where a cluster's replicas and leaders go, exactly, with its proof."""

from optimizer.replicas.batches import BatchStep, batches_of, check_batches
from optimizer.replicas.check import check_replicas
from optimizer.replicas.cluster import (
    BALANCE,
    BYTES,
    COPIES,
    TOPICS,
    Broker,
    Cluster,
    InvalidClusterError,
    Partition,
    ReplicaGoals,
    ReplicaGoalsError,
)
from optimizer.replicas.numbering import (
    LeftOut,
    NumberedCluster,
    describe_reasons,
    most_bytes_bound,
)
from optimizer.replicas.plan import (
    BOUNDED,
    NOT_PROVEN,
    OPTIMAL,
    OPTIMAL_FOR_SETS,
    CopyLimit,
    ReplicaChange,
    ReplicaPlan,
    plan_replicas,
)
