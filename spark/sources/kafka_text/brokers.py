"""Read the brokers and their racks from what kafka-broker-api-versions prints."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spark.errors import InputError
from spark.sources.kafka_text.lines import UnreadableLines, is_noise, read_lines
from spark.text import named

EXPECTED = "the text of kafka-broker-api-versions"

# Node.toString of Kafka's clients, then the versions in parentheses or an error
_BROKER = re.compile(
    r"(?P<host>\S*):(?P<port>\d{1,5}) "
    r"\(id: (?P<broker>\S+) rack: (?P<rack>.*?)(?: isFenced: (?:true|false))?\)(?: -> .*)?",
    re.ASCII,
)
_API_VERSION = re.compile(r"\s+\S.*|[(){}]\s*,?|\w+\(\d+\): .*", re.ASCII)


class Broker(NamedTuple):
    broker: int
    host: str
    port: int
    rack: str | None


class Brokers(NamedTuple):
    """Brokers sorted by id."""

    brokers: list[Broker]
    notes: list[str]
    unreadable_lines: UnreadableLines


def read_brokers(*paths: Path) -> Brokers:
    """Read files; of two lines of one broker the later counts.

    Raises InputError if a file is missing, is not text, or has no broker in it.
    """
    brokers: dict[int, Broker] = {}
    differing: set[str] = set()
    unreadable_lines = UnreadableLines()
    for path in paths:
        has_broker = False
        for line in read_lines(path, EXPECTED, unreadable_lines):
            if match := _BROKER.fullmatch(line.text):
                rack = None if match["rack"] in ("null", "") else match["rack"]
                try:
                    number = parse_broker_id(match["broker"])
                except ValueError as error:
                    unreadable_lines.append(line.fault(str(error)))
                    continue
                broker = Broker(number, match["host"], int(match["port"]), rack)
                if brokers.get(number, broker) != broker:
                    differing.add(str(number))
                brokers[number], has_broker = broker, True
            elif not (_API_VERSION.fullmatch(line.text) or is_noise(line.text)):
                unreadable_lines.append(line.fault("it is no line of a broker or its versions"))
        if not has_broker:
            raise InputError(f"{path}: no broker is in it; expected {EXPECTED}")
    notes = []
    if differing:
        result, files = named("broker", differing), ", ".join(map(str, paths))
        notes.append(f"{result} more than once in {files}, with other facts: the last ones count.")
    return Brokers([brokers[number] for number in sorted(brokers)], notes, unreadable_lines)


@cache  # the same few stand in every line of a file
def parse_broker_id(text: str) -> int:
    """Raises ValueError for anything but a number that Kafka takes for a broker's id."""
    if not re.fullmatch(r"[0-9]{1,10}", text) or int(text) >= 2**31:
        raise ValueError(f"{text!r} is no broker's id")
    return int(text)


def racks_of(replicas: Iterable[int] | None, racks: dict[int, str | None]) -> list[str] | None:
    """The racks of a partition's replicas, in their order, each once for each replica on it.

    Replicas whose rack is unknown are left out, as Kafka's assignors do; None if no rack is known.
    """
    entries = [racks.get(broker) for broker in replicas or ()]
    return [rack for rack in entries if rack is not None] or None
