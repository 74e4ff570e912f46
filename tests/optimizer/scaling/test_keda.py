"""What KEDA refuses, and partitions without an offset; test_replay.py has what it decides."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from optimizer.scaling import Assignments, Keda, PolicyError, policy_of, replay
from optimizer.scaling.policies.keda import next_factor
from tests.optimizer.scaling.processes import process


@pytest.mark.parametrize(
    ("lag", "partitions", "threshold", "expected"),
    [
        *((10, 100, 10, 1), (20, 100, 10, 2), (40, 100, 10, 4), (50, 100, 10, 5)),
        *((99, 100, 10, 10), (100, 100, 10, 10), (101, 100, 10, 20)),
    ],
)
def test_the_next_factor(lag: int, partitions: int, threshold: int, expected: int) -> None:
    """TestGetNextFactor of kafka_scaler_test.go."""
    found = next_factor(
        np.array([float(lag)]), np.array([float(threshold)]), np.array([partitions])
    )
    assert found.tolist() == [expected]


@pytest.mark.parametrize(
    ("settings", "why"),
    [
        ({"allow_idle_consumers": True, "limit_to_partitions_with_lag": True}, "allowIdle"),
        (
            {"ensure_even_distribution_of_partitions": True, "limit_to_partitions_with_lag": True},
            "ensureEven",
        ),
        ({"lag_threshold": 0.0}, "lagThreshold is 0 and must be a whole number from 1 on"),
        ({"lag_threshold": 0.4}, "lagThreshold is 0.4 and must be a whole number from 1 on"),
        ({"polling_interval": 0.0}, "pollingInterval is 0 and must be a whole number from 1 on"),
        ({"cooldown_period": 0.5}, "cooldownPeriod is 0.5 and must be a whole number from 0 on"),
        ({"activation_lag_threshold": -1.0}, "activationLagThreshold is -1"),
        ({"offset_reset_policy": "none"}, "offsetResetPolicy is 'none': latest or earliest"),
        ({"idle_replica_count": 0}, "idleReplicaCount is 0: KEDA takes 0 alone"),
        ({"idle_replica_count": 1, "min_replica_count": 2}, "idleReplicaCount is 1"),
        ({"exclude_persistent_lag": True}, "excludePersistentLag can't be replayed"),
        ({"partition_limitation": "0-3"}, "partitionLimitation can't be replayed"),
        ({"min_replica_count": 3, "max_replica_count": 2}, "3 members at least and 2 at most"),
    ],
)
def test_what_keda_refuses_is_refused(settings: dict[str, float], why: str) -> None:
    """parseKafkaMetadataTestDataset: these are failures."""
    with pytest.raises(PolicyError, match=why):
        Keda(**settings)  # type: ignore[arg-type]


NO_COMMITS = {"uncommitted": np.array([np.nan, np.nan, 0.0, 0.0, 0.0, 0.0])}
"""Two partitions that were read to the end, and four without a record or a committed offset."""

LOGS = {"uncommitted": np.array([np.nan, np.nan, 100.0, 100.0, 100.0, 0.0])}
TWO_TOPICS = {"assignments": Assignments({"bills": 2, "orders": 4}, "range")}


@pytest.mark.parametrize(
    ("settings", "facts", "members"),
    [
        ({}, {}, 0),
        ({}, NO_COMMITS, 1),
        ({"lagThreshold": 1}, NO_COMMITS, 4),
        ({"lagThreshold": 1, "limitToPartitionsWithLag": True}, NO_COMMITS, 4),
        ({"activationLagThreshold": 4}, NO_COMMITS, 0),
        ({"scaleToZeroOnInvalidOffset": True}, NO_COMMITS, 0),
        ({"offsetResetPolicy": "earliest"}, NO_COMMITS, 0),
        ({"offsetResetPolicy": "earliest"}, LOGS, 3),
        ({"offsetResetPolicy": "latest"}, LOGS, 1),
        ({"offsetResetPolicy": "earliest", "scaleToZeroOnInvalidOffset": True}, LOGS, 0),
        # by the offsets of the group it finds no topic of which none is committed
        ({}, NO_COMMITS | TWO_TOPICS, 0),
        ({"ensureEvenDistributionOfPartitions": True}, NO_COMMITS | TWO_TOPICS, 1),
        ({"minReplicaCount": 2}, {}, 2),
        ({"minReplicaCount": 2, "idleReplicaCount": 0}, {}, 0),
        ({"minReplicaCount": 2, "idleReplicaCount": 0}, NO_COMMITS, 2),
    ],
)
def test_partitions_without_an_offset_count_as_in_keda(
    settings: dict[str, Any], facts: dict[str, Any], members: int
) -> None:
    """kafkaScaler.getLagForPartition; what the group has after two hours without a record."""
    keda = policy_of({"kind": "keda", "lagThreshold": 100, **settings})
    group = replace(process([[0.0] * 6] * 2, recorded=2), **facts)
    (course,) = replay([process([[0.0] * 6] * 2), group], [keda])[1]
    assert course.members.tolist()[-1] == members


def test_a_log_that_was_never_committed_grows() -> None:
    """100 records, and 1 more a second: 3,700 after an hour, by 1,000 for each member."""
    keda = Keda(1000.0, offset_reset_policy="earliest")
    uncommitted = np.array([np.nan] * 5 + [100.0])
    group = replace(process([[0.0] * 5 + [1.0]]), uncommitted=uncommitted)
    assert replay([group], [keda])[0][0].members.tolist() == [4]
