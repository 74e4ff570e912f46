"""docs/plan_in_force.md: its consumers and its commands, as written."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from kafka import KafkaAdminClient
from kafka.errors import KafkaError

from optimizer.assignor.plan_file import GroupPlan
from tests.live.brokers import Brokers
from tests.live.waiting import until
from tests.paths import ROOT
from tests.spark.conftest import asked, run  # noqa: F401 - fixtures
from tests.spark.support.said import Run

PAGE = (ROOT / "docs" / "plan_in_force.md").read_text(encoding="utf-8")
BROKER, GROUP, FILES = "127.0.0.1:9092", "orders-group", ("store", "plan", "orders.json")
NOTHING: dict[str, list[dict[str, list[int]]]] = {"assigned_partitions": []}


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL)


@pytest.fixture
def admin(broker: Brokers) -> Iterator[KafkaAdminClient]:
    with KafkaAdminClient(bootstrap_servers=broker.bootstrap) as client:
        yield client


@pytest.fixture
def consumers(broker: Brokers, admin: KafkaAdminClient, tmp_path: Path) -> Iterator[None]:
    """The page's program, started three times, and its group at rest."""
    topic = "orders-of-the-page"  # the broker is everybody's
    options = {"num_partitions": 6, "replication_factor": 1}
    admin.create_topics({topic: options}, wait_for_metadata=True)
    (program,) = blocks("python")
    program = program.replace('"orders"', f'"{topic}"').replace(BROKER, broker.bootstrap)
    (tmp_path / "consumer.py").write_text(program)
    with ExitStack() as running:
        for worker in ("worker-1", "worker-2", "worker-3"):
            started = subprocess.Popen(
                [sys.executable, "consumer.py", worker],
                cwd=tmp_path,
                env={"PYTHONPATH": str(ROOT)},
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
            running.callback(started.wait)
            running.callback(started.kill)

        def at_rest() -> bool:
            try:
                group = admin.describe_groups([GROUP])[GROUP]
            except KafkaError:  # the first group of all makes its coordinator wait
                return False
            assignments = [member["member_assignment"] or NOTHING for member in group["members"]]
            parts = [claim["partitions"] for a in assignments for claim in a["assigned_partitions"]]
            return group["group_state"] == "Stable" and list(map(len, parts)) == [2, 2, 2]

        assert until(at_rest, 60)
        yield


def test_the_page(broker: Brokers, consumers: None, tmp_path: Path, run: Run) -> None:  # noqa: F811
    """Each command ends well, and the last one finds the plan in force."""
    commands = [line for block in blocks("sh") for line in block.splitlines()]
    assert len(commands) == 6
    for command in commands:
        program, name, *words = shlex.split(command.replace(BROKER, broker.bootstrap))
        assert program == "bin/evenfleet"
        said = run(name, *(tmp_path / word if word in FILES else word for word in words))
        assert said.code == 0, (command, said)
    assert "is in force" in said.err


def test_the_file_on_the_page_is_one() -> None:
    (text,) = blocks("json")
    assert GroupPlan.from_text(text).to_text() == text
