"""Records what a cluster answers, for tests without brokers.

    python -m tests.live.record_answers HOST:PORT tests/data/kafka-4.3.1-answers.json

The cluster should have a classic group and one of the new protocol; the first answer of each kind
is kept, as JSON: name of the message → its version, and its bytes in base64.
"""

from __future__ import annotations

import base64
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from spark.sources.live.cluster import Cluster, ClusterSelection
from spark.sources.live.connection import Connection
from spark.sources.live.read_cluster import read_cluster


def record(bootstrap: str, groups: Sequence[str]) -> dict[str, dict[str, Any]]:
    kept: dict[str, dict[str, Any]] = {}
    with Connection(Cluster("recorded", (bootstrap,))) as brokers:
        asks = brokers.ask

        def keep(answer: Any) -> None:
            data = base64.b64encode(answer.encode()).decode()
            entry = {"version": answer.API_VERSION, "data": data}
            kept.setdefault(type(answer).__name__, entry)

        def ask(questions: Any) -> list[Any]:
            answers = asks(questions)
            for answer in answers:
                keep(answer)
            return answers

        keep(brokers.metadata)
        brokers.ask = ask  # type: ignore[method-assign]
        cluster = Cluster("recorded", (bootstrap,), groups=ClusterSelection(tuple(groups)))
        read_cluster(cluster, brokers)
    return kept


if __name__ == "__main__":
    server, file, *names = sys.argv[1:]
    Path(file).write_text(json.dumps(record(server, names), indent=1) + "\n")
