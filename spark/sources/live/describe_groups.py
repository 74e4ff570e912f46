"""What the coordinators say about the groups that are listed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from kafka.errors import GroupIdNotFoundError

from spark.fleet import CLASSIC, CONSUMER, SHARE
from spark.sources.live.classic_group import read_classic_group
from spark.sources.live.cluster import Cluster
from spark.sources.live.connection import Brokers, NoAnswer
from spark.sources.live.consumer_group import read_consumer_group
from spark.sources.live.coordinators import ask_coordinators, questions_for
from spark.sources.live.error_text import error_text
from spark.sources.live.group import Claim, DescribedGroup, gone, unknown
from spark.sources.live.list_groups import Listed
from spark.sources.live.share_group import OF_GROUP, OF_OFFSETS, read_share_group
from spark.text import named


def describe_groups(
    brokers: Brokers,
    cluster: Cluster,
    listed: Mapping[str, Listed],
    topics: Sequence[str],
    offsets: bool = True,
) -> tuple[list[DescribedGroup], list[str]]:
    """The groups by name, and sentences about what could not be had of them.

    A group that isn't described has the reason in its state. `topics` are those of the cluster;
    without `offsets` none are asked for.
    """
    classic, new, committed = questions_for(brokers)
    describe = {CLASSIC: classic, CONSUMER: new, SHARE: OF_GROUP}
    of_offsets = {SHARE: OF_OFFSETS}
    coordinators = {name: group.coordinator for name, group in listed.items()}
    answers = ask_coordinators(
        brokers,
        coordinators,
        {
            name: [
                describe[group.protocol],
                *([of_offsets.get(group.protocol, committed)] if offsets else []),
            ]
            for name, group in listed.items()
            if group.protocol in describe
        },
        cluster.retries,
    )
    groups: list[DescribedGroup] = []
    silent: dict[str, set[str]] = defaultdict(set)
    for name, item in sorted(listed.items()):
        answer = answers.get((name, describe[item.protocol])) if item.protocol in describe else None
        if item.protocol == SHARE and not _refused(answer):
            starts = answers.get((name, OF_OFFSETS))
            group = read_share_group(answer, None if _refused(starts) else starts, cluster)
            groups.append(group)
            continue
        if item.protocol not in (CLASSIC, CONSUMER):
            groups.append(DescribedGroup(name, item.state, type=item.type))
            continue
        if answer is None or _code(answer) == GroupIdNotFoundError.errno:
            groups.append(replace(gone(name), type=item.type))
            continue
        if refused := _refused(answer):
            groups.append(unknown(name, refused, item.type))
            silent[refused].add(name)
            continue
        if item.protocol == CONSUMER:
            group = read_consumer_group(answer, cluster, topics)
        else:
            group = read_classic_group(answer, cluster)
        group = replace(group, type=group.type or item.type)
        if offsets:
            fetched = answers.get((name, committed))
            if refused := _refused(fetched):
                silent[f"no offsets, {refused}"].add(name)
            group = replace(group, committed=_committed(fetched))
        groups.append(group)
    groups = [replace(group, coordinator=coordinators[group.name]) for group in groups]
    return groups, [f"{named('group', names)}: {reason}" for reason, names in silent.items()]


def _code(answer: Any) -> int:
    return 0 if isinstance(answer, NoAnswer) else int(answer.error_code)


def _refused(answer: Any) -> str | None:
    """Why an answer isn't one."""
    if answer is None:
        return "nothing was answered"
    if isinstance(answer, NoAnswer):
        return answer.reason
    return error_text(answer.error_code) if answer.error_code else None


def _committed(answer: Any) -> dict[Claim, int]:
    """Offsets of a group; a broker answers -1 where there is none."""
    if _refused(answer):
        return {}
    return {
        (topic.name, partition.partition_index): partition.committed_offset
        for topic in answer.topics
        for partition in topic.partitions
        if not partition.error_code and partition.committed_offset >= 0
    }
