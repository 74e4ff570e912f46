"""A strategy, as the registry has it."""

from collections.abc import Callable
from dataclasses import dataclass

from optimizer.model import DEFAULT_GOALS, Answer, Goals, Problem

CLASSIC, CONSUMER, CONNECT = "classic", "consumer", "connect"
"""The protocols of groups: a leader assigns, the coordinator does (KIP-848), Connect's workers."""


@dataclass(frozen=True)
class Strategy:
    """A way to assign, and what others have to know of it.

    `answer` is its function of a problem; with `has_goals` it takes goals as well, as Evenfleet's
    own does, while Kafka's strategies have no others than their own. `protocol` is the one whose
    groups use it, None any of consumers; `kafka_names` are what Kafka calls it there, `java_class`
    its class in Kafka's clients. `rack_aware`: it looks at the racks of members and replicas, also
    without such goals (KIP-881). `eager`: consumers that use it give up all that they own at each
    rebalance. `target_of`: another strategy, whose target is always this one's.
    `may_give_to_strangers`: Kafka's own code now and then gives partitions to a member that doesn't
    subscribe to them.
    """

    answer: Callable[..., Answer]
    has_goals: bool = False
    protocol: str | None = None
    kafka_names: tuple[str, ...] = ()
    java_class: str | None = None
    rack_aware: bool = False
    eager: bool = False
    target_of: str | None = None
    may_give_to_strangers: bool = False

    @property
    def cooperative(self) -> bool:
        """Whether classic members keep what they own during a rebalance (KIP-429)."""
        return self.protocol in (CLASSIC, None) and not self.eager

    def assign(self, problem: Problem, goals: Goals = DEFAULT_GOALS) -> Answer:
        """The strategy's assignment; raises StrategyError where Kafka's own code throws."""
        return self.answer(problem, goals) if self.has_goals else self.answer(problem)
