"""From the text of Kafka's command line tools to the tables of a store."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Sized
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa

from spark.errors import InputError
from spark.fleet import (
    BROKER_CONFIGS,
    CONNECT,
    MIN_INSYNC,
    SCHEMAS,
    TABLES,
    TOPIC_CONFIGS,
    SourceTables,
    connector_topic,
)
from spark.sources.kafka_text.captures import CliGroup, CliMember, MemberRow, TopicPartition
from spark.sources.kafka_text.consumer_groups import ConsumerGroups
from spark.sources.kafka_text.lines import Line, TextReader, UnreadableLines, is_noise
from spark.sources.kafka_text.subscriptions import (
    CsvSubscriptions,
    Infer,
    infer_subscriptions,
)
from spark.sources.kafka_text.topics import Node, Nodes, PartitionRow, TopicRows, racks_of
from spark.store import read_whole
from spark.text import list_of

CONFIGS_TEXT = "the text of kafka-configs --describe, of topics or brokers"

# ConfigCommand.describeResourceConfig; a default of all brokers, or a quota, is of no entity here
_ENTITY = re.compile(r"(?:Dynamic |All |Default )?[Cc]onfigs? for (?P<entity>.*) are:")
_NAMED = re.compile(r"(topic|broker) (\S+)")
_SETTING = re.compile(
    r"\s+(?P<key>[\w.-]+)=(?P<value>.*) sensitive=(?P<secret>\w+) synonyms=\{.*\}"
)
_KEPT = {"topic": TOPIC_CONFIGS, "broker": BROKER_CONFIGS}


class Configs(TextReader):
    """`values` are by scope, name and key, as the table of settings has them."""

    expected, nothing = CONFIGS_TEXT, "no setting is in it"

    def __init__(self) -> None:
        super().__init__()
        self.values: dict[tuple[str, str, str], str] = {}
        self._entity: re.Match[str] | None = None

    def take(self, line: Line) -> None:
        if header := _ENTITY.fullmatch(line.text.strip()):
            self._entity, self.has_content = _NAMED.fullmatch(header["entity"]), True
        elif self.has_content and (setting := _SETTING.fullmatch(line.text)):
            entity = self._entity
            is_kept = entity and setting["key"] in _KEPT[entity[1]]
            if entity and is_kept and setting["value"] not in ("", "null"):
                self.values[entity[1], entity[2], setting["key"]] = setting["value"]
        elif not is_noise(line.text):
            self.report(line, "it is no setting of a topic or broker")


CONNECTORS_TEXT = "JSON of GET /connectors?expand=status"

LARGEST = 1 << 26
"""Bytes of an answer: a task has some hundred."""

UNASSIGNED = "UNASSIGNED"
"""State of a task that no worker runs (AbstractStatus.State)."""


def read_connectors(path: Path) -> CliGroup:
    """The Connect cluster, called as the file without `.json`; see docs/connect.md.

    Its workers are the members; those that run neither a connector nor a task aren't in the text.
    The number of a connector's tasks is one more than the highest that is listed.

    Raises InputError if the file is missing or holds anything else.
    """
    group = CliGroup(path.stem, state="Stable", listed_type=CONNECT)
    workers: dict[str, list[TopicPartition]] = {}
    try:
        for connector, entry in json.loads(read_whole(path, LARGEST)).items():
            status = entry["status"]
            topic = connector_topic(group.name, connector)
            for task in status["tasks"]:
                number, worker = int(task["id"]), task["worker_id"]
                group.tasks[topic] = max(group.tasks.get(topic, 0), number + 1)
                if worker and task["state"] != UNASSIGNED:
                    workers.setdefault(worker, []).append((topic, number))
            if worker := status["connector"]["worker_id"]:
                workers.setdefault(worker, [])
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; expected {CONNECTORS_TEXT}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(
            f"{path}: it isn't {CONNECTORS_TEXT}: {type(error).__name__} {error}"
        ) from error
    group.take_members(
        [
            MemberRow(CliMember(worker, host=f"/{worker.rpartition(':')[0]}"), len(owned), owned)
            for worker, owned in workers.items()
        ]
    )
    return group


Row = dict[str, Any]

OF_GROUP = ("strategy", "generation", "type", "coordinator")
OF_CLAIM = ("topic", "partition", "member_id", "generation")


@dataclass(frozen=True, kw_only=True)
class CliTables(SourceTables):
    """The tables of a cluster; `lost_lines` are left out of them, `unread` kinds wholly."""

    lost_lines: int = 0
    unread: Sequence[str] = ()


def read_cli_text(
    cluster: str,
    topics: Sequence[Path],
    groups: Sequence[Path] = (),
    brokers: Sequence[Path] = (),
    configs: Sequence[Path] = (),
    connect: Sequence[Path] = (),
    subscriptions: Path | None = None,
    infer: Infer = "union",
) -> CliTables:
    """Read what Kafka's tools print of groups, topics, brokers and settings, and Connect's answers.

    Subscriptions are in none of it. Groups that the `subscriptions` file (CSV) tells of have them
    from there; those of all others are inferred, and `subscriptions_inferred` of the group is true.
    The tables are sorted by their keys; what is unknown is null.

    Raises InputError if a file is missing, is not text, or holds nothing of what it should; and if
    of the groups or of the topics not one line can be read.
    """
    if not cluster.strip():
        raise InputError("the cluster's name is empty: its rows are known by it")
    of_groups = ConsumerGroups().read(groups)
    of_topics = TopicRows().read(topics)
    _refuse_unread("groups", of_groups.groups, of_groups.unreadable_lines)
    _refuse_unread("topics", of_topics.partitions, of_topics.unreadable_lines)
    of_brokers = Nodes().read(brokers)
    of_configs = Configs().read(configs)
    all_groups = of_groups.groups | {path.stem: read_connectors(path) for path in connect}
    reported = CsvSubscriptions(all_groups).read([subscriptions] if subscriptions else ())
    ordered = [group for _, group in sorted(all_groups.items())]
    subscribed = {
        group.name: reported.by_group.get(group.name) or infer_subscriptions(group, infer)
        for group in ordered
    }
    all_configs = {("topic", *key): value for key, value in of_topics.configs.items()}
    all_configs |= of_configs.values
    partitions = sorted([*of_topics.partitions, *_tasks(ordered)])
    tables = _group_tables(ordered, subscribed, reported.by_group) | {
        "partitions": _partition_rows(partitions, of_brokers.brokers, all_configs),
        "brokers": [broker._asdict() for broker in of_brokers.brokers],
    }
    tables["configs"] = [
        dict(zip(("scope", "name", "key", "value"), (*key, value), strict=True))
        for key, value in sorted(all_configs.items())
    ]
    parts = (of_groups, of_topics, of_brokers, of_configs, reported)
    notes = [note for part in parts for note in part.notes]
    notes += _notes_across(tables, of_brokers.brokers)
    return CliTables(
        tables={
            name: _table(name, cluster, tables.get(name, []))
            for name, table in TABLES.items()
            if table.required or tables.get(name)
        },
        notes=notes,
        left_out=[sentence for part in parts for sentence in part.unreadable_lines.sentences()],
        lost_lines=sum(part.unreadable_lines.alike.total() for part in parts),
        unread=[*of_groups.unread, *of_topics.unread],
    )


def _refuse_unread(what: str, read: Sized, unreadable_lines: UnreadableLines) -> None:
    """Raise InputError when there were lines and none of them could be read."""
    if unreadable_lines and not read:
        lines = f"{unreadable_lines.alike.total()} lines of {what}"
        first = unreadable_lines[0].sentence
        raise InputError(f"none of the {lines} can be read, the first since {first}")


def _table(name: str, cluster: str, rows: Sequence[Row]) -> pa.Table:
    return pa.Table.from_pylist([{"cluster": cluster} | row for row in rows], SCHEMAS[name])


def _group_tables(
    groups: Sequence[CliGroup],
    subscribed: Mapping[str, Iterable[tuple[str, str]]],
    reported: Mapping[str, Any],
) -> dict[str, list[Row]]:
    tables = defaultdict[str, list[Row]](list)
    for group in groups:
        key, members = {"group": group.name}, group.members
        inferred = bool(members) and group.name not in reported and group.type != CONNECT
        columns = {"state": group.state_or_why_unknown, "subscriptions_inferred": inferred}
        columns |= {name: getattr(group, name) for name in OF_GROUP}
        tables["groups"].append(key | columns)
        tables["members"] += [key | member._asdict() for member in members.values()]
        tables["subscriptions"] += [
            key | {"member_id": member_id, "topic": topic}
            for member_id, topic in sorted(subscribed[group.name])
        ]
        tables["assignments"] += [
            key | dict(zip(OF_CLAIM, (*claim, members[claim[2]].generation), strict=True))
            for claim in group.claims
        ]
        tables["offsets"] += [
            key | {"topic": topic, "partition": number} | offset._asdict()
            for (topic, number), offset in sorted(group.offsets.items())
        ]
    return tables


def _tasks(groups: Iterable[CliGroup]) -> Iterator[PartitionRow]:
    """A partition for each task of Connect's, which no broker keeps."""
    for group in groups:
        for connector, count in group.tasks.items():
            for number in range(count):
                yield PartitionRow(connector, number, None, None, None, None)


