"""Read what Connect's REST interface says of its connectors: GET /connectors?expand=status."""

import json
from pathlib import Path

from spark.errors import InputError
from spark.files import read_whole
from spark.fleet import CONNECT, connector_topic
from spark.sources.kafka_text.captures import ConsumerGroup, Member, MemberRow, TopicPartition

EXPECTED = "JSON of GET /connectors?expand=status"

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
        raise InputError(f"{path}: {error.strerror}; expected {EXPECTED}") from error
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InputError(f"{path}: it isn't {EXPECTED}: {type(error).__name__} {error}") from error
    group.take_members(
        [
            MemberRow(Member(worker, host=f"/{worker.rpartition(':')[0]}"), len(owned), owned)
            for worker, owned in workers.items()
        ]
    )
    return group
