"""Settings of consumers and their brokers, by groups, and assumptions about them."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from optimizer.coordinator import BrokerSettings, ClientSettings, Parameters
from spark.patterns import ForGroups

POLL = "poll"
"""Value of `commit` for applications that commit after each poll()."""

ConsumerSettings = Mapping[str, Any]


@dataclass(frozen=True)
class GroupConsumers(ForGroups):
    """Settings of groups whose cluster and name match; patterns have * and ?."""

    settings: ConsumerSettings


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
        """The settings that are stated for a group."""
        return next(rule.settings for rule in self.by_groups if rule.fits(cluster, group))

    def states(self, key: str) -> bool:
        """Whether a setting is stated for any group."""
        return any(key in rule.settings for rule in self.by_groups)

    def parameters(self, cluster: str, group: str) -> Parameters:
        """A group's settings with Kafka 4.3.1's defaults, for its simulation."""
        of_group = self.of(cluster, group)
        config = {_of_kafka(key): value for key, value in of_group.items()}
        client = ClientSettings.of(config)
        if of_group.get("commit") == POLL:
            client = client.with_commits_after_polls()
        return Parameters(client, BrokerSettings.of(config), of_group.get("peak_rate"))

    @property
    def assumptions(self) -> str | None:
        """The assumed settings, and what they don't say of commits; None: nothing is assumed."""
        defaults = ClientSettings()
        usual = {
            "session_timeout_ms": defaults.session_ms,
            "heartbeat_interval_ms": defaults.heartbeat_ms,
            "max_poll_interval_ms": defaults.max_poll_ms,
            "auto_commit_interval_ms": defaults.commit_ms,
        }
        if not self._commits(self.settings) or self.settings.get("commit") == POLL:
            usual.pop("auto_commit_interval_ms")
        missing = usual.keys() - self.settings.keys()
        assumed = ", ".join(f"{_of_kafka(key)}={usual[key]}" for key in usual if key in missing)
        others = ", unless a rule of the configuration says otherwise" if self.rules else ""
        sentence = f"Assumes Kafka's defaults: {assumed}{others}." if assumed else ""
        commits = all(self._commits(rule.settings) for rule in self.by_groups)
        return " ".join(filter(None, (sentence, "" if commits else NO_COMMITS))) or None

    @staticmethod
    def _commits(config: ConsumerSettings) -> bool:
        return config.get("enable_auto_commit", True) or config.get("commit") == POLL


NO_COMMITS = (
    "Where enable.auto.commit is false and no commit is stated, records read twice are all since "
    'the start of the simulation: state commit = "poll" in [consumers] if members commit after '
    "each poll()."
)

NO_CONSUMERS = FleetConsumers()


def _of_kafka(key: str) -> str:
    return key.replace("_", ".")
