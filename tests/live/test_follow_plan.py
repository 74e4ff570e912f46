"""conf/examples/follow_plan.py: consumers of librdkafka that read a plan by themselves."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from runpy import run_path
from types import SimpleNamespace

import confluent_kafka
import pytest

from optimizer.assignor.plan_file import GroupPlan
from tests.live.brokers import Brokers
from tests.live.waiting import until
from tests.paths import ROOT

NAME = "follows-a-plan"
RECIPE = ROOT / "conf" / "examples" / "follow_plan.py"


@pytest.fixture
def consumers(broker: Brokers) -> Iterator[dict[str, confluent_kafka.Consumer]]:
    broker.create({NAME: 4})
    producer = confluent_kafka.Producer({"bootstrap.servers": broker.bootstrap})
    for partition in range(4):
        producer.produce(NAME, b"x", partition=partition)
    producer.flush()
    settings = {
        "bootstrap.servers": broker.bootstrap,
        "group.id": NAME,
        "enable.auto.commit": False,
    }
    with ExitStack() as opened:
        made = {key: confluent_kafka.Consumer(settings) for key in "ab"}
        for item in made.values():
            opened.callback(item.close)
        until(lambda: has_coordinator(made["a"]), "the group has a coordinator")
        yield made


def has_coordinator(consumer: confluent_kafka.Consumer) -> bool:
    """Whether the broker, which may have just started, answers for the group's offsets."""
    try:
        consumer.committed([confluent_kafka.TopicPartition(NAME, 0)], timeout=5)
    except confluent_kafka.KafkaException:
        return False
    return True


def put(file: Path, a: list[int], b: list[int]) -> None:
    plan = GroupPlan("c", NAME, "by-hand", {"a": {NAME: a}, "b": {NAME: b}})
    file.write_text(plan.to_text())


def test_followers(consumers: dict[str, confluent_kafka.Consumer], tmp_path: Path) -> None:
    """Each reads its part; a new plan hands over what has been read, and a broken one nothing."""
    module, file = SimpleNamespace(**run_path(str(RECIPE))), tmp_path / "plan.json"
    put(file, [0, 1, 2], [3])
    assert module.planned(file, "b") == (NAME, {(NAME, 3)})
    with pytest.raises(ValueError, match="no plan with a member 'x'"):
        module.planned(file, "x")
    a, b = (module.Follower(consumers[key], file, key, 10) for key in "ab")
    read: list[tuple[str, int]] = []

    def look(now: float) -> tuple[list[int], list[int]]:
        for item in (a, b):
            item.look(now)
        return sorted(p for _, p in a.owned), sorted(p for _, p in b.owned)

    def reads(count: int) -> bool:
        for key, consumer in consumers.items():
            message = consumer.poll(0.1)
            if message is not None and not message.error():
                read.append((key, message.partition()))
        return len(read) >= count

    assert look(0) == ([], [])
    assert look(10) == ([0, 1, 2], [3])
    until(lambda: reads(4), "four records are read", lambda: read)
    assert sorted(read) == [("a", 0), ("a", 1), ("a", 2), ("b", 3)]
    put(file, [0, 1], [2, 3])
    assert look(20) == ([0, 1], [3])
    file.write_text("cut short")
    assert look(25) == ([0, 1], [3])
    assert look(30) == ([0, 1], [2, 3])
    committed = consumers["b"].committed(
        [confluent_kafka.TopicPartition(NAME, partition) for partition in range(4)], timeout=10
    )
    assert [element.offset for element in committed] == [1, 1, 1, 1]
    assert not reads(5)
