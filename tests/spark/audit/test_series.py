"""Every panel and alert that ships has its series, by what the crontab runs on the demo's hours."""

import re
from pathlib import Path

import pytest

from spark.demo.history import HOURS, make_history
from spark.fleet.local_store import write_store
from spark.jobs.demo import SEED
from tests.paths import ROOT
from tests.spark.audit.test_audit_examples import crontab, evenfleet_words
from tests.spark.audit.test_dashboards import ids, with_the_stalled
from tests.support.said import Run

pytestmark = pytest.mark.ends  # as `test_dashboards`, which asks Prometheus for the same

SHIPPED = ("conf/grafana/dashboard.json", "conf/prometheus/alerts.yml")


def test_each_panel_and_alert_has_its_series(run: Run, tmp_path: Path) -> None:
    made = make_history(300, SEED)
    for at, snapshot in enumerate(ids(3), HOURS - 3):
        write_store(with_the_stalled(made.tables(at)), tmp_path / "store", snapshot)
    places = {
        "/etc/evenfleet/audit.toml": str(ROOT / "conf/audit.toml"),
        "/var/lib/node_exporter/textfile": str(tmp_path),
        **{folder: str(tmp_path / folder) for folder in ("store", "findings")},
    }
    for words in map(evenfleet_words, (line for _, line in crontab())):
        if words[0] in ("audit", "members"):
            moved = [
                next((re.sub(f"^{a}", b, w) for a, b in places.items() if w.startswith(a)), w)
                for w in words
            ]
            assert run(*moved).code == int(words[0] == "audit")
    text = "".join(path.read_text(encoding="utf-8") for path in tmp_path.glob("*.prom"))
    series = {re.split(r"[ {]", line)[0] for line in text.splitlines() if line[0] != "#"}
    for name in SHIPPED:
        asked = set(re.findall(r"evenfleet_\w*[a-z]", (ROOT / name).read_text(encoding="utf-8")))
        # an expression may begin with what several names have in common
        lacking = [n for n in asked if not any(f"{one}_".startswith(f"{n}_") for one in series)]
        assert len(asked) > 4 and lacking == []
