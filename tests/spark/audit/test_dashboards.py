"""conf/grafana and conf/prometheus against a real Prometheus that scrapes what audits write."""

import json
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import partial
from http.server import SimpleHTTPRequestHandler as Handler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import urlencode
from urllib.request import urlopen

import pyarrow as pa
import pyarrow.compute as pc
import pytest
import yaml

from spark.demo.history import HOURS, make_history
from spark.fleet import TABLES
from spark.fleet.local_store import write_store
from spark.jobs.demo import SEED
from tests.paths import ROOT
from tests.support.fleets import Fleet
from tests.support.said import Run

RULES = ROOT / "conf/prometheus/alerts.yml"
DASHBOARD = json.loads((ROOT / "conf/grafana/dashboard.json").read_text(encoding="utf-8"))
KEDA = yaml.safe_load((ROOT / "conf/examples/keda-scaledobject.yaml").read_text(encoding="utf-8"))
STALLED = "devices-heartbeat-reconciler"
"""A group of the demo that commits nothing any more while records keep arriving."""

WITHIN = 60
"""Seconds after which a Prometheus that doesn't answer fails the test."""

pytestmark = [
    pytest.mark.ends,
    pytest.mark.skipif(
        not (shutil.which("prometheus") and shutil.which("promtool")),
        reason="Prometheus isn't installed here (on Debian: apt-get install prometheus)",
    ),
]

Answers = list[dict[str, Any]]


class Prometheus:
    """A server that scrapes one folder's metrics every second, with our rules."""

    def __init__(self, port: int) -> None:
        self.root = f"http://127.0.0.1:{port}/api/v1"

    def ask(self, what: str, **parameters: str) -> dict[str, Any]:
        with urlopen(f"{self.root}/{what}?{urlencode(parameters)}") as answer:
            return dict(json.load(answer)["data"])

    def query(self, expression: str) -> Answers:
        return list(self.ask("query", query=expression)["result"])

    def firing(self) -> set[tuple[str, str | None]]:
        alerts = [one for one in self.ask("alerts")["alerts"] if one["state"] == "firing"]
        return {(one["labels"]["alertname"], one["labels"].get("group")) for one in alerts}

    def has_evaluated_since(self, instant: float) -> bool:
        (group,) = self.ask("rules")["groups"]
        return datetime.fromisoformat(group["lastEvaluation"]).timestamp() > instant


def free_port() -> int:
    with socket.socket() as held:
        held.bind(("127.0.0.1", 0))
        return int(held.getsockname()[1])


def wait_until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + WITHIN
    while True:
        with suppress(OSError):  # it isn't listening yet
            if holds():
                return
        assert time.monotonic() < until, "Prometheus doesn't answer"
        time.sleep(0.1)


