"""A user who may not see everything: brokers leave it out without a word, and we don't."""

from __future__ import annotations

import copy
from typing import Any

import pytest

kafka = pytest.importorskip("kafka", reason="the extra `live` is not installed")

from kafka.protocol.admin import DescribeClusterRequest  # noqa: E402
from kafka.protocol.metadata import MetadataRequest  # noqa: E402

from spark.sources.live.read_cluster import read_cluster  # noqa: E402
from tests.spark.sources.live.recorded_brokers import CLUSTER, RecordedBrokers, three  # noqa: E402

pytestmark = pytest.mark.usefixtures("at_once")


@pytest.mark.parametrize(("code", "is_hidden"), [(29, True), (3, False)])
def test_topics_that_groups_read_and_metadata_leaves_out(code: int, is_hidden: bool) -> None:
    """Code 3 is of a topic that has just been deleted, which nobody hides."""
    brokers = three()
    (orders,) = (topic for topic in brokers.metadata.topics if topic.name == "orders")
    brokers.metadata.topics = [topic for topic in brokers.metadata.topics if topic is not orders]
    asked: list[list[str]] = []

    def by_name(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, MetadataRequest):
            asked.append([topic.name for topic in request.topics])
            refused, answer = copy.copy(orders), copy.copy(answer)
            refused.error_code, refused.partitions = code, []
            answer.topics = [refused]
        return answer

    brokers.spoil = by_name
    reading = read_cluster(CLUSTER, brokers)
    assert asked == [["orders"]]
    assert any("1 topic (orders) hidden" in item for item in reading.missing) is is_hidden


@pytest.mark.parametrize("may", [set(), {8}])
def test_a_cluster_without_groups_and_one_that_hides_them(may: set[int]) -> None:
    brokers = RecordedBrokers({1: {}, 2: {}})

    def rights(node: int, request: Any, answer: Any) -> Any:
        if isinstance(request, DescribeClusterRequest):
            answer.authorized_operations = may
        return answer

    brokers.spoil = rights
    missing = read_cluster(CLUSTER, brokers).missing
    assert ["may not list all" in item for item in missing] == ([] if may else [True])
