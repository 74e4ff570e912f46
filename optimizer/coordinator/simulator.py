"""Carries out the steps of a scenario."""

from functools import singledispatchmethod

import optimizer.processes as steps
from optimizer.coordinator.classic.client import ClassicClient
from optimizer.coordinator.client import Client
from optimizer.coordinator.consumer.client import ConsumerClient
from optimizer.coordinator.context import Context
from optimizer.coordinator.coordinator import Coordinator
from optimizer.coordinator.scenario import Scenario
from optimizer.model import Member
from optimizer.settings import ClientSettings

MISSING_TOPIC_MS = 1_000
"""retry.backoff.max.ms: how soon clients look again for a topic that they miss."""


class Simulator:
    """The processes of a run by name, and what happens to them."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.coordinator = Coordinator(context)
        self.processes: dict[str, list[Client]] = {}
        self.unnoticed = 0

    def alive(self) -> list[Client]:
        """The processes that run."""
        return [client for lives in self.processes.values() for client in lives if client.alive]

    def _newest(self, name: str) -> Client | None:
        """The newest process of that name, of those that run if there are any."""
        lives = self.processes.get(name, [])
        running = [client for client in lives if client.alive]
        return running[-1] if running else lives[-1] if lives else None

    def _add(self, client: Client) -> None:
        """One more process; those of its name that are gone aren't needed any more."""
        lives = self.processes.get(client.name, [])
        self.processes[client.name] = [*(life for life in lives if life.alive), client]

    def prepare(self, script: list[steps.Step]) -> None:
        """Put every step where it belongs in time."""
        for step in script:
            self.context.clock.at(step.at, self.do, step)

    @singledispatchmethod
    def do(self, step: object) -> None:
        raise TypeError(f"{step!r} is no step of a scenario")

    @do.register
    def _start(self, step: steps.Start) -> None:
        context, before = self.context, self._newest(step.member)
        scenario: Scenario = context.scenario
        config = step.client or (
            before.settings if before else scenario.clients.get(step.member, scenario.client)
        )
        topics = step.topics if step.topics is not None else before.topics if before else ()
        instance_id = step.instance_id or (before.instance_id if before else None)
        client = self._client(
            step.member,
            topics,
            config,
            instance_id=instance_id,
            rack=step.rack or (before.rack if before else None),
            member_id=step.member_id,
            pattern=step.pattern or (before.pattern if before else None),
        )
        self._add(client)
        delay = context.delays.start if step.delay_ms is None else step.delay_ms
        context.log("starting", step.member)
        if client.is_classic and instance_id is None:
            delay -= context.delays.round_trip  # its first request only gets it an id
        context.after(delay, client.begin)

    def appear(self, member: Member) -> Client:
        """A member that was there before the scenario began."""
        scenario = self.context.scenario
        client = self._client(
            member.member_id,
            tuple(member.topics),
            scenario.clients.get(member.member_id, scenario.client),
            instance_id=member.instance_id,
            rack=member.rack,
        )
        client.member_id = member.member_id
        self._add(client)
        return client

    def _client(
        self, name: str, topics: tuple[str, ...], config: ClientSettings, **named: str | None
    ) -> Client:
        if config.protocol == "consumer":
            return ConsumerClient(self.coordinator, name, topics, config, **named)
        return ClassicClient(self.coordinator, name, topics, config, **named)

    @do.register
    def _to_client(
        self, step: steps.Close | steps.Kill | steps.Block | steps.Freeze | steps.Subscribe
    ) -> None:
        if not (client := self._newest(step.member)):
            return
        match step:
            case steps.Close():
                client.when_polling(client.close, step.leave, step.delay_ms, step.silent_ms)
            case steps.Kill():
                client.kill(step.silent_ms)
            case steps.Block():
                client.block(step.for_ms)
            case steps.Freeze():
                client.freeze(step.for_ms)
            case steps.Subscribe():
                client.when_polling(client.subscribe, step.topics)

    @do.register
    def _grow(self, step: steps.Grow) -> None:
        missed = step.topic not in self.context.catalog.sizes
        first_new = len(self.context.catalog)
        self.context.catalog.resize(step.topic, step.partitions)
        self.context.gone -= self.context.catalog.of_topics((step.topic,))
        self.context.ledger.appear(self.context.now, range(first_new, len(self.context.catalog)))
        self._tell_clients(missed=missed)

    @do.register
    def _delete(self, step: steps.Delete) -> None:
        gone = self.context.catalog.of_topics((step.topic,))
        self.context.catalog.resize(step.topic, None)
        self.context.gone |= gone
        self.context.ledger.vanish(self.context.now, gone)
        self._tell_clients(missed=False)

    def _tell_clients(self, *, missed: bool) -> None:
        if self.coordinator.consumer_group is not None:
            self.coordinator.consumer_group.wake_all()
        for client in self.alive():
            age = client.settings.metadata_max_age_ms
            age = min(age, MISSING_TOPIC_MS) if missed else age
            delay = self.context.chance.look(client.name, self.context.now, age)
            self.unnoticed += 1
            self.context.after(delay, self._look, client)

    def _look(self, client: Client) -> None:
        self.unnoticed -= 1
        client.when_polling(client.look_at_metadata)

    @do.register
    def _away(self, step: steps.Away) -> None:
        numbers = self.context.catalog.numbers
        gone = frozenset(
            numbers[partition] for partition in step.partitions if partition in numbers
        )
        self.context.away |= gone
        for client in self.alive():
            self.context.ledger.stop(self.context.now, client.number, sorted(client.owned & gone))
        self.context.after(step.for_ms, self._back, gone)

    def _back(self, gone: frozenset[int]) -> None:
        self.context.away -= gone
        for client in self.alive():
            client.read(client.owned & gone)

    @do.register
    def _move(self, step: steps.MoveCoordinator) -> None:
        self.context.log("coordinator_moved")
        self.coordinator.group.restart_sessions()
