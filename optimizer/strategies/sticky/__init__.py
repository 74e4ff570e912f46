"""Kafka's StickyAssignor and CooperativeStickyAssignor."""

from optimizer.strategies.sticky.assignor import assign_cooperative_sticky, assign_sticky

__all__ = ["assign_cooperative_sticky", "assign_sticky"]
