"""All findings, in the order in which they are listed everywhere."""

from optimizer.figures import did_you_mean
from spark.audit.findings import (
    balance,
    brokers,
    defects,
    idle,
    lag,
    owners,
    past,
    racks,
    replicas,
    timeouts,
    topics,
)
from spark.errors import InputError

FINDINGS = {
    finding.name: finding
    for finding in (
        balance.unbalanced,
        balance.unbalanced_weight,
        racks.uneven_hosts,
        balance.hot_partition,
        idle.avoidable_moves,
        idle.idle_members,
        idle.spare_members,
        owners.unread_partitions,
        owners.owner_gone,
        owners.owner_not_subscribed,
        owners.claimed_twice,
        owners.stale_claims,
        topics.topic_on_one_member,
        balance.range_skew,
        balance.another_assignor,
        balance.eager_rebalances,
        idle.restarting_members,
        topics.unequal_topics,
        topics.joined_apart,
        lag.lag_on_few_partitions,
        lag.lag_on_one_member,
        lag.stalled_partitions,
        lag.offset_beyond_end,
        lag.offset_before_start,
        brokers.one_leader,
        racks.cross_rack_reads,
        brokers.coordinator_load,
        replicas.under_replicated,
        replicas.leaderless,
        replicas.writes_refused,
        replicas.not_preferred_leader,
        replicas.single_replica,
        replicas.replicas_at_minimum,
        replicas.replica_skew,
        replicas.leader_skew,
        replicas.empty_broker,
        replicas.offline_if_broker_fails,
        replicas.offline_if_rack_fails,
        replicas.bears_no_failure,
        brokers.unclean_election,
        brokers.broker_settings,
        replicas.reassignment_stuck,
        timeouts.session_timeout,
        timeouts.session_timeout_outside,
        timeouts.poll_interval,
        timeouts.restart_outlasts_session,
        timeouts.instance_id_twice,
        defects.client_defect,
        past.FREQUENT_REBALANCES,
        past.STUCK_REBALANCE,
        past.BALANCE_WORSENS,
        past.FALLS_BEHIND,
        past.LAG_SECONDS,
        past.ABANDONED_GROUP,
        past.OFFSETS_EXPIRE,
        past.RECORDS_EXPIRE,
        past.UNREAD_TOPIC,
        defects.invalid_group,
        defects.failed_group,
    )
}


def check_finding(name: str, where: str = "") -> None:
    """Raise InputError, which says `where` it stands, for what isn't the name of a finding."""
    if name not in FINDINGS:
        near = did_you_mean(name, FINDINGS) or ": `evenfleet findings` lists all"
        raise InputError(f"{where}no finding {name!r}{near}")
