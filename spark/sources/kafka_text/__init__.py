"""Snapshots from what Kafka's own command line tools print."""

from spark.sources.kafka_text.cli_text import read_cli_text
