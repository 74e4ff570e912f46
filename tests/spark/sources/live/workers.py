"""What tests/live imports by this name."""

from __future__ import annotations

from tests.spark.sources.live.member_bytes import orders, worker

__all__ = ["orders", "worker"]
