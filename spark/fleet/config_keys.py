"""Which settings of topics and brokers snapshots hold: those that findings go by, and no secret."""

MIN_INSYNC = "min.insync.replicas"

TOPIC_CONFIGS = (
    *(MIN_INSYNC, "cleanup.policy", "retention.bytes", "retention.ms"),
    "unclean.leader.election.enable",
)
BROKER_CONFIGS = (
    *(MIN_INSYNC, "default.replication.factor", "group.consumer.heartbeat.interval.ms"),
    *("group.consumer.max.session.timeout.ms", "group.consumer.min.session.timeout.ms"),
    *("group.consumer.session.timeout.ms", "group.max.session.timeout.ms", "group.max.size"),
    *("group.min.session.timeout.ms", "log.retention.hours", "offsets.retention.minutes"),
    *("offsets.topic.num.partitions", "offsets.topic.replication.factor"),
    "unclean.leader.election.enable",
)
