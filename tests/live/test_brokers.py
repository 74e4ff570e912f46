"""The brokers of the tests: they end, whatever happens to the tests."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time

from tests.paths import ROOT
from tests.support.alive import is_alive

STARTS_AND_WAITS = """
import json, sys, time
from tests.live.brokers import Brokers

with Brokers(json.loads(sys.argv[1])) as brokers:
    print(brokers._running[1].pid, flush=True)
    time.sleep(60)
"""


def test_a_broker_ends_with_the_process_that_started_it(jars: list[str]) -> None:
    """Even when that is killed, and can't clean up."""
    tests = subprocess.Popen(
        [sys.executable, "-W", "ignore", "-c", STARTS_AND_WAITS, json.dumps(jars)],
        stdout=subprocess.PIPE,
        cwd=ROOT,
    )
    assert tests.stdout
    broker = int(tests.stdout.readline())
    assert is_alive(broker)
    tests.send_signal(signal.SIGKILL)
    tests.communicate()
    deadline = time.monotonic() + 20
    while is_alive(broker) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not is_alive(broker)
