"""Kafka's RangeAssignor, in consumers and in the coordinator."""

from optimizer.strategies.range.assignor import assign_ranges, assign_server_range
