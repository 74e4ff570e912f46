"""Epochs and targets of a consumer group, and its members' way to them."""

from collections import Counter

from optimizer.coordinator.assignors import Parts, Seen, assign_targets, timeline_order
from optimizer.coordinator.client import Client
from optimizer.coordinator.consumer.sessions import (
    STABLE,
    UNREVOKED,
    ConsumerMember,
    ConsumerSessions,
    Current,
    reconcile,
)
from optimizer.coordinator.context import MemberState, Target
from optimizer.settings import SERVER_ASSIGNORS

REGEX_REST_MS = 10_000
"""Patterns aren't resolved twice within this time; fixed in Kafka."""

LATER_REGEX_MS = 1


class ConsumerTargets(ConsumerSessions):
    """Everything that happens inside a heartbeat: epochs, targets, patterns, reconciliation."""

    def _settle(
        self, member: ConsumerMember, *, owned: Parts | None, joins: bool = False
    ) -> Parts | None:
        topics = self._topics_of(member.client)
        changed = topics != member.topics
        member.topics = topics
        self.subscribing.discard(member.client.number)
        version = self.context.catalog.version
        if changed or version != self.seen_version:
            self.seen_version = version
            sizes = self.sizes()
            if changed or sizes != self.topic_sizes:
                self.topic_sizes = sizes
                self.bump()
        self._compute(member.member_id if joins else None)
        before = member.current
        readable = self.context.catalog.of_topics(topics) if changed and not joins else None
        current = reconcile(
            before,
            self.target[member.member_id],
            self.target_epoch,
            owned=owned,
            readable=readable,
            is_free=lambda part: self.holder.get(part, member.member_id) == member.member_id,
        )
        self._keep(member, current)
        if joins or current.assigned != before.assigned:
            return current.assigned
        return None

    def _keep(self, member: ConsumerMember, current: Current) -> None:
        before = member.current
        settled = current.state == STABLE and current.epoch == self.target_epoch
        (self.unsettled.discard if settled else self.unsettled.add)(member.member_id)
        if current == before:
            return
        member.current = current
        for partition in (before.assigned | before.revoking) - current.assigned - current.revoking:
            if self.holder.get(partition) == member.member_id:
                del self.holder[partition]
        for partition in current.assigned | current.revoking:
            self.holder[partition] = member.member_id
        if self.context.details:
            state = MemberState(self.context.now, member.client.name, *current)
            self.context.member_states.append(state)
        if current.state == UNREVOKED and before.state != UNREVOKED:
            member.revocation += 1
            limit = member.client.settings.max_poll_ms
            self.context.after(limit, self._revocation_timeout, member, member.revocation)

    def _revocation_timeout(self, member: ConsumerMember, revocation: int) -> None:
        here = self.members.get(member.member_id) is member
        if here and member.revocation == revocation and member.current.state == UNREVOKED:
            self.context.log("rebalance_timeout", member.client.name)
            self._remove(member)
            client = member.client
            if client.alive:
                self.context.clock.at(client.next_beat(), client.beat)

    def _compute(self, newcomer: str | None) -> None:
        """Compute the target, if it is due: only inside a heartbeat (KIP-1263)."""
        now = self.context.now
        interval = self.context.broker.assignment_interval_ms
        if self.target_epoch == self.epoch:
            return
        if self.computed_at is not None and now - self.computed_at < interval:
            return
        assignor = self._assignor()
        members = [
            Seen(
                member.member_id,
                member.topics,
                self.target[member.member_id],
                instance_id=member.client.instance_id,
                rack=member.client.rack,
                capacity=member.client.capacity,
            )
            for member in map(self.members.__getitem__, self._order(newcomer))
        ]
        catalog = self.context.catalog
        strategy = SERVER_ASSIGNORS[assignor]
        goals = self.context.scenario.goals
        self.target = assign_targets(
            catalog, catalog.version, strategy, members, goals, cooperative=False
        )
        self.target_epoch, self.computed_at = self.epoch, now
        self.context.rebalances += 1
        if self.context.details:
            by_name = {m.client.name: self.target[m.member_id] for m in self.members.values()}
            self.context.targets.append(Target(now, self.epoch, assignor, by_name))
        self.unsettled = {*self.members}

    def _order(self, newcomer: str | None) -> list[str]:
        """The members as an assignor gets to see them: who joins just now comes last."""
        others = [member for member in self.members if member != newcomer]
        self.peak = max(self.peak, len(others))
        order = timeline_order(others, self.peak)
        return order if newcomer is None else [*order, newcomer]

    def _assignor(self) -> str:
        votes = Counter(
            member.client.settings.remote_assignor
            for member in self.members.values()
            if member.client.settings.remote_assignor in SERVER_ASSIGNORS
        )
        if not votes:
            return self.context.broker.assignor
        most = max(votes.values())
        return min(str(name) for name, count in votes.items() if count == most)

    def _topics_of(self, client: Client) -> tuple[str, ...]:
        if client.pattern is None:
            return client.topics
        self._resolve(client.pattern)
        return self.resolved.get(client.pattern, ())

    def _resolve(self, pattern: str) -> None:
        """Have a pattern resolved in the background, if topics came since, and not too often."""
        now, version = self.context.now, self.context.catalog.version
        if pattern in self.resolved and version == self.resolved_version:
            return
        if self.resolving:
            return
        rests = self.resolved_at is not None and now - self.resolved_at < REGEX_REST_MS
        if pattern in self.resolved and rests:
            return
        self.resolving, self.resolved_at = True, now
        takes = LATER_REGEX_MS if self.resolved else self.context.delays.resolve
        self.context.clock.at(now + takes, self._resolution, pattern)

    def _resolution(self, pattern: str) -> None:
        self.resolving = False
        topics = self.context.catalog.matching(pattern)
        self.resolved_version = self.context.catalog.version
        if self.resolved.get(pattern, ()) == topics:
            return
        self.resolved[pattern] = topics
        for member in self.members.values():
            if member.client.pattern == pattern:
                member.topics = topics
        self.topic_sizes = self.sizes()
        self.bump()
