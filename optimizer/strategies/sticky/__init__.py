"""Kafka's StickyAssignor and CooperativeStickyAssignor."""

from __future__ import annotations

from optimizer.strategies.sticky.assignor import assign_cooperative_sticky, assign_sticky
