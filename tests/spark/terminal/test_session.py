"""What a command's session is started with, and what the end of a worker of it says."""

import socket
from collections.abc import Callable
from pathlib import Path
from socketserver import TCPServer
from subprocess import Popen
from typing import Any

import pytest
from pyspark.sql import SparkSession

from spark.errors import RunError
from spark.startup.java_process import JavaProcess
from spark.startup.quick_start import StoreSize
from spark.terminal import session
from spark.terminal.session import _why_not, leave_to_themselves, settings_of
from tests.spark.terminal import doomed
from tests.support.said import Run, is_one_line


@pytest.mark.parametrize(
    ("master", "conf", "started"),
    [
        (None, {}, "local[*,4]"),
        ("local", {}, "local[1,4]"),
        ("local[*]", {}, "local[*,4]"),
        ("local[3]", {}, "local[3,4]"),
        ("local[3,1]", {}, "local[3,1]"),  # whoever says how often has said it
        ("local[3]", {"spark.task.maxFailures": "2"}, "local[3,2]"),
        (None, {"spark.master": "local[2]"}, "local[2,4]"),
        ("spark://here:7077", {}, "spark://here:7077"),
        ("yarn", {}, "yarn"),
    ],
)
def test_a_task_on_one_machine_is_tried_again(
    master: str | None, conf: dict[str, str], started: str
) -> None:
    """Spark itself would try it once, whatever spark.task.maxFailures says."""
    assert settings_of(master, conf)["spark.master"] == started


@pytest.mark.parametrize(
    ("usable", "memory"), [(8 * 2**30, "4096m"), (3 * 2**29, "768m"), (2**28, "512m")]
)
def test_java_has_half_of_what_can_be_used(
    monkeypatch: pytest.MonkeyPatch, usable: int, memory: str
) -> None:
    monkeypatch.setattr(session, "usable_memory", lambda: usable)
    assert settings_of(None, {})["spark.driver.memory"] == memory
    assert settings_of(None, {"spark.driver.memory": "1g"})["spark.driver.memory"] == "1g"


def test_settings_by_the_size_of_stores_and_a_silent_log() -> None:
    """Each join and each sum takes a page, of 64 MB where Spark chooses."""
    of_size = {size: settings_of(None, {}, size) for size in StoreSize}
    large = dict.fromkeys((StoreSize.LARGE, StoreSize.UNSEEN))
    pages = {size: settings.get("spark.buffer.pageSize") for size, settings in of_size.items()}
    assert pages == {StoreSize.SMALL: "1m", StoreSize.MEDIUM: "1m", **large}
    # folders of this machine are listed without tasks
    key = "spark.sql.sources.parallelPartitionDiscovery.threshold"
    assert {size for size in StoreSize if key not in of_size[size]} == {StoreSize.UNSEEN}
    assert settings_of(None, {})["spark.log.level"] == "OFF"
    assert settings_of(None, {"spark.log.level": "INFO"})["spark.log.level"] == "INFO"


def test_java_that_is_killed_while_spark_starts_is_no_bad_input() -> None:
    """Its connection is gone a moment before its process is."""
    with Popen(["sh", "-c", "sleep 0.3; kill -9 $$"]) as process:
        error = _why_not(ConnectionRefusedError(111, "Connection refused"), JavaProcess(process))
    assert isinstance(error, RunError)
    assert "was killed (signal 9)" in str(error)


def test_a_request_that_java_cuts_short_is_not_told(
    capsys: pytest.CaptureFixture[str],
) -> None:
    server_type: Any = type("Server", (TCPServer,), {})
    for is_left in (False, True):
        with server_type(("127.0.0.1", 0), lambda *_: 1 / 0) as server:
            socket.create_connection(server.server_address[:2]).close()
            server.handle_request()
        assert ("Traceback" in capsys.readouterr().err) != is_left
        leave_to_themselves(server_type)


@pytest.mark.parametrize(
    ("end", "sentence"),
    [
        (doomed.memory_of_a_worker, "a Python worker ran out of memory: leave the workers more"),
        (doomed.worker_that_is_killed, "a Python worker was killed or crashed, each time that its"),
    ],
)
def test_the_end_of_a_worker_is_told(
    in_session: Run,
    monkeypatch: pytest.MonkeyPatch,
    store: Path,
    tmp_path: Path,
    end: Callable[[SparkSession], None],
    sentence: str,
) -> None:
    monkeypatch.setattr("spark.jobs.plan.check_out", lambda session, *_: end(session))
    output = in_session("plan", store, "--out", tmp_path / "o")
    assert (output.code, is_one_line(output)) == (3, True)
    assert sentence in output.err
