"""All findings, in the order in which they are listed everywhere."""

from __future__ import annotations

from spark.audit.findings.balance import EAGER_REBALANCES, RANGE_SKEW, UNBALANCED
from spark.audit.findings.brokers import COORDINATOR_LOAD, ONE_LEADER
from spark.audit.findings.changes import AVOIDABLE_MOVES, RESTARTING_MEMBERS
from spark.audit.findings.claims import CLAIMED_TWICE, STALE_CLAIMS
from spark.audit.findings.configs import BROKER_SETTINGS, UNCLEAN_ELECTION
from spark.audit.findings.defects import CLIENT_DEFECT
from spark.audit.findings.failures import BEARS_NO_FAILURE
from spark.audit.findings.hosts import UNEVEN_HOSTS
from spark.audit.findings.idle import IDLE_MEMBERS, SPARE_MEMBERS
from spark.audit.findings.lag import (
    LAG_ON_FEW_PARTITIONS,
    LAG_ON_ONE_MEMBER,
    OFFSET_BEYOND_END,
    STALLED_PARTITIONS,
)
from spark.audit.findings.owners import OWNER_GONE, OWNER_NOT_SUBSCRIBED, UNREAD_PARTITIONS
from spark.audit.findings.past import (
    ABANDONED_GROUP,
    BALANCE_WORSENS,
    FALLS_BEHIND,
    FREQUENT_REBALANCES,
    LAG_SECONDS,
    OFFSETS_EXPIRE,
    UNREAD_TOPIC,
)
from spark.audit.findings.placement import (
    EMPTY_BROKER,
    LEADER_SKEW,
    OFFLINE_IF_BROKER_FAILS,
    OFFLINE_IF_RACK_FAILS,
    REASSIGNMENT_STUCK,
    REPLICA_SKEW,
    REPLICAS_AT_MINIMUM,
    SINGLE_REPLICA,
)
from spark.audit.findings.racks import CROSS_RACK_READS
from spark.audit.findings.replicas import LEADERLESS, NOT_PREFERRED_LEADER, UNDER_REPLICATED
from spark.audit.findings.states import RECORDS_EXPIRE, STUCK_REBALANCE
from spark.audit.findings.timeouts import (
    INSTANCE_ID_TWICE,
    POLL_INTERVAL,
    RESTART_OUTLASTS_SESSION,
    SESSION_TIMEOUT,
    SESSION_TIMEOUT_OUTSIDE,
)
from spark.audit.findings.topics import TOPIC_ON_ONE_MEMBER, UNEQUAL_TOPICS
from spark.audit.findings.unjudged import FAILED_GROUP, INVALID_GROUP
from spark.audit.findings.weights import HOT_PARTITION, UNBALANCED_WEIGHT

FINDINGS = {
    finding.name: finding
    for finding in (
        UNBALANCED,
        UNBALANCED_WEIGHT,
        UNEVEN_HOSTS,
        HOT_PARTITION,
        AVOIDABLE_MOVES,
        IDLE_MEMBERS,
        SPARE_MEMBERS,
        UNREAD_PARTITIONS,
        OWNER_GONE,
        OWNER_NOT_SUBSCRIBED,
        CLAIMED_TWICE,
        STALE_CLAIMS,
        TOPIC_ON_ONE_MEMBER,
        RANGE_SKEW,
        EAGER_REBALANCES,
        RESTARTING_MEMBERS,
        UNEQUAL_TOPICS,
        LAG_ON_FEW_PARTITIONS,
        LAG_ON_ONE_MEMBER,
        STALLED_PARTITIONS,
        OFFSET_BEYOND_END,
        ONE_LEADER,
        CROSS_RACK_READS,
        COORDINATOR_LOAD,
        UNDER_REPLICATED,
        LEADERLESS,
        NOT_PREFERRED_LEADER,
        SINGLE_REPLICA,
        REPLICAS_AT_MINIMUM,
        REPLICA_SKEW,
        LEADER_SKEW,
        EMPTY_BROKER,
        OFFLINE_IF_BROKER_FAILS,
        OFFLINE_IF_RACK_FAILS,
        BEARS_NO_FAILURE,
        UNCLEAN_ELECTION,
        BROKER_SETTINGS,
        REASSIGNMENT_STUCK,
        SESSION_TIMEOUT,
        SESSION_TIMEOUT_OUTSIDE,
        POLL_INTERVAL,
        RESTART_OUTLASTS_SESSION,
        INSTANCE_ID_TWICE,
        CLIENT_DEFECT,
        FREQUENT_REBALANCES,
        STUCK_REBALANCE,
        BALANCE_WORSENS,
        FALLS_BEHIND,
        LAG_SECONDS,
        ABANDONED_GROUP,
        OFFSETS_EXPIRE,
        RECORDS_EXPIRE,
        UNREAD_TOPIC,
        INVALID_GROUP,
        FAILED_GROUP,
    )
}
