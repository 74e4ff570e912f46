"""A consumer of librdkafka that reads what a plan file gives it: follow_plan.py BROKER PLAN NAME.

It takes part in no group's rebalances: docs/librdkafka.md says what that costs.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, KafkaException, TopicPartition

LOOK_EVERY = 5.0  # seconds
HANDOVER = 2 * LOOK_EVERY  # seconds that a partition's last owner has to see that it isn't any more

Partitions = set[tuple[str, int]]


def planned(plan: Path, name: str) -> tuple[str, Partitions]:
    """The group, and what the plan gives this member; ValueError if it isn't in the plan."""
    values = json.loads(plan.read_bytes())
    if values.get("format") != "evenfleet-plan" or name not in values["members"]:
        raise ValueError(f"{plan} is no plan with a member {name!r}")
    topics = values["members"][name]
    return values["group"], {(topic, item) for topic, items in topics.items() for item in items}


class Follower:
    """Assigns to a consumer what the plan says, and looks now and then whether that has changed."""

    def __init__(self, consumer: Consumer, plan: Path, name: str, handover: float) -> None:
        self._consumer, self._plan, self._name, self._handover = consumer, plan, name, handover
        self._wanted: Partitions = set()
        self._since: dict[tuple[str, int], float] = {}
        self.owned: Partitions = set()

    def look(self, now: float) -> None:
        """Give up at once what is another's now, take what is new when its owner had the time."""
        try:
            _, self._wanted = planned(self._plan, self._name)
        except (OSError, ValueError, KeyError) as error:
            print(f"going on as before: {error}", file=sys.stderr)
        self._since = {item: self._since.get(item, now) for item in self._wanted - self.owned}
        ready = {item for item, since in self._since.items() if now - since >= self._handover}
        owned = (self.owned & self._wanted) | ready
        if owned == self.owned:
            return
        try:
            self._commit()
            self._consumer.assign(self._where_to_go_on(owned))
            self.owned = owned
        except KafkaException as error:
            print(f"going on as before, until the next look: {error}", file=sys.stderr)

    def _where_to_go_on(self, owned: Partitions) -> list[TopicPartition]:
        """The offsets committed by whoever had a partition last; the beginning, if nobody did."""
        wanted = [TopicPartition(*item) for item in sorted(owned)]
        if not wanted:
            return []
        indices = self._consumer.committed(wanted, timeout=30)
        for item in indices:
            item.offset = item.offset if item.offset >= 0 else OFFSET_BEGINNING
        return list(indices)

    def _commit(self) -> None:
        try:
            self._consumer.commit(asynchronous=False)
        except KafkaException as error:
            if error.args[0].code() != KafkaError._NO_OFFSET:  # nothing was read yet
                raise


def main(broker: str, plan: Path, name: str) -> None:
    group, _ = planned(plan, name)
    consumer = Consumer({"bootstrap.servers": broker, "group.id": group})
    follower = Follower(consumer, plan, name, HANDOVER)
    looked = 0.0
    while True:
        if time.monotonic() - looked >= LOOK_EVERY:
            follower.look(looked := time.monotonic())
        message = consumer.poll(1.0)
        if message is not None and not message.error():
            print(message.topic(), message.partition(), message.offset())


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), sys.argv[3])
