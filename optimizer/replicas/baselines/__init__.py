"""Where Kafka's own tools would put replicas: what a plan is compared with."""

from optimizer.replicas.baselines.generate import generated
from optimizer.replicas.baselines.java_random import JavaRandom
from optimizer.replicas.baselines.round_robin import round_robin
from optimizer.replicas.baselines.striped import PlacementError, striped
