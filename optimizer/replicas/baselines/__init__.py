"""Where Kafka's own tools would put replicas: what a plan is compared with."""

from optimizer.replicas.baselines.generate import (
    JavaRandom,
    PlacementError,
    generated,
    round_robin,
    striped,
)
