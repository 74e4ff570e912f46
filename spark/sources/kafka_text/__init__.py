"""Snapshots from what Kafka's own command line tools print."""

from __future__ import annotations

from spark.sources.kafka_text.cli_text import read_cli_text
