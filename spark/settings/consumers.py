"""What consumers and their brokers are configured with, by groups, and what is assumed of them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import inf
from typing import Any

from optimizer.coordinator import BrokerSettings, ClientSettings, Parameters
from optimizer.strategies import CLASSIC_ASSIGNORS, by_kafka_name
from spark.patterns import ForGroups
from spark.settings.toml_file import Rule, is_whole, one_of, table, value

MILLISECONDS = value(lambda result: is_whole(result, 1), "a whole number of milliseconds")
_TIME_OR_NONE = value(lambda result: is_whole(result, 0), "a whole number of milliseconds")


def _assignors_rule(where: str, key: str, result: Any) -> Iterator[str]:
    """Names of assignors, the preferred one first."""
    if not isinstance(result, list) or not result:
        yield f"{where}{key} must be a list of names, such as ['range', 'cooperative-sticky']"
        return
    for name in result:
        if name not in CLASSIC_ASSIGNORS:
            yield f"{where}{key} has {name!r}, which is none of {', '.join(CLASSIC_ASSIGNORS)}"


CLIENT_RULES: dict[str, Rule] = {
    "group_protocol": one_of(("classic", "consumer")),
    "partition_assignment_strategy": _assignors_rule,
    "group_remote_assignor": one_of(tuple(by_kafka_name("consumer"))),
    "session_timeout_ms": MILLISECONDS,
    "heartbeat_interval_ms": MILLISECONDS,
    "max_poll_interval_ms": MILLISECONDS,
    "enable_auto_commit": value(lambda result: isinstance(result, bool), "true or false"),
    "auto_commit_interval_ms": _TIME_OR_NONE,
    "metadata_max_age_ms": MILLISECONDS,
}
"""Settings of consumers: Kafka's own names, with `_` for `.`."""

BROKER_RULES: dict[str, Rule] = {
    "group_initial_rebalance_delay_ms": _TIME_OR_NONE,
    "group_consumer_session_timeout_ms": MILLISECONDS,
    "group_consumer_heartbeat_interval_ms": MILLISECONDS,
    "group_consumer_assignment_interval_ms": _TIME_OR_NONE,
    "group_min_session_timeout_ms": MILLISECONDS,
    "group_max_session_timeout_ms": MILLISECONDS,
}
"""Settings of brokers, in the same way."""

_VERSION = value(
    lambda result: isinstance(result, str) and re.fullmatch(r"\d+(\.\d+)+", result) is not None,
    "a version such as '3.9'",
)

POLL = "poll"

OWN_RULES: dict[str, Rule] = {
    "restart_seconds": value(lambda result: is_whole(result, 0), "a whole number of seconds"),
    "peak_rate": value(
        lambda result: (
            isinstance(result, int | float) and not isinstance(result, bool) and 0 < result < inf
        ),
        "a number of records a second above 0",
    ),
    "commit": one_of(("interval", POLL)),
    "broker_version": _VERSION,
    "client_version": _VERSION,
}
"""What Kafka has no setting for: how long a restart keeps a member away, how many records a second
a member can read, whether the application commits after each poll(), and which versions run."""

RULES: dict[str, Rule] = CLIENT_RULES | BROKER_RULES | OWN_RULES

ConsumerSettings = Mapping[str, Any]


@dataclass(frozen=True)
class GroupConsumers(ForGroups):
    """What is stated for groups whose cluster and name match; patterns have * and ?."""

    match: str
    settings: ConsumerSettings
    cluster: str = "*"


@dataclass(frozen=True)
class FleetConsumers:
    """How the consumers of a fleet are configured: what is stated for all, and by groups.

    The first of `rules` that fits counts, and what it doesn't state is as for all.
    """

    settings: ConsumerSettings = field(default_factory=dict)
    rules: tuple[GroupConsumers, ...] = ()

    @cached_property
    def by_groups(self) -> tuple[GroupConsumers, ...]:
        """The rules, each with what it doesn't state, and one for all other groups."""
        every = (*self.rules, GroupConsumers("*", {}))
        return tuple(replace(rule, settings={**self.settings, **rule.settings}) for rule in every)

    def of(self, cluster: str, group: str) -> ConsumerSettings:
        """What is stated for a group."""
        return next(rule.settings for rule in self.by_groups if rule.fits(cluster, group))

    def states(self, key: str) -> bool:
        """Whether a setting is stated for any group."""
        return any(
            key in settings for settings in (self.settings, *(r.settings for r in self.rules))
        )

    def parameters(self, cluster: str, group: str) -> Parameters:
        """The same with Kafka 4.3.1's defaults, as a group is simulated with."""
        values = self.of(cluster, group)
        client, broker = (
            {_of_kafka(key): values[key] for key in rules if key in values}
            for rules in (CLIENT_RULES, BROKER_RULES)
        )
        settings = ClientSettings.of(client)
        if values.get("commit") == POLL:
            settings = settings.with_commits_after_polls()
        return Parameters(settings, BrokerSettings.of(broker), values.get("peak_rate"))

    @property
    def assumed(self) -> str | None:
        """The assumed settings, and what they don't say of commits; None: nothing is assumed."""
        defaults = ClientSettings()
        entries = {
            "session_timeout_ms": defaults.session_ms,
            "heartbeat_interval_ms": defaults.heartbeat_ms,
            "max_poll_interval_ms": defaults.max_poll_ms,
            "auto_commit_interval_ms": defaults.commit_ms,
        }
        if not self._commits(self.settings) or self.settings.get("commit") == POLL:
            entries.pop("auto_commit_interval_ms")
        assumed = [
            f"{_of_kafka(key)}={default}"
            for key, default in entries.items()
            if key not in self.settings
        ]
        others = " where no rule of the configuration says otherwise" if self.rules else ""
        sentences = []
        if assumed:
            sentences = [f"Assumed, as Kafka 4.3.1 has it{others}: {', '.join(assumed)}."]
        if not all(self._commits(rule.settings) for rule in self.by_groups):
            sentences.append(NO_COMMITS)
        return " ".join(sentences) or None

    @staticmethod
    def _commits(settings: ConsumerSettings) -> bool:
        return settings.get("enable_auto_commit", True) or settings.get("commit") == POLL


NO_COMMITS = (
    "Where enable.auto.commit is false and no commit is stated, records read twice are all since "
    'the start of the simulation: state commit = "poll" in [consumers] if members commit after '
    "each poll()."
)

NO_CONSUMERS = FleetConsumers()


def read_consumers(consumers: ConsumerSettings, rules: Any) -> FleetConsumers:
    """From the table [consumers] and the list [[group]] of a file that has no faults."""
    return FleetConsumers(
        dict(consumers),
        tuple(
            GroupConsumers(
                rule["match"],
                {key: rule[key] for key in RULES if key in rule},
                rule.get("cluster", "*"),
            )
            for rule in rules
        ),
    )


CONSUMERS_RULE = table(RULES)


def _of_kafka(key: str) -> str:
    return key.replace("_", ".")
