"""The partitions of one member as the members view prints them (columns *ASSIGNMENT)."""

from __future__ import annotations

import re

from spark.sources.kafka_text.captures import TopicPartition
from spark.sources.kafka_text.table import TOPIC_NAME

NAMELESS = ""
"""The topic's name where 3.8 and 3.9 leave it out (KAFKA-14589 rewrote the tool and lost it)."""

_NUMBERS = r"\d{1,9}(?:,\d{1,9})*"
_UNTIL_3_9 = re.compile(rf"({TOPIC_NAME})?\(({_NUMBERS})\)", re.ASCII)
_SINCE_4_0 = re.compile(rf"({TOPIC_NAME}):({_NUMBERS})", re.ASCII)


def parse_ownership(cell: str) -> list[TopicPartition]:
    """`a(0,1), b(2)` until 3.7, `(0,1), (2)` in 3.8 and 3.9, `a:0,1;b:2` since 4.0; `-` is nothing.

    Raises ValueError if the text is none of these, or names a partition twice.
    """
    if cell in ("", "-"):
        return []
    form, separator = (_UNTIL_3_9, ", ") if cell.endswith(")") else (_SINCE_4_0, ";")
    owned = []
    for part in cell.split(separator):
        match = form.fullmatch(part)
        if not match:
            raise ValueError(f"{part[:60]!r} is not a topic with its partitions")
        topic = match[1] or NAMELESS
        owned += [(topic, int(number)) for number in match[2].split(",")]
    if len(owned) != len(set(owned)) and NAMELESS not in dict(owned):
        raise ValueError("it names a partition twice")
    return owned
