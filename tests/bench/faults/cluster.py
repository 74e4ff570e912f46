"""A live cluster with topics and a group, for `collect`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from kafka import KafkaAdminClient
from kafka.admin import NewTopic

from spark.terminal.session import session
from tests.live.brokers import Brokers, kafka_jars


@contextmanager
def bootstrap() -> Iterator[str]:
    """HOST:PORT of a broker that has topics, and a group that has committed offsets."""
    with session("local[1]", {"spark.ui.enabled": "false"}) as spark:
        jars = kafka_jars(spark)
    with Brokers(jars) as brokers:
        admin = KafkaAdminClient(bootstrap_servers=brokers.bootstrap)
        admin.create_topics(
            [NewTopic(name=f"t{at}", num_partitions=20, replication_factor=1) for at in range(20)]
        )
        admin.close()
        yield brokers.bootstrap
