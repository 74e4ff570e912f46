"""Where a cluster's replicas and leaders go, for Kafka's own tools, and how far they are."""

from __future__ import annotations

from spark.reassign.compared import compared as compared
from spark.reassign.consumers import (
    Consumers as Consumers,
    Effects as Effects,
    consumers_of as consumers_of,
    effects as effects,
)
from spark.reassign.create import (
    NewTopic as NewTopic,
    new_topic as new_topic,
    place_new as place_new,
    write_new as write_new,
)
from spark.reassign.execution import (
    Pace as Pace,
    StoppedError as StoppedError,
    differences as differences,
    execute as execute,
)
from spark.reassign.facts import ClusterFacts as ClusterFacts, cluster_facts as cluster_facts
from spark.reassign.files import (
    mark_done as mark_done,
    mark_handed_over as mark_handed_over,
    read_move as read_move,
    sizes_in as sizes_in,
    topics_in as topics_in,
    write_batches as write_batches,
)
from spark.reassign.fleet import reassign_fleet as reassign_fleet, write_fleet as write_fleet
from spark.reassign.reassignment import (
    Reassignment as Reassignment,
    reassign_cluster as reassign_cluster,
)
from spark.reassign.request import ReassignRequest as ReassignRequest
from spark.reassign.tables import (
    batch_rows as batch_rows,
    broker_row as broker_row,
    cluster_row as cluster_row,
    compared_row as compared_row,
)
from spark.reassign.undo import batch_undos as batch_undos, undo as undo
from spark.reassign.verify import PartitionState as PartitionState, verify_move as verify_move
