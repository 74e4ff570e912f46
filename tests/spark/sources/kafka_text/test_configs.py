"""What kafka-configs and Connect's REST interface say."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from spark.errors import InputError
from spark.sources.kafka_text.cli_text import Configs, read_cli_text

TOPICS = """\
Dynamic configs for topic orders are:
  retention.ms=1000 sensitive=false synonyms={DYNAMIC_TOPIC_CONFIG:retention.ms=1000}
All configs for topic pay are:
  cleanup.policy=compact,delete sensitive=false synonyms={DEFAULT_CONFIG:log.cleanup.policy=delete}
  compression.type=producer sensitive=false synonyms={}
  min.insync.replicas=2 sensitive=false synonyms={}
"""
BROKERS = """\
Default configs for brokers in the cluster are:
  min.insync.replicas=9 sensitive=false synonyms={}
All configs for broker 1 are:
  group.max.size=100 sensitive=false synonyms={}
  ssl.keystore.password=null sensitive=true synonyms={}
  unclean.leader.election.enable=null sensitive=false synonyms={}
"""


def test_settings_of_topics_and_brokers_are_those_that_findings_go_by(
    write: Callable[..., Path],
) -> None:
    """Defaults of all brokers are of none in particular, and secrets aren't kept."""
    result = Configs().read([write("t.txt", TOPICS), write("b.txt", BROKERS + "what\n")])
    assert result.values == {
        ("topic", "orders", "retention.ms"): "1000",
        ("topic", "pay", "cleanup.policy"): "compact,delete",
        ("topic", "pay", "min.insync.replicas"): "2",
        ("broker", "1", "group.max.size"): "100",
    }
    assert [line.text for line in result.unreadable_lines] == ["what"]
    with pytest.raises(InputError, match=r"o\.txt: no setting is in it"):
        Configs().read([write("o.txt", "what\n")])


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
