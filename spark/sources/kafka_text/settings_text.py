"""Read what kafka-configs --describe and Connect's GET /connectors?expand=status answer."""

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spark.errors import InputError
from spark.fleet import BROKER_CONFIGS, CONNECT, TOPIC_CONFIGS, connector_topic
from spark.sources.kafka_text.captures import ConsumerGroup, Member, MemberRow, TopicPartition
from spark.sources.kafka_text.lines import UnreadableLines, is_noise, read_lines
from spark.store import read_whole

CONFIGS_TEXT = "the text of kafka-configs --describe, of topics or brokers"

# ConfigCommand.describeResourceConfig; a default of all brokers, or a quota, is of no entity here
_ENTITY = re.compile(r"(?:Dynamic |All |Default )?[Cc]onfigs? for (?P<entity>.*) are:")
_NAMED = re.compile(r"(topic|broker) (\S+)")
_SETTING = re.compile(
    r"\s+(?P<key>[\w.-]+)=(?P<value>.*) sensitive=(?P<secret>\w+) synonyms=\{.*\}"
)
_KEPT = {"topic": TOPIC_CONFIGS, "broker": BROKER_CONFIGS}


class Configs(NamedTuple):
    """Values by scope, name and key, as the table of settings has them."""

    values: dict[tuple[str, str, str], str]
    notes: list[str]
    unreadable_lines: UnreadableLines


def read_configs(paths: Sequence[Path]) -> Configs:
    """Read files; of two values of one setting the later counts.

    Raises InputError if a file is missing, is not text, or tells of no topic or broker.
    """
    values: dict[tuple[str, str, str], str] = {}
    unreadable_lines = UnreadableLines()
    for path in paths:
        entity: re.Match[str] | None = None
        has_content = False
        for line in read_lines(path, CONFIGS_TEXT, unreadable_lines):
            if header := _ENTITY.fullmatch(line.text.strip()):
                entity, has_content = _NAMED.fullmatch(header["entity"]), True
            elif has_content and (setting := _SETTING.fullmatch(line.text)):
                is_kept = entity and setting["key"] in _KEPT[entity[1]]
                if entity and is_kept and setting["value"] not in ("", "null"):
                    values[entity[1], entity[2], setting["key"]] = setting["value"]
            elif not is_noise(line.text):
                unreadable_lines.append(line.fault("it is no setting of a topic or broker"))
        if not has_content:
            raise InputError(f"{path}: no setting is in it; expected {CONFIGS_TEXT}")
    return Configs(values, [], unreadable_lines)


CONNECTORS_TEXT = "JSON of GET /connectors?expand=status"

LARGEST = 1 << 26
"""Bytes of an answer: a task has some hundred."""

UNASSIGNED = "UNASSIGNED"
"""State of a task that no worker runs (AbstractStatus.State)."""


def read_connectors(path: Path) -> ConsumerGroup:
    """The Connect cluster, called as the file without `.json`; see docs/connect.md.

    Its workers are the members; those that run neither a connector nor a task aren't in the text.
    The number of a connector's tasks is one more than the highest that is listed.

    Raises InputError if the file is missing or holds anything else.
    """
    group = ConsumerGroup(path.stem, state="Stable", listed_type=CONNECT)
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
            MemberRow(Member(worker, host=f"/{worker.rpartition(':')[0]}"), len(owned), owned)
            for worker, owned in workers.items()
        ]
    )
    return group
