"""Where a cluster's replicas and leaders go, for Kafka's own tools, and how far they are."""

from spark.reassign.compared import (
    Compared,
    batch_rows,
    broker_rows,
    cluster_row,
    compare,
    compared_row,
    evenness,
)
from spark.reassign.consumers import Consumers, Effects, consumers_of, effects
from spark.reassign.create import NewTopic, new_topic, place_new, write_new
from spark.reassign.facts import ReassignRequest, ReplicaFacts, cluster_facts
from spark.reassign.files import (
    mark_done,
    mark_handed_over,
    read_move,
    sizes_in,
    topics_in,
    write_batches,
)
from spark.reassign.fleet import reassign_fleet, write_fleet
from spark.reassign.reassignment import Reassignment, reassign_cluster
from spark.reassign.sending import (
    Batch,
    CopyPace,
    StoppedError,
    batches_of_plan,
    left_of,
    rollbacks_in,
    send,
)
from spark.reassign.verify import PartitionState, verify_move
