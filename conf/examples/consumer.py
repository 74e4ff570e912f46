"""A consumer of three topics that says how many partitions it has: python consumer.py NAME [PLAN].

With a plan it follows that, or range while others know no plan yet; without one it takes range.
"""

from __future__ import annotations

import logging
import os
import sys

from evenfleet_assignor import PlanAssignor
from kafka import ConsumerRebalanceListener, KafkaConsumer
from kafka.coordinator.assignors.range import RangePartitionAssignor

logging.basicConfig(level=logging.WARNING)
name, plans = sys.argv[1], sys.argv[2:]
strategies = [*(PlanAssignor(plan, "orders-group") for plan in plans), RangePartitionAssignor]


class Says(ConsumerRebalanceListener):
    def on_partitions_revoked(self, revoked):
        pass

    def on_partitions_assigned(self, assigned):
        print(name, "has", len(assigned), "partitions", flush=True)


consumer = KafkaConsumer(
    bootstrap_servers=os.environ.get("BROKER", "127.0.0.1:9092").split(","),
    group_id="orders-group",
    group_instance_id=name,
    partition_assignment_strategy=strategies,
)
consumer.subscribe(["orders", "payments", "refunds"], listener=Says())
while True:
    for records in consumer.poll(timeout_ms=3000).values():
        print(name, "reads", len(records), "records")
