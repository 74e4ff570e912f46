"""Settings of a group's members and its broker, by Kafka's own names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, NamedTuple, Self

from optimizer.strategies import STRATEGIES, by_kafka_name

JAVA_CLASSES = {
    f"org.apache.kafka.clients.consumer.{strategy.java_class}": name
    for name, strategy in STRATEGIES.items()
    if strategy.java_class
}
SERVER_ASSIGNORS = by_kafka_name("consumer")
"""Assignors that group.remote.assignor names, as strategies of this library."""


def is_cooperative(assignor: str) -> bool:
    """Whether its members keep what they have during a rebalance (KIP-429)."""
    return assignor in STRATEGIES and STRATEGIES[assignor].cooperative


def _key(name: str, default: Any) -> Any:
    return field(default=default, metadata={"key": name})


@dataclass(frozen=True)
class _Settings:
    """Settings that Kafka knows by names; what it doesn't name is of no use to the twin."""

    @classmethod
    def of(cls, config: Mapping[str, Any]) -> Self:
        """The settings of a configuration; keys that have no part in rebalances are ignored."""
        return cls().with_(config)

    def with_(self, config: Mapping[str, Any]) -> Self:
        """Settings with those of a configuration in their place."""
        by_key = {own.metadata["key"]: own for own in fields(self) if "key" in own.metadata}
        inputs = {
            own.name: _read(key, config[key], getattr(self, own.name))
            for key, own in by_key.items()
            if key in config
        }
        return replace(self, **inputs)


@dataclass(frozen=True)
class ClientSettings(_Settings):
    """A consumer's configuration; times in milliseconds, defaults of Kafka 4.3.1 (ConsumerConfig).

    `assignors` are short names (`range`, `cooperative-sticky`, …), the first preferred.
    `revoke_ms` is how long the application's onPartitionsRevoked takes.
    """

    protocol: str = _key("group.protocol", "classic")
    assignors: tuple[str, ...] = _key(
        "partition.assignment.strategy", ("range", "cooperative-sticky")
    )
    remote_assignor: str | None = _key("group.remote.assignor", None)
    session_ms: float = _key("session.timeout.ms", 45_000)
    heartbeat_ms: float = _key("heartbeat.interval.ms", 3_000)
    max_poll_ms: float = _key("max.poll.interval.ms", 300_000)
    auto_commit: bool = _key("enable.auto.commit", True)
    commit_ms: float = _key("auto.commit.interval.ms", 5_000)
    metadata_max_age_ms: float = _key("metadata.max.age.ms", 300_000)
    revoke_ms: float = 0

    def __post_init__(self) -> None:
        if self.protocol not in ("classic", "consumer"):
            raise ValueError(f"group.protocol is {self.protocol!r}: say classic or consumer")
        if not self.assignors:
            raise ValueError("partition.assignment.strategy names no assignor")
        for setting in fields(self):
            value = getattr(self, setting.name)
            if setting.name.endswith("_ms") and not 0 <= value < float("inf"):
                raise ValueError(
                    f"{setting.metadata.get('key', setting.name)} is {value!r}: a time in ms"
                )

    def with_commits_after_polls(self) -> ClientSettings:
        """For an application that commits after each poll(): what that fetched is read twice."""
        return replace(self, auto_commit=True, commit_ms=Delays.fetch)

    @cached_property
    def cooperative(self) -> bool:
        """Whether the client keeps partitions while it rejoins (ConsumerCoordinator's constructor).

        Its own list decides, not what the group elects: with one eager assignor in it, it is eager.
        """
        return all(map(is_cooperative, self.assignors))


