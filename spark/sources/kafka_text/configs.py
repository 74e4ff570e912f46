"""Read what kafka-configs --describe prints of topics and brokers, with --all or without."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from spark.errors import InputError
from spark.fleet import BROKER_CONFIGS, TOPIC_CONFIGS
from spark.sources.kafka_text.lines import UnreadableLines, is_noise, read_lines

EXPECTED = "the text of kafka-configs --describe, of topics or brokers"

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
        for line in read_lines(path, EXPECTED, unreadable_lines):
            if header := _ENTITY.fullmatch(line.text.strip()):
                entity, has_content = _NAMED.fullmatch(header["entity"]), True
            elif has_content and (setting := _SETTING.fullmatch(line.text)):
                is_kept = entity and setting["key"] in _KEPT[entity[1]]
                if entity and is_kept and setting["value"] not in ("", "null"):
                    values[entity[1], entity[2], setting["key"]] = setting["value"]
            elif not is_noise(line.text):
                unreadable_lines.append(line.fault("it is no setting of a topic or broker"))
        if not has_content:
            raise InputError(f"{path}: no setting is in it; expected {EXPECTED}")
    return Configs(values, [], unreadable_lines)