@contextmanager
def prometheus(folder: Path) -> Iterator[Prometheus]:
    """Scraping the files *.prom of a folder, as node_exporter shows them."""
    with ExitStack() as kept:
        server = kept.enter_context(
            ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        )
        Thread(target=server.serve_forever, daemon=True).start()
        kept.callback(server.shutdown)
        text = "".join(path.read_text(encoding="utf-8") for path in folder.glob("*.prom"))
        (folder / "metrics").write_text(text, encoding="utf-8")
        config = folder / "prometheus.yml"
        every = {"scrape_interval": "1s", "evaluation_interval": "1s"}
        scraped = [{"targets": [f"127.0.0.1:{server.server_port}"]}]
        job = {"job_name": "node", "static_configs": scraped}
        stated = {"global": every, "rule_files": [str(RULES)], "scrape_configs": [job]}
        config.write_text(yaml.safe_dump(stated), encoding="utf-8")
        port = free_port()
        options = [f"--config.file={config}", f"--storage.tsdb.path={folder / 'data'}"]
        ran = subprocess.Popen(
            ["prometheus", *options, f"--web.listen-address=127.0.0.1:{port}"],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        kept.callback(ran.wait)
        kept.callback(ran.terminate)
        asked = Prometheus(port)
        wait_until(lambda: bool(asked.query("evenfleet_audit_state")))
        now = time.time()
        wait_until(lambda: asked.has_evaluated_since(now))
        yield asked


def ids(count: int) -> list[str]:
    """Of the last hours, so that the newest isn't too old."""
    now = datetime.now(UTC).replace(microsecond=0)
    return [f"{now - timedelta(hours=count - 1 - at):%Y%m%dT%H%M%SZ}" for at in range(count)]


def with_the_stalled(tables: dict[str, pa.Table]) -> dict[str, pa.Table]:
    """The demo's stalled group and a few others."""
    names = pa.array([STALLED, *pc.unique(tables["groups"]["group"]).to_pylist()[:2]])
    by_group = [name for name in tables if TABLES[name].by_group]
    return tables | {
        name: tables[name].filter(pc.is_in(tables[name]["group"], names)) for name in by_group
    }


def test_the_rules_are_rules() -> None:
    subprocess.run(["promtool", "check", "rules", RULES], check=True, capture_output=True)


def test_each_panel_has_series_and_the_stalled_group_alerts(run: Run, tmp_path: Path) -> None:
    made = make_history(300, SEED)
    for at, snapshot in enumerate(ids(3), HOURS - 3):
        write_store(with_the_stalled(made.tables(at)), tmp_path / "store", snapshot)
    words = ("--out", tmp_path / "out")
    audited = run("audit", tmp_path / "store", *words, "--prometheus", tmp_path / "audit.prom")
    sized = run("members", tmp_path / "store", "--metrics", tmp_path / "members.prom")
    assert (audited.code, sized.code) == (0, 0), audited.err + sized.err
    for name in ("audit.prom", "members.prom"):
        text = (tmp_path / name).read_bytes()
        subprocess.run(["promtool", "check", "metrics"], input=text, check=True)
    with prometheus(tmp_path) as asked:
        queries = [panel["targets"][0]["expr"] for panel in DASHBOARD["panels"]]
        assert [one for one in queries if not asked.query(one)] == []
        alerts = set(re.findall(r"evenfleet_\w+", RULES.read_text(encoding="utf-8")))
        assert [one for one in alerts if not asked.query(one)] == []
        assert ("EvenfleetGroupCritical", STALLED) in asked.firing()
        assert ("EvenfleetNewFindings", None) in asked.firing()


def test_a_fleet_that_is_well_alerts_nobody(run: Run, tmp_path: Path) -> None:
    members = {"a": ["t"], "b": ["t"], "c": ["t"]}  # c has nothing, as there is nothing left
    well = Fleet().topic("t", 2).group("g", members, [("t", 0, "a"), ("t", 1, "b")])
    for snapshot in ids(2):
        well.store(tmp_path / "store", snapshot)
    words = ("--out", tmp_path / "out", "--since-last", "--prometheus", tmp_path / "audit.prom")
    assert run("audit", tmp_path / "store", *words).code == 0
    assert run("members", tmp_path / "store", "--metrics", tmp_path / "m.prom").code == 0
    with prometheus(tmp_path) as asked:
        assert asked.firing() == set()


def test_keda_asks_for_an_even_size_that_is_enough_or_for_what_is_needed(tmp_path: Path) -> None:
    (trigger,) = KEDA["spec"]["triggers"]
    query = trigger["metadata"]["query"]
    sizes = {"orders": (18, 24), "refunds": (30, 24)}
    lines = [
        f'evenfleet_members_{name}{{cluster="prod",group="{group}"}} {value}'
        for group, both in sizes.items()
        for name, value in zip(("needed", "even_below"), both, strict=True)
    ]
    known = ['evenfleet_audit_state{state="well"} 1', ""]
    (tmp_path / "members.prom").write_text("\n".join([*lines, *known]), encoding="utf-8")
    with prometheus(tmp_path) as asked:
        asks = [query, query.replace("orders", "refunds")]
        answers = [float(asked.query(one)[0]["value"][1]) for one in asks]
    assert answers == [24, 30]