@dataclass(frozen=True)
class BrokerSettings(_Settings):
    """The broker's and the group's configuration; times in milliseconds, those of Kafka 4.3.1."""

    initial_delay_ms: float = _key("group.initial.rebalance.delay.ms", 3_000)
    max_size: int = _key("group.max.size", 2_147_483_647)
    heartbeat_ms: float = _key("group.consumer.heartbeat.interval.ms", 5_000)
    session_ms: float = _key("group.consumer.session.timeout.ms", 45_000)
    assignment_interval_ms: float = _key("group.consumer.assignment.interval.ms", 1_000)
    assignor: str = "uniform"

    def of_group(self, config: Mapping[str, Any]) -> BrokerSettings:
        """With the overrides of one group (kafka-configs --entity-type groups)."""
        return self.with_({f"group.{key}": value for key, value in config.items()})


class Timeouts(NamedTuple):
    """How long a member may be silent before its group goes on without it; Kafka 4.3's defaults.

    `session`: seconds without a heartbeat (session.timeout.ms); `poll`: between two calls of
    poll() (max.poll.interval.ms).
    """

    session: float = 45.0
    poll: float = 300.0


DEFAULT_LIMITS = Timeouts()

DEFAULT_ASSIGNORS = ClientSettings().assignors


@dataclass(frozen=True)
class Parameters:
    """Settings of the members of a group and its broker; defaults of Kafka 4.3.1.

    `peak_rate` are the records a second that a member can read; None where that isn't known.
    """

    client: ClientSettings = field(default_factory=ClientSettings)
    broker: BrokerSettings = field(default_factory=BrokerSettings)
    peak_rate: float | None = None

    def with_assignors(self, assignors: tuple[str, ...]) -> Parameters:
        """With members of the classic protocol that offer these."""
        return replace(self, client=replace(self.client, protocol="classic", assignors=assignors))

    @property
    def limits(self) -> Timeouts:
        """How long members may be silent."""
        classic = self.client.protocol == "classic"
        session = self.client.session_ms if classic else self.broker.session_ms
        return Timeouts(session / 1000, self.client.max_poll_ms / 1000)

    def using(self, strategy: str, *, own: bool) -> Parameters:
        """Settings of members that use that strategy, and else as here.

        With `own` it is the one that they use now: the list of assignors that is stated for them
        counts then, since it says whether they are eager, if that strategy is among them.
        """
        client = self.client
        assignor = STRATEGIES.get(strategy)
        if assignor and assignor.protocol == "consumer":
            remote = assignor.kafka_names[0]
            changed = replace(client, protocol="consumer", remote_assignor=remote)
        elif own and strategy in client.assignors and client.assignors != DEFAULT_ASSIGNORS:
            changed = replace(client, protocol="classic")
        else:
            changed = replace(client, protocol="classic", assignors=(strategy,))
        return replace(self, client=changed)


@dataclass(frozen=True)
class Delays:
    """Delays of a healthy network and machine, in milliseconds; measured on loopback.

    `round_trip` is that of one request, `assign` what a leader takes for an assignment, `fetch`
    from an assignment to the first records, `start` from a process's start to its first request,
    `reconcile` from a new assignment to its acknowledgement (KIP-848), `resolve` what the first
    resolution of a pattern takes, `missing_topic` what a
    leader waits that knows nothing of a topic. `late` is how much later than configured each
    heartbeat goes out.
    """

    round_trip: float = 2
    assign: float = 3
    fetch: float = 100
    start: float = 30
    late: float = 1.5
    reconcile: float = 30
    resolve: float = 50
    missing_topic: float = 450


def _read(key: str, value: Any, default: Any) -> Any:
    """A value of a configuration, which is a text in Kafka's own files."""
    if key == "partition.assignment.strategy":
        names = value.split(",") if isinstance(value, str) else value
        return tuple(JAVA_CLASSES.get(name.strip(), name.strip()) for name in names)
    if isinstance(default, bool):
        return str(value).lower() == "true"
    if isinstance(default, int | float):
        try:
            return float(value)
        except (TypeError, ValueError):
            raise ValueError(f"{key} is {value!r}: a number was expected") from None
    return value
