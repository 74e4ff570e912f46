"""Records what a cluster answers, for tests without brokers.

    python -m tests.live.record_answers HOST:PORT tests/data/kafka-4.3.1-answers.json [GROUP…]

The cluster should have a classic group and one of the new protocol; the first answer of each kind
is kept, as JSON: name of the message → its version, and its bytes in base64.
"""

import base64
import json
import sys
from pathlib import Path
from typing import Any

from spark.sources.live.cluster import Cluster, ClusterSelection
from spark.sources.live.connection import Connection
from spark.sources.live.read_cluster import read_cluster


class Recorder(Connection):
    """A connection that keeps what comes."""

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self.kept: dict[str, dict[str, Any]] = {}
        self.keep(self.metadata)

    def ask(self, questions: Any) -> list[Any]:
        answers = super().ask(questions)
        for answer in answers:
            self.keep(answer)
        return answers

    def keep(self, answer: Any) -> None:
        data = base64.b64encode(answer.encode()).decode()
        self.kept.setdefault(type(answer).__name__, {"version": answer.API_VERSION, "data": data})


if __name__ == "__main__":
    server, file, *names = sys.argv[1:]
    cluster = Cluster("recorded", (server,), groups=ClusterSelection(tuple(names)))
    with Recorder(cluster) as brokers:
        read_cluster(cluster, brokers)
        Path(file).write_text(json.dumps(brokers.kept, indent=1) + "\n")
