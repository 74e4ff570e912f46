"""Read what kafka-topics --describe prints, and the brokers from kafka-broker-api-versions."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from spark.errors import InputError
from spark.sources.kafka_text.lines import (
    TOPIC_NAME,
    Line,
    TextReader,
    is_noise,
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


class Nodes(TextReader):
    """Brokers by id."""

    expected, nothing = BROKERS_TEXT, "no broker is in it"

    def __init__(self) -> None:
        super().__init__()
        self._brokers: dict[int, Node] = {}
        self._differing: set[str] = set()

    @property
    def brokers(self) -> list[Node]:
        """Sorted by id."""
        return [node for _, node in sorted(self._brokers.items())]

    def take(self, line: Line) -> None:
        if match := _BROKER.fullmatch(line.text):
            rack = None if match["rack"] in ("null", "") else match["rack"]
            try:
                number = parse_broker_id(match["broker"])
            except ValueError as error:
                self.report(line, str(error))
                return
            broker = Node(number, match["host"], int(match["port"]), rack)
            if self._brokers.get(number, broker) != broker:
                self._differing.add(str(number))
            self._brokers[number], self.has_content = broker, True
        elif not (_API_VERSION.fullmatch(line.text) or is_noise(line.text)):
            self.report(line, "it is no line of a broker or its versions")

    @property
    def notes(self) -> list[str]:
        if not self._differing:
            return []
        of = f"{list_of('broker', self._differing)} more than once in {self.files}"
        return [f"{of}, with other facts: the last ones count."]


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


class TopicRows(TextReader):
    """Topics of one cluster; `configs` are the settings that Configs tells, by topic and key.

    Topics marked for deletion are left out, with a note. A partition that the topic's
    PartitionCount counts and no line shows exists all the same: it is there, and its leader and
    replicas are unknown.
    """

    expected, nothing = EXPECTED, "no topic is in it"

    def __init__(self) -> None:
        super().__init__()
        self.configs: dict[tuple[str, str], str] = {}
        self._counts: dict[str, int] = {}
        self._partitions: dict[tuple[str, int], PartitionRow] = {}
        self._topic_ids: dict[str, str] = {}
        self._is_wrapped = self._follows = False
        self._marked: set[str] = set()
        self._differing: set[str] = set()

    def take(self, line: Line) -> None:
        for text in filter(None, _START.split(line.text)):
            self._read_one(line._replace(text=text))

    def finish(self, path: Path) -> None:
        if self._is_wrapped:
            raise InputError(f"{path}: {WRAPPED}")
        self._follows = False
        super().finish(path)

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
            self.has_content = True
            self._read[kind] += 1
            if fields.get("MarkedForDeletion") == "true":
                self._marked.add(topic)
        except ValueError as error:
            self._lost[kind] += 1
            self.report(line, str(error))

    def _read_other(self, line: Line) -> None:
        if line.text.startswith("Error"):
            self.error = shorten(line.text.strip())
        if not is_noise(line.text):
            self._follows = self._follows and _REST.fullmatch(line.text) is not None
            self._is_wrapped |= self._follows
            self.report(line, "it is no line of a topic or a partition")

    def _take_topic(self, topic: str, fields: dict[str, str]) -> None:
        count = int(_parse(_COUNT, "PartitionCount", fields))
        if fields.get("TopicId"):
            if self._topic_ids.get(topic, fields["TopicId"]) != fields["TopicId"]:
                self._differing.add(topic)
            self._topic_ids[topic] = fields["TopicId"]
        for key, value in _CONFIG.findall(fields.get("Configs", "")):
            self.configs[topic, key] = value
        self._counts[topic] = count

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
        if self._partitions.get((topic, number), partition) != partition:
            self._differing.add(topic)
        self._partitions[topic, number] = partition

    @property
    def partitions(self) -> list[PartitionRow]:
        """Sorted by topic and number, those that no line shows among them."""
        unseen = {name: PartitionRow(*name, None, None, None, None) for name in self._unseen()}
        return sorted(
            partition._replace(topic_id=self._topic_ids.get(partition.topic))
            for partition in (unseen | self._partitions).values()
            if partition.topic not in self._marked
        )

    @property
    def notes(self) -> list[str]:
        return [*self._notes()]

    def _notes(self) -> Iterator[str]:
        if self._marked:
            yield f"{list_of('topic', self._marked)} left out: marked for deletion."
        if unseen := {topic for topic, _ in self._unseen()} - self._marked:
            yield (
                f"{list_of('topic', unseen)} in {self.files} with fewer lines than PartitionCount "
                "says: the missing partitions are taken in, their leaders and replicas unknown."
            )
        if self._differing:
            yield (
                f"{list_of('topic', self._differing)} more than once in {self.files}, with other "
                "facts: the last ones count."
            )

    def _unseen(self) -> list[tuple[str, int]]:
        return [
            (topic, number)
            for topic, count in self._counts.items()
            for number in range(count)
            if (topic, number) not in self._partitions
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
