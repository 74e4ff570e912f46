"""Where Kafka's own tools would put replicas: what a plan is compared with."""

from optimizer.replicas.baselines.generate import generated
from optimizer.replicas.baselines.placers import JavaRandom, PlacementError, round_robin, striped
