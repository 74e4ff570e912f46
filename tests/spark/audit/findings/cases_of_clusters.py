"""Clusters for findings about brokers, topics and racks, by finding."""

from tests.spark.audit.findings.clusters import Cases, Setting, coordinated, topic

UNCLEAN = "unclean.leader.election.enable"
FACTOR = "default.replication.factor"
RING = ([1, 2, 3], [2, 3, 1])


def factors(*values: str) -> list[Setting]:
    """The replication factor that brokers from 1 on have as their default."""
    return [("broker", str(at), FACTOR, value) for at, value in enumerate(values, 1)]


CASES = {
    "coordinator-load": Cases(
        *("info", "broker 1", 50 / 30, 1.5),
        "Broker 1 of cluster {cluster} coordinates 50 of its 60 groups with 1,000 of 1,200 members "
        "× partitions; the mean of its 2 brokers is 600.0. Most has group g98 with 20: its offsets "
        "are in __consumer_offsets-0, led by broker 1, the likely coordinator.",
        fires=coordinated(50, 10),
        nearly=coordinated(49, 10),
        never=coordinated(50, 50),
    ),
    "under-replicated": Cases(
        *("warning", "broker 2", 2, 1),
        "Broker 2 of cluster {cluster} is out of sync with 2 partitions, such as t-0.",
        fires=topic([1, 2], [1, 2], isr=[[1], [1]]),
        nearly=topic([1, 2], [1, 2], isr=[[2, 1], [2, 1]]),
        never=topic([1], [1], isr=[[1], [1]]),
    ),
    "leaderless": Cases(
        *("critical", "topic t", 2, 1),
        "2 of 3 partitions of topic t in cluster {cluster} have no leader (the first is t-1): "
        "clients can't read or write there.",
        fires=topic(leader=(1, -1, None)),
        # of this cluster nobody knows any leader
        nearly=topic(leader=(None, None, None)),
        never=topic(leader=(1, 2, 3)),
    ),
    "writes-refused": Cases(
        *("critical", "topic t", 2, 1),
        "2 of 3 partitions of topic t in cluster {cluster} take no records with acks=all: fewer "
        "replicas are in sync than min.insync.replicas says (the first is t-0).",
        fires=topic(
            *([1, 2, 3], [2, 3, 1], [3, 1, 2]),
            isr=[[1], [2, 3], [3]],
            leader=[1, 2, 3],
            min_insync_replicas=[2, 2, 2],
        ),
        nearly=topic(*RING, isr=[[1, 2], [2, 3]], leader=[1, 2], min_insync_replicas=[2, 2]),
        # without a leader nobody is there to refuse; and one replica is enough where no more are
        never=topic(*([1, 2, 3], [1]), isr=[[1], [1]], leader=[-1, 1], min_insync_replicas=[2, 2]),
    ),
    "not-preferred-leader": Cases(
        *("warning", "broker 1", 0.5, 0.5),
        "Broker 1 of cluster {cluster} doesn't lead 5 (50 %) of the 10 partitions of which it is "
        "the preferred leader.",
        fires=topic(*[[1, 2]] * 10, leader=[1] * 5 + [2] * 5),
        nearly=topic(*[[1, 2]] * 10, leader=[1] * 6 + [2] * 4),
        # without a leader, no other broker leads it
        never=topic(*[[1, 2]] * 10, leader=[1] * 5 + [-1] * 5),
    ),
    "unclean-election": Cases(
        *("warning", "topic t", 2, 1),
        "A replica out of sync may lead topic t of cluster {cluster} when all others fail: records "
        "that it hasn't copied are lost. 1 of 2 partitions has such replicas now; 1 loses records "
        "if one more broker fails.",
        fires=topic(*RING, isr=[[1], [2, 3, 1]], configs=[("topic", "t", UNCLEAN, "true")]),
        nearly=topic(*RING, isr=[[1], [2, 3, 1]], configs=[("topic", "t", UNCLEAN, "false")]),
        never=topic(*RING, configs=[("topic", "gone", UNCLEAN, "true")]),
    ),
    "broker-settings": Cases(
        *("info", f"setting {FACTOR}", 1, 1),
        "Setting default.replication.factor of cluster {cluster}'s brokers: it is 1: a new topic "
        "is gone with its broker.",
        fires=topic(*RING, configs=factors("1", "1", "1")),
        nearly=topic(*RING, configs=factors("2", "2", "2")),
        never=topic(*RING, configs=factors("1")),
    ),
    "replicas-at-minimum": Cases(
        *("warning", "topic t", 1, 1),
        "1 partition of topic t in cluster {cluster} has no more replicas than have to be in sync: "
        "2, with min.insync.replicas 2.",
        fires=topic([1, 2], [1, 2, 3], min_insync_replicas=[2, 2]),
        nearly=topic(*RING, min_insync_replicas=[2, 2]),
        # that is single-replica's to tell
        never=topic([1], [2], min_insync_replicas=[1, 1]),
    ),
    "single-replica": Cases(
        *("info", "topic t", 2, 1),
        "2 of 3 partitions of topic t in cluster {cluster} have one replica only.",
        fires=topic([1], [1, 2], [2]),
        nearly=topic([1, 2], [2, 1], [2, 1]),
        # there is no other broker
        never=topic([1], [1]),
    ),
    "replica-skew": Cases(
        *("warning", "broker 1", 1.5, 1.5),
        "Broker 1 of cluster {cluster} has 30 replicas; the mean of 2 brokers of rack east is "
        "20.0.",
        # broker 3 is its rack's only one, and has to have a replica of each partition
        fires=topic(*[[1, 3]] * 30, *[[2, 3]] * 10, replica_racks=[["east", "west"]] * 40),
        # 9 and a half more than the mean
        nearly=topic(*[[1]] * 29, *[[2]] * 10),
        never=topic(*[[1]] * 30),
    ),
    "leader-skew": Cases(
        *("warning", "broker 1", 2.0, 2.0),
        "Broker 1 of cluster {cluster} has 20 leaders; the mean of 2 brokers is 10.0.",
        fires=topic(*[[1, 2]] * 20),
        nearly=topic(*[[1, 2]] * 19),
        never=topic(*[[1, 2], [2, 1]] * 20),
    ),
    "empty-broker": Cases(
        *("info", "broker 3", 4 / 3, 1),
        "Broker 3 of cluster {cluster} has no replica, and 2 others have 4.",
        fires=topic([1, 2], [2, 1], brokers=3),
        # its share is less than one
        nearly=topic([1, 2], brokers=3),
        never=topic([1, 2], [2, 1], brokers=2),
    ),
    "offline-if-broker-fails": Cases(
        *("warning", "broker 2", 1, 1),
        "Broker 2 of cluster {cluster} alone is in sync with 1 partition of several replicas, such "
        "as t-1.",
        fires=topic([1, 2], [1, 2], isr=[[1, 2], [2]]),
        nearly=topic([1, 2], [1, 2], isr=[[1, 2], [2, 1]]),
        never=topic([1], [2], isr=[[1], [2]]),
    ),
    "offline-if-rack-fails": Cases(
        *("info", "rack east", 1, 1),
        "Rack east of cluster {cluster} has all replicas of 1 partition, such as t-0.",
        fires=topic([1, 2], [1, 3], replica_racks=[["east", "east"], ["east", "west"]]),
        nearly=topic([1, 2], [1, 3], replica_racks=[["east", "west"], ["east", "west"]]),
        # there is no other rack
        never=topic([1, 2], [2, 1], replica_racks=[["east", "east"], ["east", "east"]]),
    ),
    "bears-no-failure": Cases(
        *("info", "all topics", 0, 1),
        "Cluster {cluster} bears 0 failed brokers until a partition can't be written, 1 until one "
        "can't be read, 1 until one is lost; failed racks: 0, 0 and 0. 1 of 1 topic bears none, "
        "such as t.",
        fires=topic(
            *([1, 2], [1, 2, 3]),
            min_insync_replicas=[2, 2],
            replica_racks=[["a", "a"], ["a", "a", "b"]],
        ),
        nearly=topic(*RING, min_insync_replicas=[2, 2]),
        # there is no other broker
        never=topic([1], [1]),
    ),
    "reassignment-stuck": Cases(
        *("warning", "topic t", 1, 1),
        "1 partition of topic t in cluster {cluster} waits to be reassigned without a leader to "
        "copy from (t-1).",
        fires=topic([1], [2], leader=[1, None], adding_replicas=[None, [3]]),
        # under way, and led
        nearly=topic([1], [2], adding_replicas=[None, [3]], removing_replicas=[None, [2]]),
        never=topic([1], [2], leader=[1, None], adding_replicas=[None, None]),
    ),
}
