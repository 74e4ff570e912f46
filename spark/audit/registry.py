"""All findings, in the order in which they are listed everywhere."""

from optimizer.figures import did_you_mean
from spark.audit.findings import brokers, groups, lag, members, partitions, past, replicas
from spark.errors import InputError

FINDINGS = {
    finding.name: finding
    for finding in (
        groups.unbalanced,
        groups.unbalanced_weight,
        groups.uneven_hosts,
        groups.hot_partition,
        members.avoidable_moves,
        members.idle_members,
        members.spare_members,
        partitions.unread_partitions,
        partitions.owner_gone,
        partitions.owner_not_subscribed,
        partitions.claimed_twice,
        partitions.stale_claims,
        partitions.topic_on_one_member,
        groups.range_skew,
        groups.another_assignor,
        groups.eager_rebalances,
        members.restarting_members,
        partitions.unequal_topics,
        partitions.joined_apart,
        lag.lag_on_few_partitions,
        lag.lag_on_one_member,
        lag.stalled_partitions,
        lag.offset_beyond_end,
        lag.offset_before_start,
        brokers.one_leader,
        brokers.cross_rack_reads,
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
        members.session_timeout,
        members.session_timeout_outside,
        members.poll_interval,
        members.restart_outlasts_session,
        members.instance_id_twice,
        members.client_defect,
        past.FREQUENT_REBALANCES,
        past.STUCK_REBALANCE,
        past.BALANCE_WORSENS,
        past.FALLS_BEHIND,
        past.LAG_SECONDS,
        past.ABANDONED_GROUP,
        past.OFFSETS_EXPIRE,
        past.RECORDS_EXPIRE,
        past.UNREAD_TOPIC,
        groups.invalid_group,
        groups.failed_group,
    )
}


def check_finding(name: str, where: str = "") -> None:
    """Raise InputError, which says `where` it stands, for what isn't the name of a finding."""
    if name not in FINDINGS:
        near = did_you_mean(name, FINDINGS) or ": `evenfleet findings` lists all"
        raise InputError(f"{where}no finding {name!r}{near}")
