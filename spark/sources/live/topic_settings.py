"""What the configuration of topics says that findings go by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from kafka.protocol.admin import DescribeConfigsRequest

from spark.sources.live.connection import Brokers, NoAnswer, ask_any

MIN_INSYNC = "min.insync.replicas"
TOPIC = 2  # the kind of resource
TOPICS_A_REQUEST = 10_000


def read_min_insync(brokers: Brokers, topics: Iterable[str]) -> dict[str, int]:
    """min.insync.replicas of topics, as far as one may read their configuration.

    That takes `DescribeConfigs` on topics, which nothing else here does: without, it isn't known.
    """
    names = list(topics)
    if not brokers.speaks(DescribeConfigsRequest, 0):
        return {}
    result: dict[str, int] = {}
    for start in range(0, len(names), TOPICS_A_REQUEST):
        result |= dict(_ask(brokers, names[start : start + TOPICS_A_REQUEST]))
    return result


def _ask(brokers: Brokers, topics: Iterable[str]) -> Iterator[tuple[str, int]]:
    of_topic = DescribeConfigsRequest.DescribeConfigsResource
    request = DescribeConfigsRequest(
        resources=[
            of_topic(resource_type=TOPIC, resource_name=topic, configuration_keys=[MIN_INSYNC])
            for topic in topics
        ]
    )
    answer = ask_any(brokers, request)
    if isinstance(answer, NoAnswer):
        return
    for topic in answer.results:
        for config in topic.configs or ():
            if not topic.error_code and config.name == MIN_INSYNC and config.value:
                yield topic.resource_name, int(config.value)
