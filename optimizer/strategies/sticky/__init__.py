"""Kafka's StickyAssignor and CooperativeStickyAssignor."""

from optimizer.strategies.sticky.assignor import assign_cooperative_sticky, assign_sticky
