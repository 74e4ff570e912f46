"""What connectors are called among topics."""

from __future__ import annotations

from itertools import product

from spark.fleet import connector_topic


def test_it_reads_as_what_it_is() -> None:
    assert connector_topic("connect-prod", "orders sink") == "connect-prod/orders sink"


def test_no_two_connectors_of_one_cluster_share_a_name() -> None:
    parts = ("a", "a/", "/a", "a/a", "a%2F", "a%", "%2Fa", "/")
    names = {connector_topic(group, name) for group, name in product(parts, parts)}
    assert len(names) == len(parts) ** 2
