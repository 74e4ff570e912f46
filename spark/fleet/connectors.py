"""Connectors among topics: how a snapshot calls those of each cluster of Connect workers."""

from __future__ import annotations


def connector_topic(group: str, connector: str) -> str:
    """The topic that stands for a connector: `connect-cluster/connector`; tasks are partitions.

    No topic of Kafka's has a slash in its name. One in the group's is written %2F, and its percent
    signs %25, so that connectors of two groups never share a name.
    """
    return f"{group.replace('%', '%25').replace('/', '%2F')}/{connector}"


IS_CONNECTOR = "instr(topic, '/') > 0"
"""SQL text, of a column topic: whether it stands for a connector, which no broker keeps."""
