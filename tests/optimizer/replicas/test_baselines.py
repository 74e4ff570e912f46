"""Where Kafka's own tools would put replicas."""

import gzip
import json

import pytest

from optimizer.replicas import Broker, Cluster, Partition
from optimizer.replicas.baselines import JavaRandom, PlacementError, generate, round_robin, stripe
from tests.paths import DATA

RACKS = {0: "rack1", 1: "rack3", 2: "rack3", 3: "rack2", 4: "rack2", 5: "rack1"}


def test_every_recorded_placement_is_met() -> None:
    """266 placements of Kafka 4.3.1's own placer."""
    with gzip.open(DATA / "brokers" / "striped.jsonl.gz", "rt") as lines:
        records = [json.loads(line) for line in lines]
    assert len(records) == 266
    for record in records:
        placed = stripe(
            [tuple(broker) for broker in record["brokers"]],
            record["partitions"],
            record["replication_factor"],
            JavaRandom(record["seed"]),
        )
        assert placed == record["replicas"], record["id"]


def test_round_robin_is_as_its_documentation_shows_it() -> None:
    """The tables in AdminUtils.java: without racks (its first two rows), and with racks."""
    plain = round_robin([(b, None) for b in range(5)], 10, 3, 0, 0)
    assert plain[:5] == [[0, 1, 2], [1, 2, 3], [2, 3, 4], [3, 4, 0], [4, 0, 1]]
    assert plain[5:] == [[0, 2, 3], [1, 3, 4], [2, 4, 0], [3, 0, 1], [4, 1, 2]]
    racked = round_robin(list(RACKS.items()), 7, 3, 0, 0)
    assert racked == [[0, 3, 1], [3, 1, 5], [1, 5, 4], [5, 4, 2], [4, 2, 0], [2, 0, 3], [0, 4, 2]]


def test_what_kafka_refuses_is_refused() -> None:
    with pytest.raises(PlacementError, match="replication factor of 2"):
        stripe([(1, None)], 1, 2, JavaRandom(0))
    with pytest.raises(PlacementError, match="replication factor of 2"):
        round_robin([(1, None)], 1, 2, 0, 0)
    with pytest.raises(PlacementError, match="not all brokers have a rack"):
        round_robin([(1, None), (2, "a")], 1, 2, 0, 0)


@pytest.mark.parametrize("older", [False, True])
def test_generate_places_topics_in_scope_that_can_be_placed(older: bool) -> None:
    cluster = Cluster(
        [*(Broker(b, rack) for b, rack in RACKS.items()), Broker(9, "rack1", usable=False)],
        [
            *(Partition("t", n, [9, 1, 2]) for n in range(12)),
            Partition("still", 0, [9], scope=False),
            Partition("wide", 0, list(range(7))),
        ],
    )
    placed = generate(cluster, seed=5, older=older)
    assert placed["still", 0] == [9]
    assert placed["wide", 0] == list(range(7))
    assert all(len({RACKS[b] for b in placed["t", n]}) == 3 for n in range(12))
    assert placed == generate(cluster, seed=5, older=older)
    assert placed != generate(cluster, seed=6, older=older)
