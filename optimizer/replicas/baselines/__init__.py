"""Where Kafka's own tools would put replicas: what a plan is compared with."""

from __future__ import annotations

from optimizer.replicas.baselines.generate import generated as generated
from optimizer.replicas.baselines.java_random import JavaRandom as JavaRandom
from optimizer.replicas.baselines.round_robin import round_robin as round_robin
from optimizer.replicas.baselines.striped import (
    PlacementError as PlacementError,
    striped as striped,
)
