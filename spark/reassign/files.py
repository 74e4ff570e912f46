"""Files of kafka-reassign-partitions and kafka-leader-election, written and read."""

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeGuard

from optimizer.figures import plural
from spark.errors import InputError
from spark.reassign.facts import Name, ReplicaFacts
from spark.reassign.reassignment import Reassignment
from spark.reassign.verify import alive_of
from spark.store import read_whole, replace_text
from spark.text import list_of

HANDED_OVER = ".handed-over"
"""The time at which a plan in a folder began to be carried out, until that is done."""

CLUSTER = ".cluster"
"""The cluster whose plan a folder holds."""

PRINTED = "Current partition replica assignment"
"""How what kafka-reassign-partitions prints begins; JSON stands below."""

OURS = re.compile(r"\d{2,}-(move|rollback|elect)\.json|elect\.json")


def write_batches(of: Reassignment, out: Path) -> list[Path]:
    """Write `NN-move.json`, `NN-rollback.json` and `NN-elect.json` for each batch; their paths.

    `elect.json` is for partitions that keep their replicas and are led by another broker than the
    preferred one.

    Those of an earlier plan in the folder are removed: batches of two plans don't fit together.
    InputError if something else than such files is in it, or a plan that is carried out in part:
    its rollbacks are the only way back.
    """
    return write_files(texts_of(of), out, of.current.cluster, of.current)


def texts_of(of: Reassignment) -> dict[str, str]:
    """Files of all batches by name."""
    alive = {broker.id for broker in of.plan.cluster.brokers if broker.alive}
    texts = {}
    for number, batch in enumerate(of.batches, 1):
        moved = {(step.topic, step.partition): step.after for step in batch}
        origin = {(step.topic, step.partition): alive_of(step.before, alive) for step in batch}
        led = [(step.topic, step.partition) for step in batch if step.before[0] != step.after[0]]
        texts[f"{number:02}-move.json"] = move_text(moved)
        texts[f"{number:02}-rollback.json"] = move_text(origin)
        if led:
            texts[f"{number:02}-elect.json"] = elect_text(led)
    if of.elections:
        texts["elect.json"] = elect_text(of.elections)
    return texts


def write_files(
    texts: Mapping[str, str], out: Path, cluster: str, current: ReplicaFacts | None = None
) -> list[Path]:
    """Write them into a cluster's own folder, where those of an earlier plan are removed.

    InputError if it belongs to another cluster, holds something else, or its plan isn't finished.
    """
    out.mkdir(parents=True, exist_ok=True)
    names = sorted(path.name for path in out.iterdir() if not path.name.startswith("."))
    if others := [name for name in names if not OURS.fullmatch(name)]:
        raise InputError(
            f"{out} holds {list_of('file', others)}: files of a plan go into a folder of their own"
        )
    owner = (out / CLUSTER).read_text() if (out / CLUSTER).exists() else None
    if names and owner not in (None, cluster):
        raise InputError(
            f"{out} holds the plan of cluster {owner}: write the one of cluster {cluster} into "
            "another folder"
        )
    if names == sorted(texts) and all(
        read_whole(out / name) == texts[name].encode() for name in names
    ):
        return [out / name for name in texts]
    if why := _why_unfinished(out, current):
        raise InputError(
            f"{out} holds the rollbacks of a plan that isn't finished: {why}. Finish it or go "
            "back, and take another snapshot; or write into another folder"
        )
    for name in names:
        (out / name).unlink()
    mark_done(out)
    replace_text(out / CLUSTER, cluster)
    for name, text in texts.items():
        replace_text(out / name, text)
    return [out / name for name in texts]


