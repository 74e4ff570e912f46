"""Groups as their coordinators describe them: all that are listed, or some by name."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from typing import Any

from kafka.errors import GroupIdNotFoundError

from spark.fleet import CLASSIC, CONSUMER, SHARE, STREAMS
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Connection, NoAnswer
from spark.sources.live.coordinators import Listed, ask_coordinators, list_groups, questions_for
from spark.sources.live.group import Claim, DescribedGroup, gone_group, unknown
from spark.sources.live.manager import error_text
from spark.sources.live.protocols import (
    OF_SHARE,
    OF_STARTS,
    OF_STREAMS,
    read_classic_group,
    read_consumer_group,
    read_share_group,
    read_streams_group,
)
from spark.text import list_of


def describe_groups(
    brokers: Connection,
    cluster: Cluster,
    listed: Mapping[str, Listed],
    topics: Mapping[str, int],
    offsets: bool = True,
) -> tuple[list[DescribedGroup], list[str]]:
    """The groups by name, and sentences about what could not be had of them.

    A group that isn't described has the reason in its state. `topics` are those of the cluster,
    with their numbers of partitions; without `offsets` none are asked for.
    """
    classic, new, committed = questions_for(brokers)
    describe = {CLASSIC: classic, CONSUMER: new, SHARE: OF_SHARE, STREAMS: OF_STREAMS}
    fetch = dict.fromkeys(describe, committed) | {SHARE: OF_STARTS} if offsets else {}
    coordinators = {name: group.coordinator for name, group in listed.items()}
    questions = {
        name: [asked[group.protocol] for asked in (describe, fetch) if group.protocol in asked]
        for name, group in listed.items()
        if group.protocol in describe
    }
    answers = ask_coordinators(brokers, coordinators, questions, cluster.retries)
    groups: list[DescribedGroup] = []
    silent: dict[str, set[str]] = defaultdict(set)
    for name, listing in sorted(listed.items()):
        # as many as were asked, in their order; one that has not come is None
        came = [answers.get((name, question)) for question in questions.get(name, ())]
        group, reason = _describe(name, listing, came, cluster, topics)
        groups.append(replace(group, coordinator=coordinators[name]))
        if reason:
            silent[reason].add(name)
    return groups, [f"{list_of('group', names)}: {reason}" for reason, names in silent.items()]


def _describe(
    name: str, listing: Listed, answers: Sequence[Any], cluster: Cluster, topics: Mapping[str, int]
) -> tuple[DescribedGroup, str | None]:
    """A group, and why something of it is missing; `answers` are of it and of its offsets."""
    if not answers:
        return DescribedGroup(name, listing.state, type=listing.type), None
    answer, *offsets = answers
    if answer is None or _code(answer) == GroupIdNotFoundError.errno:
        return replace(gone_group(name), type=listing.type), None
    if refused := _refusal(answer):
        return unknown(name, refused, listing.type), refused
    if listing.protocol == SHARE:
        starts = offsets[0] if offsets and not _refusal(offsets[0]) else None
        return read_share_group(answer, starts, cluster), None
    if listing.protocol == CONSUMER:
        group = read_consumer_group(answer, cluster, [*topics])
    elif listing.protocol == STREAMS:
        group = read_streams_group(answer, cluster, topics)
    else:
        group = read_classic_group(answer, cluster)
    group = replace(group, type=group.type or listing.type)
    if not offsets:
        return group, None
    refused = _refusal(offsets[0])
    group = replace(group, committed=_commits_of(offsets[0]))
    return group, f"no offsets, {refused}" if refused else None


def _code(answer: Any) -> int:
    return 0 if isinstance(answer, NoAnswer) else int(answer.error_code)


def _refusal(answer: Any) -> str | None:
    """Why an answer isn't one."""
    if answer is None:
        return "nothing was answered"
    if isinstance(answer, NoAnswer):
        return answer.reason
    return error_text(answer.error_code) if answer.error_code else None


def _commits_of(answer: Any) -> dict[Claim, int]:
    """Offsets of a group; a broker answers -1 where there is none."""
    if _refusal(answer):
        return {}
    return {
        (topic.name, partition.partition_index): partition.committed_offset
        for topic in answer.topics
        for partition in topic.partitions
        if not partition.error_code and partition.committed_offset >= 0
    }


GONE = "Dead"


class GroupReader:
    """Reads the same groups time and again; brokers list all of theirs once, to tell the types.

    Brokers are asked about a group in the words of its protocol, which only their lists tell.
    """

    def __init__(self, brokers: Connection, cluster: Cluster, names: Collection[str]) -> None:
        self._brokers, self._cluster = brokers, cluster
        self._names = frozenset(names)
        self._listed: dict[str, Listed] = {}

    def read(self, names: Collection[str] | None = None) -> dict[str, DescribedGroup]:
        """Each group, or those named, as its coordinator describes it, or with why it can't."""
        names = self._names if names is None else frozenset(names)
        missing: list[str] = []
        if names - self._listed.keys():
            nodes = [broker.node_id for broker in self._brokers.metadata.brokers]
            self._listed, missing = list_groups(self._brokers, self._cluster, nodes, self._names)
        listed = {name: self._listed[name] for name in names & self._listed.keys()}
        topics = {topic.name: len(topic.partitions) for topic in self._brokers.metadata.topics}
        described, _ = describe_groups(self._brokers, self._cluster, listed, topics, offsets=False)
        groups = {group.name: group for group in described}
        for name, group in groups.items():
            if group.coordinator is not None:
                self._listed[name] = self._listed[name]._replace(coordinator=group.coordinator)
            if group.state == GONE:  # it may have come to the other protocol
                del self._listed[name]
        for name in names - groups.keys():
            groups[name] = unknown(name, missing[0]) if missing else gone_group(name)
        return groups


def read_group(brokers: Connection, cluster: Cluster, name: str) -> DescribedGroup:
    """One group, of any type."""
    return GroupReader(brokers, cluster, [name]).read()[name]
