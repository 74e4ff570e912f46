"""What Connect's REST interface answers for its connectors' status."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.cli_text import read_cli_text

HOSTS = {"a": "10.0.0.1:8083", "b": "10.0.0.2:8083", "c": "10.0.0.3:8083", "": ""}


def status(connector: str, tasks: str) -> dict[str, Any]:
    """A connector, and its tasks by the letters of their workers; a blank one runs nowhere."""
    rows = [
        {
            "id": number,
            "state": "RUNNING" if worker.strip() else "UNASSIGNED",
            "worker_id": HOSTS[worker.strip()],
        }
        for number, worker in enumerate(tasks)
    ]
    of_connector = {"state": "RUNNING", "worker_id": HOSTS[connector]}
    return {"status": {"name": "x", "connector": of_connector, "tasks": rows, "type": "sink"}}


def test_connectors_are_topics_and_workers_members(write: Callable[..., Path]) -> None:
    """A worker with a connector alone is one that has nothing."""
    topics = write("t.txt", "Topic: t\tPartitionCount: 1\n")
    answer = {"one": status("c", "aab"), "two": status("a", "b ")}
    path = write("connect-prod.json", json.dumps(answer))
    result = read_cli_text("c", [topics], connect=[path])
    rows = {name: table.to_pylist() for name, table in result.tables.items()}
    (group,) = rows["groups"]
    assert (group["group"], group["type"], group["state"]) == ("connect-prod", "connect", "Stable")
    assert not group["subscriptions_inferred"]
    assert [(m["member_id"], m["host"]) for m in rows["members"]] == [
        (HOSTS[name], f"/10.0.0.{number}") for number, name in enumerate("abc", start=1)
    ]
    owners = {(r["topic"], r["partition"]): r["member_id"] for r in rows["assignments"]}
    one, two = "connect-prod/one", "connect-prod/two"
    owned = {(one, 0): "a", (one, 1): "a", (one, 2): "b", (two, 0): "b"}
    assert owners == {task: HOSTS[worker] for task, worker in owned.items()}
    tasks = [(r["topic"], r["partition"]) for r in rows["partitions"]]
    assert tasks == [*owned, (two, 1), ("t", 0)]
    assert len(rows["subscriptions"]) == 2 * 3


@pytest.mark.parametrize("text", ["[]", "{", '{"one": {"info": {}}}', '{"one": 1}', "[1]"])
def test_anything_else_is_refused(write: Callable[..., Path], text: str) -> None:
    topics, path = write("t.txt", "Topic: t\tPartitionCount: 1\n"), write("g.json", text)
    with pytest.raises(InputError, match=r"g\.json: it isn't JSON of GET /connectors"):
        read_cli_text("c", [topics], connect=[path])
