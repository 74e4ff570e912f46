"""Kafka's UniformAssignor, which the coordinator runs."""

from optimizer.strategies.uniform.assignor import assign_uniform, assign_uniform_4_0
