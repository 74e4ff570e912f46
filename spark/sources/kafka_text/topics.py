"""Read what kafka-topics --describe prints, and the brokers from kafka-broker-api-versions."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spark.errors import InputError
from spark.sources.kafka_text.lines import (
    TOPIC_NAME,
    Line,
    UnreadableLines,
    is_noise,
    read_lines,
    shorten,
)
from spark.text import list_of

BROKERS_TEXT = "the text of kafka-broker-api-versions"

# Node.toString of Kafka's clients, then the versions in parentheses or an error
_BROKER = re.compile(
    r"(?P<host>\S*):(?P<port>\d{1,5}) "
    r"\(id: (?P<broker>\S+) rack: (?P<rack>.*?)(?: isFenced: (?:true|false))?\)(?: -> .*)?",
    re.ASCII,
)
_API_VERSION = re.compile(r"\s+\S.*|[(){}]\s*,?|\w+\(\d+\): .*", re.ASCII)


class Node(NamedTuple):
    broker: int
    host: str
    port: int
    rack: str | None


class Nodes(NamedTuple):
    """Brokers sorted by id."""

    brokers: list[Node]
    notes: list[str]
    unreadable_lines: UnreadableLines


def read_brokers(*paths: Path) -> Nodes:
    """Read files; of two lines of one broker the later counts.

    Raises InputError if a file is missing, is not text, or has no broker in it.
    """
    brokers: dict[int, Node] = {}
    differing: set[str] = set()
    unreadable_lines = UnreadableLines()
    for path in paths:
        has_broker = False
        for line in read_lines(path, BROKERS_TEXT, unreadable_lines):
            if match := _BROKER.fullmatch(line.text):
                rack = None if match["rack"] in ("null", "") else match["rack"]
                try:
                    number = parse_broker_id(match["broker"])
                except ValueError as error:
                    unreadable_lines.append(line.fault(str(error)))
                    continue
                broker = Node(number, match["host"], int(match["port"]), rack)
                if brokers.get(number, broker) != broker:
                    differing.add(str(number))
                brokers[number], has_broker = broker, True
            elif not (_API_VERSION.fullmatch(line.text) or is_noise(line.text)):
                unreadable_lines.append(line.fault("it is no line of a broker or its versions"))
        if not has_broker:
            raise InputError(f"{path}: no broker is in it; expected {BROKERS_TEXT}")
    notes = []
    if differing:
        listed, files = list_of("broker", differing), ", ".join(map(str, paths))
        notes.append(f"{listed} more than once in {files}, with other facts: the last ones count.")
    return Nodes([brokers[number] for number in sorted(brokers)], notes, unreadable_lines)


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
    of_replicas = [racks.get(broker) for broker in replicas or ()]
    return [rack for rack in of_replicas if rack is not None] or None


EXPECTED = "the text of kafka-topics --describe"

_KEYS = (
    "TopicId|Topic|PartitionCount|ReplicationFactor|Configs|MarkedForDeletion"
    "|Partition|Leader|Replicas|Isr|Adding Replicas|Removing Replicas|Elr|LastKnownElr"
    "|Offline|Observers|LiveObservers"  # Confluent Server's
)
# Tabs part the fields; where an editor or a terminal made spaces of them, the next key does
_GAP = re.compile(rf"\t+|(?<!Adding)(?<!Removing)\s+(?=(?:{_KEYS}):)")
# Where somebody has joined lines, the next one begins at its topic
_START = re.compile(rf"\s*(?=Topic:\s*{TOPIC_NAME}\s+(?:TopicId|PartitionCount|Partition):)")
_FIELD = re.compile(rf"({_KEYS}):\s*(.*)")
# What a terminal puts on a line of its own: brokers, settings, or fields after the rest of a key
_RESTS = "|".join(key[at:] for key in _KEYS.split("|") for at in range(len(key)))
_REST = re.compile(rf"[\d,\s]+|\s*\S*=\S*|(?:{_RESTS})?:.*|.*\b(?:{_KEYS}):.*")
WRAPPED = (
    "its lines are wrapped, at the width of a terminal: write what the tool prints to a file "
    "(kafka-topics --describe > topics.txt)"
)
_TOPIC = re.compile(TOPIC_NAME)
_COUNT = re.compile(r"[0-9]{1,7}")
# A value may have commas: what begins with a letter and has an equals sign is the next setting
_CONFIG = re.compile(r"([a-z][a-z0-9.]*)=(.*?)(?:,(?=[a-z][a-z0-9.]*=)|$)")
_NO_LEADER = ("none", "-1", "")


class PartitionRow(NamedTuple):
    """One partition; None is unknown, and a leader of None is none.

    While a reassignment goes on, Kafka prints under Replicas the old and the new ones together
    (KIP-455). `replicas` and `isr` are without the ones that are being added: these have not all
    the data yet, or may be dropped again if the reassignment is cancelled. The ones that are being
    removed serve until they are gone, and count. Both are None of a partition that isn't being
    reassigned. An observer of Confluent Server's counts where it is in sync: else it never leads by
    itself.
    """

    topic: str
    partition: int
    topic_id: str | None
    leader: int | None
    replicas: list[int] | None
    isr: list[int] | None
    adding_replicas: list[int] | None = None
    removing_replicas: list[int] | None = None


class TopicRows(NamedTuple):
    """Partitions sorted by topic and number, and what their reader has to tell.

    `configs` are the settings that Configs tells, by topic and key. Of the kinds of lines in
    `unread` there were some and none could be read.
    """

    partitions: list[PartitionRow]
    notes: list[str]
    unreadable_lines: UnreadableLines
    configs: dict[tuple[str, str], str]
    unread: list[str]


def read_topics(*paths: Path) -> TopicRows:
    """Read files that tell of one cluster. Topics marked for deletion are left out, with a note.

    A partition that the topic's PartitionCount counts and no line shows exists all the same: it is
    there, and its leader and replicas are unknown. Of two lines of one partition the later counts.

    Raises InputError if a file is missing, is not text, or has no topic in it.
    """
    reader = _TopicReader(", ".join(map(str, paths)))
    for path in paths:
        reader.topics, reader._follows = 0, False
        for line in read_lines(path, EXPECTED, reader.unreadable_lines):
            reader.read(line)
        if reader.is_wrapped:
            raise InputError(f"{path}: {WRAPPED}")
        if not reader.topics:
            text = f". It says: {reader.error}" if reader.error else ""
            raise InputError(f"{path}: no topic is in it; expected {EXPECTED}{text}")
    unread = [kind for kind in reader.lost if not reader.read_lines[kind]]
    notes, unreadable_lines = list(reader.notes()), reader.unreadable_lines
    return TopicRows(sorted(reader.living()), notes, unreadable_lines, reader.configs, unread)


class _TopicReader:
    def __init__(self, file: str) -> None:
        self.file = file
        self.counts: dict[str, int] = {}
        self.partitions: dict[tuple[str, int], PartitionRow] = {}
        self.unreadable_lines = UnreadableLines()
        self.error: str | None = None
        self.topics = 0
        self._topic_ids: dict[str, str] = {}
        self.configs: dict[tuple[str, str], str] = {}
        self.lost, self.read_lines = Counter[str](), Counter[str]()
        self.is_wrapped = self._follows = False
        self._marked: set[str] = set()
        self._differing: set[str] = set()

    def read(self, line: Line) -> None:
        for text in filter(None, _START.split(line.text)):
            self._read_one(line._replace(text=text))

    def _read_one(self, line: Line) -> None:
        fields = _fields(line.text)
        if fields is None:
            self._read_other(line)
            return
        self._follows = True
        kind = "partitions" if "Partition" in fields else "topics"
        try:
            topic = _parse(_TOPIC, "Topic", fields)
            if kind == "partitions":
                self._take_partition(topic, fields)
            else:
                self._take_topic(topic, fields)
            self.topics += 1
            self.read_lines[kind] += 1
            if fields.get("MarkedForDeletion") == "true":
                self._marked.add(topic)
        except ValueError as error:
            self.lost[kind] += 1
            self.unreadable_lines.append(line.fault(str(error)))

    def _read_other(self, line: Line) -> None:
        if line.text.startswith("Error"):
            self.error = shorten(line.text.strip())
        if not is_noise(line.text):
            self._follows = self._follows and _REST.fullmatch(line.text) is not None
            self.is_wrapped |= self._follows
            self.unreadable_lines.append(line.fault("it is no line of a topic or a partition"))

    def _take_topic(self, topic: str, fields: dict[str, str]) -> None:
        count = int(_parse(_COUNT, "PartitionCount", fields))
        if fields.get("TopicId"):
            if self._topic_ids.get(topic, fields["TopicId"]) != fields["TopicId"]:
                self._differing.add(topic)
            self._topic_ids[topic] = fields["TopicId"]
        for key, value in _CONFIG.findall(fields.get("Configs", "")):
            self.configs[topic, key] = value
        self.counts[topic] = count

    def _take_partition(self, topic: str, fields: dict[str, str]) -> None:
        number = int(_parse(_COUNT, "Partition", fields))
        leader = fields.get("Leader", "")
        adding, observers = _brokers("Adding Replicas", fields), _brokers("Observers", fields)
        replicas, isr = _brokers("Replicas", fields), _brokers("Isr", fields)
        absent = {*(adding or ()), *(set(observers or ()) - set(isr or ()))}
        partition = PartitionRow(
            topic,
            number,
            None,
            None if leader in _NO_LEADER else parse_broker_id(leader),
            replicas and [broker for broker in replicas if broker not in absent],
            isr and [broker for broker in isr if broker not in (adding or ())],
            adding,
            _brokers("Removing Replicas", fields),
        )
        if self.partitions.get((topic, number), partition) != partition:
            self._differing.add(topic)
        self.partitions[topic, number] = partition

    def living(self) -> Iterator[PartitionRow]:
        """All partitions of the topics that stay, those that no line shows among them."""
        for topic, number in {*self.partitions, *self._unseen()}:
            if topic not in self._marked:
                seen = self.partitions.get((topic, number))
                seen = seen or PartitionRow(topic, number, None, None, None, None)
                yield seen._replace(topic_id=self._topic_ids.get(topic))

    def notes(self) -> Iterator[str]:
        if self._marked:
            yield f"{list_of('topic', self._marked)} left out: marked for deletion."
        if unseen := {topic for topic, _ in self._unseen()} - self._marked:
            yield (
                f"{list_of('topic', unseen)} in {self.file} with fewer lines than PartitionCount "
                "says: the missing partitions are taken in, their leaders and replicas unknown."
            )
        if self._differing:
            yield (
                f"{list_of('topic', self._differing)} more than once in {self.file}, with other "
                "facts: the last ones count."
            )

    def _unseen(self) -> list[tuple[str, int]]:
        return [
            (topic, number)
            for topic, count in self.counts.items()
            for number in range(count)
            if (topic, number) not in self.partitions
        ]


def _fields(text: str) -> dict[str, str] | None:
    """The line's fields by key; None if it is no line of the tool's. Configs may hold anything."""
    if not text.lstrip().startswith("Topic:"):
        return None
    parts = [_FIELD.match(part) for part in _GAP.split(text.strip())]
    return {part[1]: part[2].strip() for part in parts if part}


def _parse(form: re.Pattern[str], key: str, fields: dict[str, str]) -> str:
    value = fields.get(key)
    if value is None:
        raise ValueError(f"it has no {key}")
    if not form.fullmatch(value):
        raise ValueError(f"{key} is {value!r}")
    return value


def _brokers(key: str, fields: dict[str, str]) -> list[int] | None:
    value = fields.get(key)
    if value is None:
        return None
    return [parse_broker_id(broker.strip()) for broker in value.split(",")] if value else []
