"""Stores of what Kafka's own tools printed of a cluster, and what `reassign` makes of them."""

import json
from pathlib import Path
from typing import Any

from tests.paths import DATA
from tests.support.said import Run
from tests.support.terminal import tables_of

CAPTURES = DATA / "brokers"
GROUPS = (
    "GROUP TOPIC PARTITION CURRENT-OFFSET LOG-END-OFFSET LAG CONSUMER-ID HOST CLIENT-ID\n"
    "readers orders 0 1 1 0 - - -\n"
)


def stored(
    run: Run, folder: Path, topics: str, brokers: str | None = "brokers", cluster: str = "lab"
) -> Path:
    """A store of that text of kafka-topics."""
    groups = folder / "groups.txt"
    groups.write_text(GROUPS)
    words: list[object] = ["--topics", CAPTURES / f"{topics}.txt", "--groups", groups]
    if brokers:
        words += ["--brokers", CAPTURES / f"{brokers}.txt"]
    output = run("import-cli", "--cluster", cluster, *words, "--out", folder / topics)
    assert output.code == 0, output.err
    return folder / topics


def reassigned(run: Run, store: Path, *words: object) -> Any:
    output = run("reassign", store, "--out", store.parent / "moves", *words, "--format", "json")
    assert output.code == 0, output.err
    return tables_of(output)


def replicas_in(path: Path) -> dict[tuple[str, int], list[int]]:
    values = json.loads(path.read_text())
    assert values["version"] == 1
    return {
        (partition["topic"], partition["partition"]): partition["replicas"]
        for partition in values["partitions"]
    }
