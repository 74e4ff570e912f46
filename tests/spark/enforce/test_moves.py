"""Throttles of a live cluster: set for a batch, and put back as they were."""

from types import SimpleNamespace
from typing import Any

import pytest
from kafka.protocol.admin import DescribeConfigsRequest, IncrementalAlterConfigsRequest

from optimizer.replicas import BatchStep
from spark.enforce.moves import BROKER, FOLLOWERS, LEADERS, RATES, LiveReplicas
from spark.sources.live.partitions import TOPIC

STEPS = [BatchStep("t", 0, [1], [2], 1, 2), BatchStep("t", 1, [1], [2], 1, 2)]


class Configured:
    """Brokers 1 and 2, which keep what they are told."""

    requests = 0
    metadata = SimpleNamespace(brokers=[SimpleNamespace(node_id=1), SimpleNamespace(node_id=2)])
    silent = False

    def __init__(self, own: dict[tuple[int, str], dict[str, str]]) -> None:
        self.own = own
        self.error = 0

    def __exit__(self, *_: object) -> None: ...

    def speaks(self, message: type, version: int) -> bool:
        return True

    def ask(self, questions: list[tuple[int, Any]]) -> list[Any]:
        return [self._answer(node, request) for node, request in questions]

    def _answer(self, node: int, request: Any) -> Any:
        for resource in request.resources:
            assert resource.resource_type == TOPIC or resource.resource_name == str(node)
        if isinstance(request, DescribeConfigsRequest):
            return SimpleNamespace(results=[self._described(item) for item in request.resources])
        assert isinstance(request, IncrementalAlterConfigsRequest)
        for resource in request.resources:
            own = self.own.setdefault((resource.resource_type, resource.resource_name), {})
            for config in resource.configs:
                own.pop(config.name, None)
                if config.value is not None:
                    own[config.name] = config.value
        return SimpleNamespace(responses=[])

    def _described(self, one: Any) -> Any:
        own = self.own.get((one.resource_type, one.resource_name), {})
        default = SimpleNamespace(name=RATES[0], value="77", config_source=5)
        source = 1 if one.resource_type == TOPIC else 2
        return SimpleNamespace(
            resource_type=one.resource_type,
            resource_name=one.resource_name,
            error_code=self.error,
            error_message=None,
            configs=[]
            if self.error
            else [default]
            + [
                SimpleNamespace(name=name, value=value, config_source=source)
                for name, value in own.items()
            ],
        )


@pytest.fixture
def live(monkeypatch: pytest.MonkeyPatch) -> LiveReplicas:
    monkeypatch.setattr(LiveReplicas, "alive", lambda _: {1, 2})
    return LiveReplicas(None)  # type: ignore[arg-type]


def test_throttles_that_others_had_set_are_put_back_and_no_other_is_left(
    live: LiveReplicas,
) -> None:
    others = {(BROKER, "1"): {RATES[0]: "9"}, (TOPIC, "t"): {LEADERS: "*"}}
    brokers = Configured({item: dict(values) for item, values in others.items()})
    live._connection = brokers  # type: ignore[assignment]
    for _ in range(2):  # a batch after the other
        assert live.throttle(STEPS, 5) == []
        assert brokers.own[BROKER, "1"] == dict.fromkeys(RATES, "5")
        assert brokers.own[TOPIC, "t"] == {LEADERS: "0:1,1:1", FOLLOWERS: "0:2,1:2"}
        assert live.unthrottle(STEPS) == []
        assert {item: values for item, values in brokers.own.items() if values} == others


def test_a_throttle_over_what_cannot_be_read_is_not_set(live: LiveReplicas) -> None:
    brokers = Configured({(TOPIC, "t"): {LEADERS: "*"}})
    brokers.error = 29  # TOPIC_AUTHORIZATION_FAILED
    live._connection = brokers  # type: ignore[assignment]
    assert len(live.throttle(STEPS, 5)) == 3
    assert live.unthrottle(STEPS) == []  # nothing was set, so nothing is taken away
    assert brokers.own == {(TOPIC, "t"): {LEADERS: "*"}}
