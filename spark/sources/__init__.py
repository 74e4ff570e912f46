"""Readers that turn what Kafka's tools and clusters say into the tables of a store."""
