"""The examples of conf/examples, each read or run as far as that goes without what runs it."""

import os
import re
import runpy
import shlex
import subprocess
import sys
from datetime import UTC, datetime
from itertools import accumulate
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock

import pytest
import typer
import yaml
from cronsim import CronSim

from spark.cli import app_for
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


def check(hours: float, words: list[str]) -> str:
    """What is done by the hour and what by the day, as we advise; with which store."""
    result = options(words)
    match words[0]:
        case "collect":
            assert hours == 1
            return str(result["out"])
        case "audit":
            assert (hours, result["fail_on"]) == (1, "critical")
            assert result["thresholds"] and (result["out"] or result["prometheus"])
            # of the past as well, and what stands fails it each time
            assert (result["history"], result["since_last"]) == (True, False)
        case "members":
            assert hours == 1 and result["metrics"]
        case "history":
            assert hours == 24 and result["out"]
            assert {"--since 24h", "--since=24h"} & {" ".join(words[2:4]), *words}
        case "snapshots":
            assert hours == 24
            assert (result["age"], result["keep_daily"], result["dry_run"]) == ("90d", 1, False)
    return str(result["store"])


def check_all(commands: list[tuple[float, list[str]]]) -> list[str]:
    """All with one store; the names of the commands."""
    assert len({check(hours, words) for hours, words in commands}) == 1
    return [words[0] for _, words in commands]


def hours_between(schedule: str) -> float:
    times = CronSim(schedule, datetime(2026, 11, 21, tzinfo=UTC))
    first, second = next(times), next(times)
    return (second - first).total_seconds() / 3600


def test_every_example_is_checked() -> None:
    names = {path.name for path in EXAMPLES.iterdir() if path.is_file()}
    assert names == {
        *("audit.crontab", "audit_dag.py", "audit-cronjob.yaml", "audit-on-spark.sh"),
        *("daily_dag.py", "store-cronjobs.yaml"),
        "keda-scaledobject.yaml",  # test_dashboards.py asks Prometheus what it asks
        # tests/live run these
        *("plan_in_force.sh", "consumer.py", "follow_plan.py"),
    }


def crontab() -> list[list[str]]:
    """The schedule and the command of each entry."""
    lines = (EXAMPLES / "audit.crontab").read_text(encoding="utf-8").splitlines()
    entries = [line for line in lines if line and not re.match(r"#|\w+=", line)]
    return [[" ".join(entry.split()[:5]), entry.split(maxsplit=5)[5]] for entry in entries]


def test_the_crontab() -> None:
    entries = crontab()
    for _, command in entries:
        assert "%" not in command  # which would end a line of cron's
        subprocess.run(["bash", "-n", "-c", command], check=True)
    commands = [(hours_between(schedule), evenfleet_words(line)) for schedule, line in entries]
    names = ["collect", "audit", "members", "history", "snapshots"]
    assert check_all(commands) == names


@pytest.mark.parametrize("code", [0, 1, 2, 3])
def test_the_crontab_mails_what_does_not_end_well(tmp_path: Path, code: int) -> None:
    """Cron mails what is printed: nothing when the exit code is 0, or else all."""
    fake = tmp_path / "evenfleet"
    fake.write_text(f"#!/bin/sh\necho found; echo said >&2; exit {code}\n", encoding="utf-8")
    fake.chmod(0o755)
    for _, command in crontab():
        here = command.replace("/opt/evenfleet/bin/evenfleet", str(fake)).replace(
            "/var/lib/evenfleet", str(tmp_path)
        )
        run = subprocess.run(["sh", "-c", here], capture_output=True, text=True, check=True)
        assert (run.stdout + run.stderr).split() == (["found", "said"] if code else [])


def tasks_of(dag_file: str, monkeypatch: pytest.MonkeyPatch) -> tuple[str, dict[str, Any]]:
    """The schedule of an example's one DAG, and its tasks' arguments by id, first to last."""
    dags, operators, order = MagicMock(), MagicMock(), []
    operators.side_effect = lambda **arguments: MagicMock(
        __rshift__=lambda _, after: order.append((arguments["task_id"], after.task)),
        task=arguments["task_id"],
    )
    for module, content in (
        ("airflow.sdk", {"DAG": dags}),
        ("airflow.providers.standard.operators.bash", {"BashOperator": operators}),
    ):
        *above, _ = accumulate(module.split("."), lambda path, part: f"{path}.{part}")
        for name in above:
            monkeypatch.setitem(sys.modules, name, ModuleType(name))
        monkeypatch.setitem(sys.modules, module, SimpleNamespace(**content))
    runpy.run_path(str(EXAMPLES / dag_file))
    (dag,) = (call.kwargs for call in dags.call_args_list)
    assert dag["start_date"].tzinfo and not dag["catchup"] and dag["max_active_runs"] == 1
    tasks = {call.kwargs["task_id"]: call.kwargs for call in operators.call_args_list}
    assert order == [tuple(tasks)]
    return dag["schedule"], tasks


def test_the_dags(monkeypatch: pytest.MonkeyPatch) -> None:
    commands = []
    for file in ("audit_dag.py", "daily_dag.py"):
        schedule, tasks = tasks_of(file, monkeypatch)
        for task in tasks.values():
            commands.append((hours_between(schedule), evenfleet_words(task["bash_command"])))
            assert commands[-1][1][0] != "audit" or task.get("retries", 0) == 0
    assert check_all(commands) == ["collect", "audit", "history", "snapshots"]


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("audit-cronjob.yaml", ["audit"]),
        ("store-cronjobs.yaml", ["collect", "history", "snapshots"]),
    ],
)
def test_the_cron_jobs_of_kubernetes(file: str, names: list[str]) -> None:
    """What is mounted is there, and the job ends for good where another run would find the same."""
    commands = []
    for job in yaml.safe_load_all((EXAMPLES / file).read_text(encoding="utf-8")):
        assert (job["apiVersion"], job["kind"]) == ("batch/v1", "CronJob")
        assert job["spec"]["concurrencyPolicy"] == "Forbid"
        work = job["spec"]["jobTemplate"]["spec"]
        pod = work["template"]["spec"]
        assert pod["restartPolicy"] == "Never"  # which a policy of failures asks for
        volumes = {volume["name"] for volume in pod["volumes"]}
        for container in (*pod.get("initContainers", ()), *pod["containers"]):
            assert container["command"] == ["evenfleet"]
            mounted = {mount["name"]: mount["mountPath"] for mount in container["volumeMounts"]}
            assert mounted.keys() <= volumes
            folders = tuple(f"{folder}/" for folder in mounted.values())
            words = [word.rpartition("=")[2] for word in container["args"]]
            paths = [word for word in words if word.startswith("/")]
            assert paths and all(path.startswith(folders) for path in paths)
            commands.append((hours_between(job["spec"]["schedule"]), container["args"]))
            if container["args"][0] == "audit":
                codes = {"containerName": container["name"], "operator": "In", "values": [1, 2]}
                (rule,) = work["podFailurePolicy"]["rules"]
                assert rule == {"action": "FailJob", "onExitCodes": codes}
    assert check_all(commands) == names


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
    audit = words[at + 1 :]
    assert check(1, audit) == inputs[1]
    assert str(options(audit)["out"]) == inputs[2]
    page = (ROOT / "docs/cluster.md").read_text(encoding="utf-8")
    assert f"PYSPARK_PYTHON={python} spark-submit --master spark://HOST:7077" in page
