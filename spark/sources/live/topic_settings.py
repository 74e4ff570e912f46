"""What the configuration of topics and brokers says that findings go by, and nothing else of it."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from kafka.protocol.admin import DescribeConfigsRequest

from spark.fleet import BROKER_CONFIGS, MIN_INSYNC, TOPIC_CONFIGS
from spark.sources.live.connection import Brokers, NoAnswer, ask_any

TOPIC, BROKER = 2, 4  # the kinds of resource
TOPICS_A_REQUEST = 10_000

"""Settings are asked for by name, so that no secret is ever answered."""

KINDS = {TOPIC: "topic", BROKER: "broker"}


class Config(NamedTuple):
    """A setting as it counts, a default included; `name` is a topic's, or a broker's id."""

    scope: str
    name: str
    key: str
    value: str


def read_configs(brokers: Brokers, topics: Iterable[str]) -> list[Config]:
    """Settings of topics and brokers, as far as one may read them, and the cluster's own id.

    That takes `DescribeConfigs`, which nothing else here does: without, they aren't known.
    """
    own = brokers.metadata.cluster_id
    configs = [Config("cluster", "", "cluster.id", own)] if own else []
    if not brokers.speaks(DescribeConfigsRequest, 0):
        return configs
    names = list(topics)
    for start in range(0, len(names), TOPICS_A_REQUEST):
        request = _request(TOPIC, names[start : start + TOPICS_A_REQUEST], TOPIC_CONFIGS)
        configs += _answered(ask_any(brokers, request))
    ids = [broker.node_id for broker in brokers.metadata.brokers]
    asked = [(node, _request(BROKER, [str(node)], BROKER_CONFIGS)) for node in ids]
    for answer in brokers.ask(asked):
        configs += _answered(answer)
    return sorted(configs)


def _request(kind: int, names: Iterable[str], keys: Iterable[str]) -> DescribeConfigsRequest:
    resource = DescribeConfigsRequest.DescribeConfigsResource
    return DescribeConfigsRequest(
        resources=[
            resource(resource_type=kind, resource_name=name, configuration_keys=[*keys])
            for name in names
        ]
    )


def _answered(answer: Any) -> Iterator[Config]:
    if isinstance(answer, NoAnswer):
        return
    for resource in answer.results:
        keys = TOPIC_CONFIGS if resource.resource_type == TOPIC else BROKER_CONFIGS
        for config in () if resource.error_code else resource.configs or ():
            if config.name in keys and config.value:
                kind = KINDS[resource.resource_type]
                yield Config(kind, resource.resource_name, config.name, config.value)


def min_insync_of(configs: Iterable[Config]) -> dict[str, int]:
    """min.insync.replicas of topics."""
    return {
        config.name: int(config.value)
        for config in configs
        if config.scope == KINDS[TOPIC] and config.key == MIN_INSYNC
    }