def _partition_rows(
    partitions: Iterable[PartitionRow],
    brokers: Iterable[Node],
    configs: Mapping[tuple[str, str, str], str],
) -> list[Row]:
    least = {name: value for (_, name, key), value in configs.items() if key == MIN_INSYNC}
    racks = {broker.broker: broker.rack for broker in brokers}
    return [
        partition._asdict()
        | {
            "min_insync_replicas": _number(least.get(partition.topic)),
            "leader_rack": None if partition.leader is None else racks.get(partition.leader),
            "replica_racks": racks_of(partition.replicas, racks),
        }
        for partition in partitions
    ]


def _number(text: str | None) -> int | None:
    return int(text) if text and text.isdecimal() else None


def _notes_across(tables: Mapping[str, list[Row]], brokers: Sequence[Node]) -> Iterable[str]:
    described = {row["topic"] for row in tables["partitions"]}
    if absent := {row["topic"] for row in tables["subscriptions"]} - described:
        yield (
            f"The topics described lack {list_of('topic', absent)} with subscribers: no plan for "
            "the partitions. Is the text of all topics, and of the same cluster?"
        )
    if brokers:
        listed = {broker.broker for broker in brokers}
        named_brokers = {b for row in tables["partitions"] for b in row["replicas"] or ()}
        if missing := named_brokers - listed:
            yield (
                f"{list_of('broker', map(str, missing))} of the replicas without a line among the "
                "brokers: their racks are unknown."
            )
