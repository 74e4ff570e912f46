"""The examples of conf/examples, each read or run as far as that goes without what runs it."""

from __future__ import annotations

import os
import re
import runpy
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
import yaml
from cronsim import CronSim

from spark.cli import COMMANDS, app_for
from tests.paths import ROOT

EXAMPLES = ROOT / "conf" / "examples"


def options(words: list[str]) -> dict[str, Any]:
    """What `evenfleet` understands of these words; unknown options and values are an error."""
    commands: Any = typer.main.get_command(app_for(words))
    return dict(commands.commands[words[0]].make_context(words[0], list(words[1:])).params)


def evenfleet_words(line: str) -> list[str]:
    """The words after `…/evenfleet` in a line of shell."""
    words = shlex.split(line, comments=True)
    (at,) = (at for at, word in enumerate(words) if word.endswith("/bin/evenfleet"))
    ends = (
        number for number, word in enumerate(words) if number > at and re.match(r"[>|&;]", word)
    )
    return words[at + 1 : next(ends, len(words))]


def check_audit(words: list[str]) -> None:
    """It fails at critical findings, and keeps what it finds."""
    assert words[0] == "audit"
    result = options(words)
    assert result["fail_on"] == "critical"
    assert result["out"] or result["prometheus"]
    assert result["thresholds"]


def check_prune(words: list[str]) -> None:
    """It removes what is old, and some of each day stay."""
    assert words[0] == "snapshots"
    result = options(words)
    assert (result["age"], result["keep_daily"], result["dry_run"]) == ("90d", 1, False)


def check_history(words: list[str], store: str) -> None:
    """Of the last day, from the store that is collected to."""
    assert words[:2] == ["history", store]
    assert {"--since 24h", "--since=24h"} & {" ".join(words[2:4]), *words}
    if "history" in COMMANDS:
        assert options(words)["out"]


def hours_between(schedule: str) -> float:
    times = CronSim(schedule, datetime(2026, 11, 21, tzinfo=UTC))
    first, second = next(times), next(times)
    return (second - first).total_seconds() / 3600


def check_schedule(schedule: str) -> None:
    """Once an hour."""
    assert hours_between(schedule) == 1


def test_every_example_is_checked() -> None:
    names = {path.name for path in EXAMPLES.iterdir() if path.is_file()}
    assert names == {
        *("audit.crontab", "audit_dag.py", "audit-cronjob.yaml", "audit-on-spark.sh"),
        *("daily_dag.py", "store-cronjobs.yaml"),
        "keda-scaledobject.yaml",  # test_dashboards.py asks Prometheus what it asks
        # tests/live run these
        *("plan_in_force.sh", "consumer.py", "follow_plan.py"),
    }


def test_options_that_are_wrong_would_show() -> None:
    for words in (
        ["audit", "s", "--out"],
        ["audit", "s", "--fail", "critical"],
        ["audit", "s", "--fail-on", "x"],
    ):
        with pytest.raises(Exception, match=r"(?i)requires an argument|no such option|value error"):
            options(words)


def test_the_crontab() -> None:
    lines = (EXAMPLES / "audit.crontab").read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line and not re.match(r"#|\w+=", line)]
    commands, hours = [], []
    for entry in entries:
        *schedule, command = entry.split(maxsplit=5)
        hours.append(hours_between(" ".join(schedule)))
        assert "%" not in command  # which would end a line of cron's
        subprocess.run(["bash", "-n", "-c", command], check=True)
        commands.append(evenfleet_words(command))
    collect, audit, history, prune = commands
    assert hours == [1, 1, 24, 24]
    assert collect[0] == "collect"
    store = str(options(collect)["out"])
    assert store == options(audit)["store"] == options(prune)["store"]
    check_audit(audit)
    check_history(history, store)
    check_prune(prune)


@pytest.mark.parametrize("line", [-4, -3, -2, -1])
@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_crontab_mails_what_does_not_end_well(tmp_path: Path, code: int, line: int) -> None:
    """Cron mails what is printed: nothing when the exit code is 0, or else all."""
    lines = (EXAMPLES / "audit.crontab").read_text(encoding="utf-8").splitlines()
    command = lines[line].split(maxsplit=5)[5]
    fake = tmp_path / "evenfleet"
    fake.write_text(f"#!/bin/sh\necho found; echo said >&2; exit {code}\n", encoding="utf-8")
    fake.chmod(0o755)
    here = command.replace("/opt/evenfleet/bin/evenfleet", str(fake)).replace(
        "/var/lib/evenfleet", str(tmp_path)
    )
    run = subprocess.run(["sh", "-c", here], capture_output=True, text=True, check=True)
    assert (run.stdout + run.stderr).split() == (["found", "said"] if code else [])


class Task:
    """Airflow's BashOperator, as far as the example needs it."""

    made: dict[str, Task]

    def __init__(
        self, *, task_id: str, bash_command: str, retries: int = 0, retry_delay: Any = None
    ) -> None:
        self.command, self.retries, self.after = bash_command, retries, [""]
        self.made[task_id] = self

    def __rshift__(self, other: Task) -> None:
        other.after = [name for name, task in self.made.items() if task is self]


class Dag:
    """Airflow's DAG, as far as the example needs it."""

    made: dict[str, Dag]

    def __init__(
        self,
        *,
        dag_id: str,
        schedule: str,
        start_date: datetime,
        catchup: bool,
        max_active_runs: int,
    ) -> None:
        assert start_date.tzinfo and not catchup and max_active_runs == 1
        self.schedule = schedule
        self.made[dag_id] = self

    def __enter__(self) -> Dag:
        return self

    def __exit__(self, *_: object) -> None:
        pass