def mark_handed_over(out: Path) -> None:
    """Note when the plan in a folder began to be carried out."""
    replace_text(out / HANDED_OVER, datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ"))


def mark_done(out: Path) -> None:
    """Nothing of the plan in a folder is under way any more."""
    (out / HANDED_OVER).unlink(missing_ok=True)


def _why_unfinished(out: Path, current: ReplicaFacts | None) -> str | None:
    """Why the rollbacks in a folder may still be needed; None if they aren't."""
    mark = out / HANDED_OVER
    time = mark.read_text() if mark.exists() else None
    if time and (current is None or current.snapshot <= time):
        return f"it was handed to the cluster at {time}, and no later snapshot shows how far it is"
    if current is None:
        return None
    now = {p.name: alive_of(p.replicas, current.racks) for p in current.partitions}
    courses: dict[Name, list[list[int]]] = {}
    for move in sorted(out.glob("*-move.json"), key=lambda path: int(path.name.split("-")[0])):
        rollback = move.with_name(move.name.replace("move", "rollback"))
        origin = read_move(rollback) if rollback.exists() else {}
        for name, row in read_move(move).items():
            courses.setdefault(name, [origin[name]] if name in origin else []).append(row)
    present = {name: course for name, course in courses.items() if name in now}
    if courses and not present:
        return f"cluster {current.cluster} has none of its partitions"
    # a rollback names no broker that was dead
    begun = any(now[name] != alive_of(course[0], current.racks) for name, course in present.items())
    done = sum(now[name] == alive_of(course[-1], current.racks) for name, course in present.items())
    if begun and done < len(present):
        return f"{done} of {plural(len(present), 'partition')} {'is' if done == 1 else 'are'} done"
    return None


def move_text(replicas: Mapping[Name, list[int]]) -> str:
    """The JSON that --reassignment-json-file takes, a line a partition."""
    lines = ",\n".join(
        json.dumps({"topic": topic, "partition": number, "replicas": row})
        for (topic, number), row in sorted(replicas.items())
    )
    return f'{{"version":1,"partitions":[\n{lines}\n]}}\n'


def elect_text(partitions: Iterable[Name]) -> str:
    """The JSON that kafka-leader-election --path-to-json-file takes."""
    lines = ",\n".join(
        json.dumps({"topic": topic, "partition": number}) for topic, number in sorted(partitions)
    )
    return f'{{"partitions":[\n{lines}\n]}}\n'


def read_move(path: Path) -> dict[Name, list[int]]:
    """Replicas by partition of a file for kafka-reassign-partitions, whoever wrote it.

    InputError for what Kafka's own tool refuses as well (ReassignPartitionsCommand, DecodeJson):
    no JSON object, another version than 1, numbers that are none or beyond 32 bits, no partitions,
    one that is there twice, one without replicas, with a broker twice, or with more or fewer log
    directories than replicas.
    """
    whole = _json(path)
    version = whole.get("version", 1)
    if not _is_int(version) or version != 1:
        raise InputError(f"{path} has version {json.dumps(version)}: Kafka reads version 1")
    partitions = whole.get("partitions")
    if not isinstance(partitions, list) or not partitions:
        raise InputError(f"{path} lists no partitions: it has to be like NN-move.json")
    replicas: dict[Name, list[int]] = {}
    for partition in partitions:
        name, row = _entry(path, partition)
        if name in replicas:
            raise InputError(f"{path} has {name[0]}-{name[1]} twice")
        if not row or len(set(row)) < len(row):
            what = "no replicas" if not row else f"a broker twice: {row}"
            raise InputError(f"{path}: {name[0]}-{name[1]} has {what}")
        folders = partition.get("log_dirs", row)
        if not isinstance(folders, list) or len(folders) != len(row):
            raise InputError(
                f"{path}: {name[0]}-{name[1]} has {plural(len(row), 'replica')}, and log_dirs "
                f"{json.dumps(folders)}: list one for each replica"
            )
        replicas[name] = row
    return replicas


def _entry(path: Path, partition: Any) -> tuple[Name, list[int]]:
    """A partition and its replicas; InputError unless Kafka's tool reads them too."""
    keys = partition if isinstance(partition, dict) else {}
    topic, number, row = (keys.get(key) for key in ("topic", "partition", "replicas"))
    if not isinstance(topic, str) or not isinstance(row, list):
        text = json.dumps(partition)[:200]
        raise InputError(f"{path}: {text} has to have a topic, a partition and replicas")
    if not _is_int(number) or not all(map(_is_int, row)):
        other = next(value for value in (number, *row) if not _is_int(value))
        raise InputError(
            f"{path}: {topic}-{json.dumps(number)} has {json.dumps(other)[:200]}, where Kafka "
            "reads whole numbers of 32 bits"
        )
    return (topic, number), row


def _is_int(value: Any) -> TypeGuard[int]:
    """Whether it is a number that Kafka's DecodeInteger takes."""
    return type(value) is int and -(1 << 31) <= value < 1 << 31


def topics_in(path: Path) -> list[str]:
    """Topics of a file for kafka-reassign-partitions --topics-to-move-json-file.

    InputError for a file that isn't like `{"topics": [{"topic": "orders"}], "version": 1}`.
    """
    listed = _json(path).get("topics")
    rows = listed if isinstance(listed, list) else []
    names = [str(row["topic"]) for row in rows if isinstance(row, dict) and row.get("topic")]
    if not names or len(names) < len(rows):
        raise InputError(
            f'{path} lists no topics: it has to be like {{"topics": [{{"topic": "orders"}}], '
            '"version": 1}'
        )
    return names


def sizes_in(path: Path, current: ReplicaFacts) -> dict[Name, int]:
    """Bytes of each partition, of its largest replica, from what kafka-log-dirs printed.

    Two lines stand before its JSON; copies on their way between log directories don't count.
    """
    names = {str(partition): partition.name for partition in current.partitions}
    sizes: dict[Name, int] = {}
    for broker in _json(path, after="{").get("brokers", ()):
        for folder in broker.get("logDirs", ()):
            for replica in folder.get("partitions", ()):
                name = names.get(replica["partition"])
                if name and not replica.get("isFuture"):
                    sizes[name] = max(sizes.get(name, 0), int(replica["size"]))
    if not sizes:
        raise InputError(
            f"{path} has no size of a partition of cluster {current.cluster}; expected what "
            "kafka-log-dirs prints with that option"
        )
    return sizes


def _json(path: Path, after: str = "") -> dict[str, Any]:
    """The object that a file holds, from the first `after` on; InputError if it holds none."""
    try:
        text = read_whole(path).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {error}") from None
    if text.lstrip().startswith(PRINTED):
        raise InputError(
            f"{path} is what Kafka's tool prints: the assignment as it was, then a proposed one. "
            "Save the one that you mean, and only its JSON"
        )
    begins = text.find(after)
    try:
        document = json.loads(text[begins:]) if begins >= 0 else None
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} isn't JSON: {error}") from None
    if not isinstance(document, dict):
        raise InputError(f"{path} holds no JSON object")
    return document