def tasks_of(dag_file: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Dag, list[Task]]:
    """The one DAG of an example, and its tasks."""
    Task.made, Dag.made = {}, {}
    for name, content in (
        ("airflow.sdk", {"DAG": Dag}),
        ("airflow.providers.standard.operators.bash", {"BashOperator": Task}),
    ):
        parts = name.split(".")
        for depth in range(1, len(parts) + 1):
            path = ".".join(parts[:depth])
            if path not in sys.modules:
                monkeypatch.setitem(sys.modules, path, ModuleType(path))
        vars(sys.modules[name]).update(content)
    runpy.run_path(str(EXAMPLES / dag_file))
    (dag,) = Dag.made.values()
    return dag, [*Task.made.values()]


def test_the_dag(monkeypatch: pytest.MonkeyPatch) -> None:
    dag, (collect, audit) = tasks_of("audit_dag.py", monkeypatch)
    check_schedule(dag.schedule)
    words = evenfleet_words(collect.command)
    assert words[0] == "collect"
    assert str(options(words)["out"]) == options(evenfleet_words(audit.command))["store"]
    check_audit(evenfleet_words(audit.command))
    assert (audit.retries, audit.after) == (0, ["collect"])
    store = str(options(words)["out"])
    dag, (history, prune) = tasks_of("daily_dag.py", monkeypatch)
    assert hours_between(dag.schedule) == 24
    check_history(evenfleet_words(history.command), store)
    check_prune(evenfleet_words(prune.command))
    assert options(evenfleet_words(prune.command))["store"] == store
    assert prune.after == ["history"]


def test_the_cron_job_of_kubernetes() -> None:
    """What is mounted is there, and the job ends for good where another run would find the same."""
    job = yaml.safe_load((EXAMPLES / "audit-cronjob.yaml").read_text(encoding="utf-8"))
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "CronJob")
    assert (job["spec"]["concurrencyPolicy"], job["spec"].keys() >= {"schedule"}) == (
        "Forbid",
        True,
    )
    check_schedule(job["spec"]["schedule"])
    work = job["spec"]["jobTemplate"]["spec"]
    pod = work["template"]["spec"]
    (container,) = pod["containers"]
    assert container["command"] == ["evenfleet"]
    check_audit(container["args"])
    (rule,) = work["podFailurePolicy"]["rules"]
    assert rule == {
        "action": "FailJob",
        "onExitCodes": {"containerName": container["name"], "operator": "In", "values": [1, 2]},
    }
    assert pod["restartPolicy"] == "Never"  # which such a policy asks for
    mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
    assert mounted.keys() == {volume["name"] for volume in pod["volumes"]}
    result = options(container["args"])
    for path in (result["store"], result["out"], str(result["thresholds"])):
        assert path.startswith(tuple(f"{folder}/" for folder in mounted.values()))


def test_the_cron_jobs_of_a_store() -> None:
    """Collecting by the hour, and by the day what is made of it: all on what is mounted."""
    text = (EXAMPLES / "store-cronjobs.yaml").read_text(encoding="utf-8")
    collect, daily = yaml.safe_load_all(text)
    assert [hours_between(item["spec"]["schedule"]) for item in (collect, daily)] == [1, 24]
    pods = [item["spec"]["jobTemplate"]["spec"]["template"]["spec"] for item in (collect, daily)]
    for pod in pods:
        assert pod["restartPolicy"] == "Never"
        there = {volume["name"] for volume in pod["volumes"]}
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            assert container["command"] == ["evenfleet"]
            assert {mount["name"] for mount in container["volumeMounts"]} <= there
    (first,), (history,), (prune,) = (
        pods[0]["containers"],
        pods[1]["initContainers"],
        pods[1]["containers"],
    )
    store = str(options(first["args"])["out"])
    check_history(history["args"], store)
    check_prune(prune["args"])
    assert options(prune["args"])["store"] == store


@pytest.mark.parametrize("code", [0, 1])
def test_the_script_for_spark_submit(tmp_path: Path, code: int) -> None:
    """It hands our job to spark-submit, as the README says, and gives its exit code back."""
    fake = tmp_path / "spark-submit"
    fake.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$PYSPARK_PYTHON" "$@" >{tmp_path}/words\nexit {code}\n',
        encoding="utf-8",
    )
    fake.chmod(0o755)
    script = EXAMPLES / "audit-on-spark.sh"
    subprocess.run(["bash", "-n", script], check=True)
    inputs = ["spark://h:7077", "s3a://b/my store", "s3a://b/findings"]
    environment = {"PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"}
    run = subprocess.run([script, *inputs], env=environment, cwd=tmp_path, check=False)
    assert run.returncode == code
    python, *words = (tmp_path / "words").read_text(encoding="utf-8").splitlines()
    assert python == "/opt/evenfleet/bin/python"
    assert words[:4] == ["--master", inputs[0], "--deploy-mode", "client"]
    (at,) = (number for number, word in enumerate(words) if word.endswith(".py"))
    assert Path(words[at]).resolve() == ROOT / "bin" / "spark_job.py"
    assert re.fullmatch(r"--conf spark\.[\w.]+=\S+", " ".join(words[4:at]))
    check_audit(words[at + 1 :])
    result = options(words[at + 1 :])
    assert (result["store"], result["out"]) == tuple(inputs[1:])
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert f"PYSPARK_PYTHON={python} spark-submit --master spark://HOST:7077" in readme
